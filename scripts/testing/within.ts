/**
 * In seconds. It is less than the timeout of a process test, so that a failure says what was missing and not only that
 * time ran out.
 */
const patience = 100

/**
 * The result of `wanted`, or after that time an error that says what was waited for. A caller that no longer waits need
 * not catch it.
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
