/** Tests the order of events, for what must not happen too early. */

/**
 * True if `event` comes after a timer of `ms` milliseconds that starts now. Load cannot make a late event early, so a passing test
 * stays green on a busy machine.
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
