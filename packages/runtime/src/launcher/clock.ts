/** The launcher's clock, and the marks of the starts of the agent's process. */
import { isTooFarAhead } from '@svc/protocol'

const wall = Date.now() - performance.now()
/** The time in Unix milliseconds. It never goes backwards while this process lives (D20). */
export const clock = (): number => Math.round(wall + performance.now())

/**
 * The mark of a start of the agent's process: the time of the start in Unix seconds with three decimals (2.12). The
 * mark is later than `before`, the previous mark, unless the clock was set back far since: then the mark is the present
 * time, because everything that the agent writes would seem older than a later mark.
 */
export function nextMark(before: string | undefined, wall: number): string {
  const last = Math.round(Number(before ?? 0) * 1000)
  const now = isTooFarAhead(last, wall) ? wall : Math.max(wall, last + 1)
  return (now / 1000).toFixed(3)
}
