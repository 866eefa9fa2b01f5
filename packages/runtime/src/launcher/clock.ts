/** The two clocks of the launcher. */

/** Unix ms that never go back while this process lives (D20). */
const wall = Date.now() - performance.now()
export const clock = (): number => Math.round(wall + performance.now())

/** 2.12: the moment of a start, Unix seconds with three decimals; later than the one before, so that it marks this start alone. */
export function nextMark(before: string | undefined, wall: number): string {
  const now = Math.max(wall, Math.round(Number(before ?? 0) * 1000) + 1)
  return (now / 1000).toFixed(3)
}
