/** Seconds. Less than a test of processes may take, so that a failure says what did not come instead of that time ran out. */
const patience = 100

/** What is awaited, or after that time an error that says what it was. A caller that no longer waits need not catch it. */
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
