/**
 * A job that is overdue when the clock of the machine is set back stays so until a run begins, or until the run ends that
 * did not: its times say less then, but nothing has happened. Pure; times are Unix seconds.
 */
import type { ShownRun } from './reader.ts'
import type { SeenJobs } from './seen.ts'

type Late = NonNullable<SeenJobs['late']>[number]

/** The note of a job that is overdue since this time. */
export function lateNote(name: string, since: number, runs: readonly ShownRun[]): Late {
  const oldest = runs.findLast(isAlive)
  const run = (oldest ?? runs[0])?.id
  return { name, since: Math.floor(since), lives: oldest !== undefined, ...(run !== undefined && { run }) }
}

/** Returns since when a job is overdue by its note; undefined if it has none, or if that is over. */
export function lateSince(late: Late | undefined, runs: readonly ShownRun[]): number | undefined {
  if (late === undefined) return undefined
  const stays = late.lives ? runs.some((run) => run.id === late.run && isAlive(run)) : runs[0]?.id === late.run
  return stays ? late.since : undefined
}

const isAlive = ({ status }: ShownRun): boolean => status === 'running'
