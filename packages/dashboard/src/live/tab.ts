/** Tells when this tab is shown, hidden, frozen or put away by the browser. */

/**
 * Calls `changed` each time the tab is shown or hidden, and once at the start. `hiddenSince` is undefined while the tab
 * is visible, and -Infinity from the moment at which the browser freezes the tab or puts it away. Returns a function
 * that ends this.
 */
export function watchTab(changed: (hiddenSince: number | undefined) => void): () => void {
  let hiddenSince: number | undefined
  const look = () => {
    hiddenSince = document.visibilityState === 'visible' ? undefined : (hiddenSince ?? Date.now())
    changed(hiddenSince)
  }
  const sleep = () => {
    hiddenSince = Number.NEGATIVE_INFINITY
    changed(hiddenSince)
  }
  const ended = new AbortController()
  const { signal } = ended
  document.addEventListener('visibilitychange', look, { signal })
  document.addEventListener('resume', look, { signal })
  document.addEventListener('freeze', sleep, { signal })
  window.addEventListener('pageshow', look, { signal })
  window.addEventListener('pagehide', sleep, { signal })
  look()
  return () => ended.abort()
}
