/**
 * Decides when the reporter sends (D18). All times are milliseconds of one monotonic clock; `chance` is a number from 0
 * to 1.
 */
import { limits } from '@svc/protocol'

/** The time of the first report. It is random, so that reporters that start together do not report together. */
export const firstReport = (now: number, chance: number, second: number): number => now + chance * 5 * second

/**
 * The time of the report after the one started at `last`. A failure changes nothing, so there is no immediate retry,
 * and a report that took longer than the interval only skips the turns it missed. Two reports are at least `minWait`
 * apart.
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
 * The minimum wait between two reports, as a multiple of `floor()`: the service takes 60 a minute (7), and a restart
 * adds one report.
 */
export const minFloors = 1.1

export const firstInterval: number = limits.intervalSeconds
