/** Less than a test may take, so that a failure says what did not come instead of that time ran out. */
const patience = 100

/** Something that will be told, or after 100 s an error that says what it was. Whoever no longer waits need not catch it. */
export function within<T>(what: () => string, wanted: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`In ${patience} s this did not come: ${what()}.`)), patience * 1000)
    timer.unref()
  })
  const first = Promise.race([wanted, late]).finally(() => clearTimeout(timer))
  first.catch(() => {})
  return first
}
