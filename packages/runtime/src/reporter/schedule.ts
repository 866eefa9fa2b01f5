/** When the reporter sends (D18). All in milliseconds of one monotonic clock; `chance` is a number from 0 to 1. */
import { limits } from '@svc/protocol'

/** Reporters that start together do not arrive together. */
export const firstReport = (now: number, chance: number, second: number): number => now + chance * 5 * second

/**
 * The next report after the one begun at `last`. A failed one changes nothing about it: there is no immediate retry, and
 * a report that took longer than the interval only skips the turns it missed. No two come closer than `least`.
 */
export function nextReport(
  last: number,
  now: number,
  { interval, chance, minWait = 0 }: { interval: number; chance: number; minWait?: number },
): number {
  const step = Math.max(interval * (0.85 + 0.3 * chance), minWait)
  return last + step * Math.max(1, Math.ceil((now - last) / step))
}

/** Between two reports, in floors: the service takes 60 a minute (7), and a restart makes one more. */
export const minFloors = 1.1

export const firstInterval: number = limits.intervalSeconds
