/**
 * Returns a function that returns the last result of `ask`. It calls `ask` at most once in `lasts` milliseconds, and
 * never while an earlier call of `ask` is in progress. A failure is not kept.
 */
export function cached<T>(ask: () => Promise<T>, lasts: number): () => Promise<T> {
  let asked = Number.NEGATIVE_INFINITY
  let isBusy = false
  let last: Promise<T> | undefined
  return () => {
    if (last && (isBusy || performance.now() - asked < lasts)) return last
    asked = performance.now()
    isBusy = true
    last = ask().finally(() => {
      isBusy = false
    })
    last.catch(() => {
      last = undefined
    })
    return last
  }
}
