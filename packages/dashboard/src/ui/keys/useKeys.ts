/** Handles the keys of the page (keys.ts). A component sets what a key does while it is shown. */
import { useEffect, useRef } from 'react'
import { type FirstKey, type KeyFocus, type KeyName, keyMeaning } from './keys.ts'

/** Acts on a key. Returns false if the key has no effect now, so that the browser handles it. */
type Handler = () => unknown

const handlers = new Map<KeyName, Handler[]>()

/** Sets what a key does while the component is shown. If several components set a key, the one shown last is called. */
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

/** Listens to all keys of the page. `own` has the handlers of keys for which no shown component has set one. */
export function useKeyListener(own: Partial<Record<KeyName, Handler>>): void {
  const latest = useRef(own)
  useEffect(() => {
    latest.current = own
  })
  useEffect(() => {
    let begun: FirstKey | undefined
    let focus: KeyFocus | undefined
    // An open dialog handles Escape before `listen` is called and is gone then, so this listener looks for it earlier.
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
