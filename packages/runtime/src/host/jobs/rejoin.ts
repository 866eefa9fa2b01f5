/**
 * Corrects the note about jobs after a time without a host agent, and after the clock was set back. Without a host
 * agent, nobody sees whether lines of the crontab are removed and put back, so it is unknown which jobs were due. The
 * functions are pure; times are Unix seconds.
 */
import { jobFactsOf } from './facts.ts'
import { judgeJob } from './judge.ts'
import { lateNote } from './overdue.ts'
import type { FoundJobs } from './reader.ts'
import type { SeenJobs } from './seen.ts'

/** A shorter time without a host agent changes nothing: it is a restart or an update of svc. */
const shortSeconds = 15 * 60

/**
 * Returns the note for a host agent that starts at `now`, on a machine that started at `boot`. If the machine was on
 * without a host agent, a job that was not overdue at the last look is due at its next time after `now`. If the machine
 * was off, nothing changes, since the job really did not run.
 */
export function seenAfterBreak(seenJobs: SeenJobs, found: FoundJobs, { now, boot, zone }: MachineNow): SeenJobs {
  const from = seenJobs.looked ?? seenJobs.read
  if (from === undefined || now - Math.max(from, boot) < shortSeconds) return seenJobs
  const context = { now: from, zone, woke: seenJobs.woke, slept: seenJobs.slept }
  const overdue = jobFactsOf(found, seenJobs, zone)
    .map((facts) => judgeJob(facts, context))
    .filter(({ isOverdue }) => isOverdue)
  const stays = new Set(overdue.map(({ name }) => name))
  return {
    ...seenJobs,
    lines: seenJobs.lines.map((line) => (stays.has(line.name) ? line : { ...line, since: Math.floor(now) })),
  }
}

interface MachineNow {
  readonly now: number
  /** When the machine started. */
  readonly boot: number
  readonly zone: string
}

/** Returns the note with a list of the jobs that were overdue at the last look before the clock was set back. */
export function keepOverdue(seenJobs: SeenJobs, found: FoundJobs, { from, now, zone }: SetBack): SeenJobs {
  const context = { now: from, zone, woke: seenJobs.woke, slept: seenJobs.slept }
  const late = jobFactsOf(found, seenJobs, zone)
    .map((facts) => judgeJob(facts, context))
    .flatMap(({ name, isOverdue, due, runs }) =>
      isOverdue && due !== undefined ? [lateNote(name, Math.min(due - (from - now), now), runs)] : [],
    )
  return late.length === 0 && seenJobs.late === undefined ? seenJobs : { ...seenJobs, late }
}

interface SetBack {
  /** The time of the last look before the clock was set back, by the old clock. */
  readonly from: number
  /** The time now, by the new clock. */
  readonly now: number
  readonly zone: string
}
