/** The two clocks of the launcher. */

/** Unix milliseconds that never go backwards while this process lives (D20). */
const wall = Date.now() - performance.now()
export const clock = (): number => Math.round(wall + performance.now())

/**
 * The time of a start in Unix seconds with three decimals (2.12). It is later than the one before, so that it
 * identifies this start.
 */
export function nextMark(before: string | undefined, wall: number): string {
  const now = Math.max(wall, Math.round(Number(before ?? 0) * 1000) + 1)
  return (now / 1000).toFixed(3)
}
