/** The clocks that the launcher uses. */

const wall = Date.now() - performance.now()
/** The time in Unix milliseconds. It never goes backwards while this process lives (D20). */
export const clock = (): number => Math.round(wall + performance.now())

/**
 * The mark of a start of the agent's process: the time of the start in Unix seconds with three decimals (2.12). It is
 * always later than `before`, the mark of the start before, so each start has its own mark.
 */
export function nextMark(before: string | undefined, wall: number): string {
  const now = Math.max(wall, Math.round(Number(before ?? 0) * 1000) + 1)
  return (now / 1000).toFixed(3)
}
