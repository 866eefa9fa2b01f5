/**
 * Decides which folders of jobs are removed. A job whose name contains a date runs only once, and its folder would
 * otherwise be read at each look forever.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { FoundJobs } from './reader.ts'
import type { SeenJobs } from './seen.ts'

/** The seconds after the last run of a job without a schedule until its folder is removed. */
const keptSeconds = 400 * 86_400
/** Another run within this time shows that the clock is right: with one that is far ahead, all would look old. */
const recentSeconds = 7 * 86_400

/** The names of jobs without a schedule whose last run is long over, at `now` in Unix seconds. Pure. */
export function expired({ jobs }: Pick<FoundJobs, 'jobs'>, seen: SeenJobs, now: number): string[] {
  if (seen.read === undefined) return [] // the crontab may have any of them
  const isRecent = jobs.some(({ runs: [last] }) => last && last.started <= now && last.started > now - recentSeconds)
  if (!isRecent) return []
  const scheduled = new Set(seen.lines.map(({ name }) => name))
  return jobs
    .filter(({ name, note, runs }) => {
      const [last] = runs
      const isDone = last !== undefined && runs.every(({ status }) => status !== 'running')
      const hasTime = scheduled.has(name) || note?.every !== undefined || note?.cron !== undefined
      return isDone && !hasTime && Math.max(last.started, last.ended ?? 0) < now - keptSeconds
    })
    .map(({ name }) => name)
}

/** Removes the folders of these jobs. One that cannot be removed stays. */
export function removeFolders(jobs: string, names: readonly string[]): void {
  for (const name of names)
    try {
      rmSync(join(jobs, name), { recursive: true, force: true })
    } catch {
      // the next look tries again
    }
}
