/** Moves the focus when the part of the page that had it is gone. */
import { useLayoutEffect, useRef } from 'react'

/** Focuses the row of a list that is its tab stop (`data-tab-stop`); returns false if the page shows no such list. */
export function focusList(): boolean {
  const row = document.querySelector<HTMLElement>('[data-tab-stop]')
  row?.focus()
  return row !== null
}

/** Focuses a link when it is drawn first, as its `ref`. React does so only for buttons and fields (`autoFocus`). */
export const focusAtFirst = (link: HTMLElement | null): void => link?.focus()

/** Focuses the list of the page or, if it has none, its content. */
export function focusMain(): void {
  if (!focusList()) document.getElementById('content')?.focus()
}

/**
 * The element that had the focus or was pressed last, outside of dialogs and menus. A menu is closed when a dialog
 * opens from it, and the code of a dialog may still have to be loaded, so the element that has the focus at that moment
 * is of no use.
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
    // The button may be gone, for example once there is nothing left to cancel. A part of the page that takes the focus
    // then (`useFocusedPart`) does so in an effect that follows this one.
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
    // A person who is elsewhere on the page, with nothing focused, must not be moved.
    if (isReplaced && isFocusLost() && !before?.isConnected) part.current?.focus()
  }, [shown])
  return part
}
