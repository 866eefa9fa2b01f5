/**
 * The rule `service`: in a workspace it is about its channels, in `@service` about the service itself. Each thing that can be
 * wrong is a subject of its own, so one does not hide another. Pure.
 */
import type { Finding } from './conditions.ts'
import type { About } from './store.ts'

const minute = 60_000
const failingFor = 60 * minute
const minDiskShare = 0.1
const maxBackupAge = 7 * 24 * 60 * minute
const maxClockJump = 5 * minute
const maxLag = minute
/** A jump of the clock stays an alert for so long, since nothing undoes it. */
const jumpShownFor = 60 * minute

export interface ChannelFacts {
  id: string
  name: string
  enabled: boolean
  /** The reason for which it was disabled; null where a person did it. */
  disabledWhy: string | null
  failingSince: number | null
}

/** A channel keeps failing, or was disabled since its deliveries were not taken. One that a person disabled is no trouble. */
export function channelFinding({ enabled, disabledWhy, failingSince }: ChannelFacts, now: number): Finding {
  if (!enabled) return disabledWhy === null ? { is: 'over' } : { is: 'holds', label: 'it was disabled' }
  if (failingSince === null || now - failingSince < failingFor) return { is: 'clear' }
  return { is: 'holds', since: failingSince, label: 'nothing was taken for an hour' }
}

export const aboutChannel = ({ id, name }: Pick<ChannelFacts, 'id' | 'name'>): About => ({
  kind: 'service',
  id: `channel ${id}`,
  name: `The channel ${name}`,
})

export interface ServiceFacts {
  /** From 0 to 1; null: not known. */
  diskFree: number | null
  /** Null: there never was one. */
  lastBackupAt: number | null
  /** The last time at which the clock jumped, and by how much. */
  clockJump: { at: number; by: number } | null
  /** When an evaluation was last completed; null: none was. */
  evaluatedAt: number | null
}

const subjects = {
  disk: 'The disk of the service',
  backup: 'The backup of the service',
  clock: 'The clock of the service',
  evaluation: 'The evaluation of alerts',
} as const
type Subject = keyof typeof subjects

const finders: Readonly<Record<Subject, (facts: ServiceFacts, now: number) => Finding>> = {
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
}

const when = (holds: boolean, label: () => string): Finding =>
  holds ? { is: 'holds', label: label() } : { is: 'clear' }

/** Everything that can be wrong with the service itself. */
export const serviceFindings = (facts: ServiceFacts, now: number): { about: About; finding: Finding }[] =>
  (Object.keys(subjects) as Subject[]).map((id) => ({
    about: { kind: 'service', id, name: subjects[id] },
    finding: finders[id](facts, now),
  }))

export interface Clocks {
  wall: number
  mono: number
}

/** The part of the time between two looks that only the wall clock has seen. */
export const jumpBetween = (before: Clocks, after: Clocks): number =>
  after.wall - before.wall - (after.mono - before.mono)

export interface Alive {
  /** The last write of the database that went through. */
  wroteAt: number | null
  evaluatedAt: number | null
  /** The earliest delivery that waits to be tried. */
  oldestDueAt: number | null
}

const overdueAfter = 2 * minute

/** True where the heartbeat may go out: a service that cannot alert must not look alive to its watcher. */
export const mayBeat = ({ wroteAt, evaluatedAt, oldestDueAt }: Alive, now: number): boolean =>
  wroteAt !== null &&
  now - wroteAt <= maxLag &&
  evaluatedAt !== null &&
  now - evaluatedAt <= maxLag &&
  (oldestDueAt === null || now - oldestDueAt <= overdueAfter)
