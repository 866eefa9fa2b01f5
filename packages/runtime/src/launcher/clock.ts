/** The clocks that the launcher uses. */
import { isTooFarAhead } from '@svc/protocol'

const wall = Date.now() - performance.now()
/** The time in Unix milliseconds. It never goes backwards while this process lives (D20). */
export const clock = (): number => Math.round(wall + performance.now())

/**
 * The mark of a start of the agent's process: the time of the start in Unix seconds with three decimals (2.12). It is
 * later than `before`, the previous mark, so each start has its own mark. Only if the clock was set back far since the
 * previous start, the mark is the present time: a later one would make everything that the agent writes seem older than
 * its start.
 */
export function nextMark(before: string | undefined, wall: number): string {
  const last = Math.round(Number(before ?? 0) * 1000)
  const now = isTooFarAhead(last, wall) ? wall : Math.max(wall, last + 1)
  return (now / 1000).toFixed(3)
}
