/** The address of the door's pages, without the router of the other pages. */
import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()

function listen(listener: () => void): () => void {
  listeners.add(listener)
  window.addEventListener('popstate', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('popstate', listener)
  }
}

/** The path and the query of the address, such as `/claim?token=…`. */
export const useAddress = (): string => useSyncExternalStore(listen, () => location.pathname + location.search)

/** Goes to another page of the door. */
export function goToDoorPage(to: string): void {
  history.pushState(null, '', to)
  for (const listener of listeners) listener()
  scrollTo(0, 0)
}

/**
 * Leaves the door after signing in. The page is loaded again, so it holds nothing of a person who was signed in before.
 * The promise never resolves: the button stays busy until the page is gone.
 */
export function replacePage(to: string): Promise<never> {
  location.replace(to)
  return new Promise(() => {})
}
