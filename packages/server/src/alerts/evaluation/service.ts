/**
 * The rule `service`. In a workspace it judges the channels, and in the scope `@service` the channels of the service
 * and the service itself. Each thing that can be wrong has a separate subject and alert, so that one problem does not
 * hide another. Pure.
 */
import type { ConditionFinding } from '../rules/conditions.ts'
import type { SubjectRef } from '../store.ts'

const minute = 60_000
const failingFor = 60 * minute
const minDiskShare = 0.1
const maxBackupAge = 7 * 24 * 60 * minute
const maxClockJump = 5 * minute
const maxLag = minute
/**
 * The milliseconds for which the alert about a jump of the clock stays open. Nothing undoes a jump, so only time ends
 * the alert.
 */
const jumpShownFor = 60 * minute

/** The facts by which a channel is judged. */
export interface ChannelFacts {
  id: string
  name: string
  enabled: boolean
  /** The reason why the service disabled the channel; null if the channel is enabled or a person disabled it. */
  disabledWhy: string | null
  failingSince: number | null
}

/**
 * Judges a channel. The condition holds if the channel has failed for an hour, or if the service disabled it. A channel
 * that a person disabled is not a problem.
 */
export function channelFinding({ enabled, disabledWhy, failingSince }: ChannelFacts, now: number): ConditionFinding {
  if (!enabled) return disabledWhy === null ? { is: 'over' } : { is: 'holds', label: 'it was disabled' }
  if (failingSince === null || now - failingSince < failingFor) return { is: 'clear' }
  return { is: 'holds', since: failingSince, label: 'nothing was taken for an hour' }
}

export const channelSubject = ({ id, name }: Pick<ChannelFacts, 'id' | 'name'>): SubjectRef => ({
  kind: 'service',
  id: `channel ${id}`,
  name: `The channel ${name}`,
})

/** The facts by which the service itself is judged. */
export interface ServiceFacts {
  /** The share of the disk that is free, from 0 to 1; null if that is unknown. */
  diskFree: number | null
  /** The time of the last backup; null if none is known. */
  lastBackupAt: number | null
  /** The last jump of the clock: its time, and its size in milliseconds; null if there was none. */
  clockJump: { at: number; by: number } | null
  /** The time of the last complete evaluation of alerts; null if there was none. */
  evaluatedAt: number | null
  /** The time span whose changes the database lost; null if it lost none, or the operator has decided about them. */
  wentBack: { from: number | null; until: number } | null
}

const subjects = {
  disk: 'The disk of the service',
  backup: 'The backup of the service',
  clock: 'The clock of the service',
  evaluation: 'The evaluation of alerts',
  database: 'The database of the service',
} as const
type Subject = keyof typeof subjects

const finders: Readonly<Record<Subject, (facts: ServiceFacts, now: number) => ConditionFinding>> = {
  disk: ({ diskFree }) =>
    diskFree === null
      ? { is: 'unknown' }
      : when(diskFree < minDiskShare, () => `${Math.floor(diskFree * 100)}% is free`),
  backup: ({ lastBackupAt }, now) =>
    when(lastBackupAt !== null && now - lastBackupAt > maxBackupAge, () => 'there was none for 7 days'),
  clock: ({ clockJump }, now) =>
    when(
      clockJump !== null && Math.abs(clockJump.by) > maxClockJump && Math.abs(now - clockJump.at) < jumpShownFor,
      () => `it jumped by ${Math.round((clockJump?.by ?? 0) / minute)} minutes`,
    ),
  evaluation: ({ evaluatedAt }, now) =>
    when(evaluatedAt !== null && now - evaluatedAt > maxLag, () => 'it is more than a minute behind'),
  database: ({ wentBack }) =>
    when(wentBack !== null, () => 'it went back and lost changes: run svc-server database status'),
}

const when = (holds: boolean, label: () => string): ConditionFinding =>
  holds ? { is: 'holds', label: label() } : { is: 'clear' }

/** Judges everything that can be wrong with the service itself. */
export const serviceFindings = (facts: ServiceFacts, now: number): { about: SubjectRef; finding: ConditionFinding }[] =>
  (Object.keys(subjects) as Subject[]).map((id) => ({
    about: { kind: 'service', id, name: subjects[id] },
    finding: finders[id](facts, now),
  }))

/** A reading of the wall clock and the monotonic clock, in milliseconds. */
export interface Clocks {
  wall: number
  mono: number
}

/**
 * The size of the clock's jump between two readings: the time that passed by the wall clock, minus the time by the
 * monotonic clock.
 */
export const jumpBetween = (before: Clocks, after: Clocks): number =>
  after.wall - before.wall - (after.mono - before.mono)

/** The facts that decide whether the heartbeat may be sent. */
export interface NodeActivity {
  /** The time of the last successful write to the database; null if there was none. */
  wroteAt: number | null
  evaluatedAt: number | null
  /** When this node last checked for due deliveries; null if it never did. */
  lookedAt: number | null
  /** The earliest time at which a message that still waits for a working channel was due; null if there is none. */
  dueAt: number | null
}

const overdueAfter = 2 * minute

/**
 * True if the heartbeat may be sent. A service that cannot send alerts must not look alive to the receiver of the
 * heartbeat. A single channel that fails does not stop the heartbeat: the rule `service` of its workspace judges it.
 */
export const maySendHeartbeat = ({ wroteAt, evaluatedAt, lookedAt, dueAt }: NodeActivity, now: number): boolean =>
  [wroteAt, evaluatedAt, lookedAt].every((at) => at !== null && now - at <= maxLag) &&
  (dueAt === null || now - dueAt <= overdueAfter)
