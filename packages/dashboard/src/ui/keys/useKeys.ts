/** Handles the keys of the page (keys.ts): parts of the page say what a key does while they are shown. */
import { useEffect, useRef } from 'react'
import { type FirstKey, type KeyFocus, type KeyName, keyMeaning } from './keys.ts'

/** Acts on a key. Returns false if the key has no effect now, so that the browser handles it. */
type Handler = () => unknown

const handlers = new Map<KeyName, Handler[]>()

/** Sets what a key does while the component is shown; undefined if nothing. The component shown last decides. */
export function useKey(name: KeyName, act: Handler | undefined): void {
  const latest = useRef(act)
  useEffect(() => {
    latest.current = act
  })
  const isSet = act !== undefined
  useEffect(() => {
    if (!isSet) return
    const ownKeys = () => latest.current?.()
    handlers.set(name, [...(handlers.get(name) ?? []), ownKeys])
    return () => void handlers.set(name, handlers.get(name)?.filter((one) => one !== ownKeys) ?? [])
  }, [name, isSet])
}

/** True on machines whose shortcuts use Cmd. */
export const isMac = /mac|iphone|ipad/i.test(navigator.platform)

/** Listens to all keys of the page. `own` has the effects of keys that no shown component has set. */
export function useKeyListener(own: Partial<Record<KeyName, Handler>>): void {
  const latest = useRef(own)
  useEffect(() => {
    latest.current = own
  })
  useEffect(() => {
    let begun: FirstKey | undefined
    let focus: KeyFocus | undefined
    // A dialog closes itself before `listen` is called, so only this listener, the first of all, still finds it.
    const noteFocus = (event: KeyboardEvent) => {
      focus = focusOf(event.target)
    }
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || !focus) return
      const meaning = keyMeaning(event, focus, begun)
      begun = meaning.begun
      const isHandled = meaning.does.some((name) => {
        const act = handlers.get(name)?.at(-1) ?? latest.current[name]
        return act !== undefined && act() !== false
      })
      if (isHandled) event.preventDefault()
    }
    window.addEventListener('keydown', noteFocus, { capture: true })
    window.addEventListener('keydown', listen)
    return () => {
      window.removeEventListener('keydown', noteFocus, { capture: true })
      window.removeEventListener('keydown', listen)
    }
  }, [])
}

const ownKeyHandlers = '[role="menu"], [role="listbox"], [role="dialog"]'

function focusOf(target: EventTarget | null): KeyFocus {
  const at = target instanceof Element ? target : null
  return {
    field: at?.closest('input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable]') != null,
    dialog: at?.closest(ownKeyHandlers) != null || document.querySelector('[aria-modal="true"]') !== null,
    row: at?.closest('[data-row]') != null,
    isMac,
  }
}
