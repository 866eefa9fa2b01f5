/**
 * The default time limit in seconds. It is shorter than the time limit of a process test, so that the error of a
 * failure says what was missing.
 */
const patience = 100

/**
 * Resolves when the promise `wanted` resolves; at the time limit it rejects with an error that says what was awaited. A
 * caller that no longer needs the result may ignore the rejection.
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
