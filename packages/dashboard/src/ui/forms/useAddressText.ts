/** A text field whose text goes to the address of the page. */
import { trimInvisible } from '@svc/protocol'
import { useEffect, useRef, useState } from 'react'

interface AddressText {
  /** The text that the address has. */
  text: string
  /** Puts a text into the address, which has it some time later. */
  tell: (text: string) => void
  /** Returns the milliseconds between the last key and the moment at which this text goes to the address. */
  pauseAfter: (text: string) => number
}

/**
 * The text in the field (`typed`), and the last text that was put into the address (`settled`). Only a text in the
 * address that comes from elsewhere replaces what was typed, so no letter is lost if the address changes late.
 */
export function useAddressText({ text, tell, pauseAfter }: AddressText) {
  const [typed, setTyped] = useState(text)
  const [settled, setSettled] = useState(text)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  /** Texts that were put into the address and that it does not have yet, oldest first. */
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

/** The texts that are still on their way once the address has `text`; undefined if `text` comes from elsewhere. */
export function textsAfter(told: readonly string[], text: string): readonly string[] | undefined {
  const at = told.indexOf(text)
  return at < 0 ? undefined : told.slice(at + 1)
}
