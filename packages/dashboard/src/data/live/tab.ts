/** Reports when this tab is shown, hidden or frozen, and when its page is left. */

/**
 * Calls `changed` each time the tab is shown or hidden, and once at the start. `hiddenSince` is undefined while the tab
 * is visible, and -Infinity from the moment at which the browser freezes the tab or the page is left. Returns a
 * function that ends the calls.
 */
export function watchTab(changed: (hiddenSince: number | undefined) => void): () => void {
  let hiddenSince: number | undefined
  const notify = () => {
    hiddenSince = document.visibilityState === 'visible' ? undefined : (hiddenSince ?? performance.now())
    changed(hiddenSince)
  }
  const sleep = () => {
    hiddenSince = Number.NEGATIVE_INFINITY
    changed(hiddenSince)
  }
  const ended = new AbortController()
  const { signal } = ended
  document.addEventListener('visibilitychange', notify, { signal })
  document.addEventListener('resume', notify, { signal })
  document.addEventListener('freeze', sleep, { signal })
  window.addEventListener('pageshow', notify, { signal })
  window.addEventListener('pagehide', sleep, { signal })
  notify()
  return () => ended.abort()
}
