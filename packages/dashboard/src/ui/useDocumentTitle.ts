import { useEffect } from 'react'

/** Names the browser's tab: `mail-triage · svc`. */
export function useDocumentTitle(...parts: (string | undefined)[]): void {
  const title = [...parts.filter((part) => part), 'svc'].join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])
}
