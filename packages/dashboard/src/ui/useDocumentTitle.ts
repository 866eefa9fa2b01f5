import { useEffect } from 'react'

/** Sets the title of the browser's tab, such as `mail-triage · svc`. */
export function useDocumentTitle(...parts: (string | undefined)[]): void {
  const title = [...parts.filter((part) => part), 'svc'].join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])
}
