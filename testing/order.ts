/** Lets tests check the order of events, to prove that something does not happen too early. */

/**
 * True if the promise `event` resolves later than a timer of `ms` milliseconds that starts now. A busy machine can only
 * delay the event, so it cannot make a passing test fail.
 */
export async function comesAfter(ms: number, event: Promise<unknown>): Promise<boolean> {
  let over = false
  const timer = setTimeout(() => {
    over = true
  }, ms)
  await event
  clearTimeout(timer)
  return over
}
