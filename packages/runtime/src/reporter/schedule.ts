/**
 * Decides when the reporter sends (D18). All times are milliseconds of one monotonic clock; `chance` is a number from 0
 * to 1.
 */
import { limits } from '@svc/protocol'

/**
 * The time of the first report. It is random, so that reporters which start at the same moment do not report at the
 * same moment.
 */
export const firstReport = (now: number, chance: number, second: number): number => now + chance * 5 * second

/**
 * The time of the next report, after the one that started at `last`. A failed report is not repeated early, and a
 * report that took longer than the interval only skips the turns it missed. Two reports are at least `minWait` apart.
 */
export function nextReport(
  last: number,
  now: number,
  { interval, chance, minWait = 0 }: { interval: number; chance: number; minWait?: number },
): number {
  const step = Math.max(interval * (0.85 + 0.3 * chance), minWait)
  return last + step * Math.max(1, Math.ceil((now - last) / step))
}

/**
 * The minimum wait between two reports, as a multiple of `floor()`, which is one second by default. The service accepts
 * 60 reports a minute (7), and a restart of the reporter adds one more.
 */
export const minFloors = 1.1

export const firstInterval: number = limits.intervalSeconds
