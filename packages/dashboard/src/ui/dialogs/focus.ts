/** Moves the focus when the part of the page that had it is gone. */
import { useLayoutEffect, useRef } from 'react'

/** Focuses the row with `data-tab-stop`, which the Tab key reaches in a list; returns false if there is no such row. */
export function focusList(): boolean {
  const row = document.querySelector<HTMLElement>('[data-tab-stop]')
  row?.focus()
  return row !== null
}

/** Focuses a link when it is drawn first, as its `ref`. React does so only for buttons and fields (`autoFocus`). */
export const focusAtFirst = (link: HTMLElement | null): void => link?.focus()

/** Focuses the list (`focusList`) or, on a page without a list, the content of the page. */
export function focusMain(): void {
  if (!focusList()) document.getElementById('content')?.focus()
}

/**
 * The element outside of dialogs and menus that was focused or pressed last. `document.activeElement` is of no use when
 * a dialog opens: it may be an item of a menu that is gone by then.
 */
let before: Element | null = null
const note = ({ target }: Event): void => {
  if (target instanceof Element && !target.closest('[role="dialog"], [role="menu"]')) before = target
}
globalThis.document?.addEventListener('focusin', note, { capture: true })
globalThis.document?.addEventListener('pointerdown', note, { capture: true })

/** The number of dialogs that are open. Only the last one to close gives the focus back. */
let open = 0

/** Gives the focus back to where it was before a dialog opened, once the dialog is closed or removed. */
export function useFocusBack(opened: boolean): void {
  useLayoutEffect(() => {
    if (!opened) return
    const opener = before
    open++
    return () => {
      open--
      setTimeout(() => giveBack(opener))
    }
  }, [opened])
}

function giveBack(opener: Element | null): void {
  const focused = document.activeElement
  if (open > 0 || (focused !== null && focused !== document.body && !focused.closest('[role="dialog"]'))) return
  const target = opener?.closest<HTMLElement>('a, button, input, select, textarea, [tabindex]')
  if (target?.isConnected) target.focus()
  else focusMain()
}

/** True if nothing has the focus, for example because what had it was removed or disabled. */
const isFocusLost = (): boolean => document.activeElement === null || document.activeElement === document.body

/** Gives the focus back to the button of an action, which loses it because it is disabled while the action runs. */
export function useKeptFocus(busy: boolean): void {
  const focused = useRef<Element | null>(null)
  useLayoutEffect(() => {
    if (busy) {
      focused.current = document.activeElement
      return
    }
    const button = focused.current
    focused.current = null
    if (!isFocusLost() || !(button instanceof HTMLElement)) return
    if (button.isConnected) return button.focus()
    // The button may be gone, for example a Cancel button with nothing left to cancel. The microtask runs after the
    // effects of `useFocusedPart`, which may move the focus to a better part of the page.
    queueMicrotask(() => {
      if (isFocusLost()) focusMain()
    })
  }, [busy])
}

/**
 * Returns a ref for a part of the page. The part gets the focus when its content is replaced and the element that had
 * the focus is gone. `shown` names the content; undefined while the content has to be loaded.
 */
export function useFocusedPart<T extends HTMLElement>(shown: string | undefined) {
  const part = useRef<T>(null)
  const last = useRef(shown)
  useLayoutEffect(() => {
    const isReplaced = last.current !== undefined && last.current !== shown
    last.current = shown
    // If the last focused element is still there, the person was not using this part, so the focus must not move.
    if (isReplaced && isFocusLost() && !before?.isConnected) part.current?.focus()
  }, [shown])
  return part
}
