/**
 * The clock of the service, as its answers show it. The service judges by its own clock how old a status file is, and the
 * clock of this machine may be wrong or be set. Pure; all times are milliseconds.
 */

/** The time of the service in an answer, and both clocks of this machine when the answer came. */
export interface ServiceClock {
  readonly at: number
  readonly now: number
  readonly mono: number
}

/** The two clocks of this machine: Unix time, and the monotonic clock. */
type MachineClocks = Pick<ServiceClock, 'now' | 'mono'>

/** A header has whole seconds, and an answer takes time, so clocks that differ by less count as the same. */
const sameMs = 60_000

/** Reads the header `Date` of an answer. */
export function serviceClock(date: string | undefined, clocks: MachineClocks): ServiceClock | undefined {
  const at = Date.parse(date ?? '')
  return Number.isNaN(at) ? undefined : { at, ...clocks }
}

/**
 * Converts a time by the clock of this machine to the clock of the service. The monotonic clock stands still while the
 * machine sleeps, and the other one may be set back, so the one that passed more tells how long ago the answer came.
 */
export function byService(time: number, clock: ServiceClock | undefined, { now, mono }: MachineClocks): number {
  if (clock === undefined) return time
  const passed = Math.max(now - clock.now, mono - clock.mono)
  const ahead = clock.at + passed - now
  return Math.abs(ahead) < sameMs ? time : time + ahead
}
