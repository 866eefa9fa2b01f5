/** The order of events, for tests of what must not happen too early. */

/**
 * Whether `event` comes only after a timer of `ms` milliseconds that begins now. A busy machine makes an early event later, never a
 * late one earlier, so the answer is the same under load.
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
