/**
 * The default time limit in seconds. It is shorter than the time limit of a process test, so that a failure says what
 * was missing and not only that time ran out.
 */
const patience = 100

/**
 * Resolves like `wanted`; after the time limit it rejects with an error that says what was waited for. A caller that no
 * longer waits need not catch the error.
 */
export function within<T>(what: () => string, wanted: Promise<T>, seconds = patience): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`Waited ${seconds} s for this: ${what()}.`)), seconds * 1000)
    timer.unref()
  })
  const first = Promise.race([wanted, late]).finally(() => clearTimeout(timer))
  first.catch(() => {})
  return first
}
