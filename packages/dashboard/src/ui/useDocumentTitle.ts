import { useEffect } from 'react'

/**
 * The two parts of the title of the browser tab: the title itself, which the page sets, and the number before it, which
 * the frame around the page sets.
 */
const shown = { title: '', count: 0 }
const write = () => {
  document.title = shown.count > 0 ? `(${shown.count}) ${shown.title}` : shown.title
}

/** Sets the title of the browser's tab, such as `mail-triage · svc`. */
export function useDocumentTitle(...parts: (string | undefined)[]): void {
  const title = [...parts.filter((part) => part), 'svc'].join(' · ')
  useEffect(() => {
    shown.title = title
    write()
  }, [title])
}

/**
 * Puts a number before the title of the browser tab, `(2) mail-triage · svc`, and on the icon of an installed page; 0
 * shows none.
 */
export function useTitleCount(count: number): void {
  useEffect(() => {
    const show = (number: number) => {
      shown.count = number
      write()
      // A browser without badges, or one that does not allow them, shows none.
      if ('setAppBadge' in navigator) void navigator.setAppBadge(number).catch(() => {})
    }
    show(count)
    return () => show(0)
  }, [count])
}
