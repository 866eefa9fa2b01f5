/** The note `job.json` of a job: its schedule as the command or a person gave it, and when it was first given. */
import { join } from 'node:path'
import { exactText, type FieldValue, field, integer, object, oneOf } from '@svc/protocol/fields'
import type { ExecCall } from './call.ts'
import { readOwnJson, replaceJson } from './files.ts'
import { isJobName } from './paths.ts'

const name = field((v) => (typeof v === 'string' && isJobName(v) ? v : undefined), { type: 'string' })

/** The schedule of a job. Durations are in seconds. An option that was not given is absent. */
const job = object(
  {
    name,
    every: integer(1),
    cron: exactText(1000),
    tz: exactText(100),
    grace: integer(1),
    timeout: integer(1),
    /** When this schedule was first given, in Unix seconds. */
    since: integer(0),
    /** The source of the schedule: `svc exec` (`command`, also if absent) or `svc jobs expect` (`person`). */
    by: oneOf(['command', 'person']),
  },
  'name',
)
export type Job = Readonly<FieldValue<typeof job>>

const fileOf = (folder: string): string => join(folder, 'job.json')

/** Reads the note in the folder of a job. Undefined if it is missing or cannot be read. */
export const readJob = (folder: string): Job | undefined => readOwnJson(fileOf(folder), job)

export const writeJob = (folder: string, value: Job): void => replaceJson(fileOf(folder), value)

/**
 * Returns the note after a run was started with this call at `now`, in Unix seconds. A schedule in the call replaces
 * any other. If the call has none, the schedule of an earlier call is dropped, and that of a person stays.
 */
export function jobAfter(before: Job | undefined, name: string, call: ExecCall, now: number): Job {
  const { every, cron, tz, grace, timeout } = call
  const limit = timeout === undefined ? {} : { timeout }
  if (every === undefined && cron === undefined) {
    if (before?.by !== 'person') return { name, ...(grace !== undefined && { grace }), ...limit }
    const { timeout: _, ...kept } = before
    return { ...kept, name, ...limit }
  }
  return {
    name,
    ...(every !== undefined && { every }),
    ...(cron !== undefined && { cron }),
    ...(tz !== undefined && { tz }),
    ...(grace !== undefined && { grace }),
    ...limit,
    since: scheduleSince(before, { every, cron, tz }) ?? now,
    by: 'command',
  }
}

/** The time at which this schedule was first given, if the note `before` has the same one; otherwise undefined. */
export const scheduleSince = (
  before: Job | undefined,
  { every, cron, tz }: { readonly [K in 'every' | 'cron' | 'tz']: Job[K] | undefined },
): number | undefined =>
  before?.every === every && before?.cron === cron && before?.tz === tz ? before?.since : undefined
