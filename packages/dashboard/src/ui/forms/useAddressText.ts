/** Keeps the text of a field in the address (URL) of the page. */
import { trimInvisible } from '@svc/protocol'
import { useEffect, useRef, useState } from 'react'

interface AddressText {
  /** The text that is in the address now. */
  text: string
  /** Puts a text into the address. `text` changes some time later. */
  tell: (text: string) => void
  /** Returns how many milliseconds after the last key the typed text is put into the address. */
  pauseAfter: (text: string) => number
}

/**
 * Returns the text in the field (`typed`) and the last text that was put into the address or came from it (`settled`).
 * `type` puts a text into the address after a pause, and `settle` does so at once. A text in the address replaces what
 * was typed only if it comes from elsewhere, such as a link.
 */
export function useAddressText({ text, tell, pauseAfter }: AddressText) {
  const [typed, setTyped] = useState(text)
  const [settled, setSettled] = useState(text)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  /** The texts that `tell` put into the address and that have not arrived in `text` yet, oldest first. */
  const told = useRef<readonly string[]>([])
  useEffect(() => {
    const arrived = textsAfter(told.current, text)
    told.current = arrived ?? []
    if (arrived) return
    clearTimeout(timer.current)
    setTyped((now) => (trimInvisible(now) === text ? now : text))
    setSettled((now) => (trimInvisible(now) === text ? now : text))
  }, [text])
  const settle = (to: string) => {
    clearTimeout(timer.current)
    setTyped(to)
    setSettled(to)
    const next = trimInvisible(to)
    if (next === (told.current.at(-1) ?? text)) return
    told.current = [...told.current, next]
    tell(next)
  }
  const latest = useRef(settle)
  useEffect(() => {
    latest.current = settle
  })
  const type = (to: string) => {
    clearTimeout(timer.current)
    setTyped(to)
    timer.current = setTimeout(() => latest.current(to), pauseAfter(to))
  }
  return { typed, settled, type, settle }
}

/** The texts in `told` that the address does not have yet when it has `text`; undefined if `text` is not in `told`. */
export function textsAfter(told: readonly string[], text: string): readonly string[] | undefined {
  const at = told.indexOf(text)
  return at < 0 ? undefined : told.slice(at + 1)
}
