/** Looks at what runs on this machine for this user. Nothing is written. */
import { fileNamesIn } from '../../machine/files/durable.ts'
import { readCrontab, type TableLine } from '../jobs/crontab.ts'
import { isJobName } from '../jobs/paths.ts'
import { planJobs, type TableEntry, type TablePlan } from './plan.ts'
import { readTable } from './table.ts'
import { isUnquotedPath } from './wrapping.ts'

/** The jobs that were found on this machine, and the lines of the crontab that can become jobs. */
export interface CrontabFacts {
  /** The number of lines in the crontab that start a command or cannot be read. */
  readonly lines: number
  /** The names of all jobs: those in the crontab, and those that have records. */
  readonly jobs: readonly string[]
  /** The present crontab, and the plan that turns its lines into jobs. */
  readonly crontab:
    | { readonly ok: true; readonly text: string; readonly plan: TablePlan }
    /** `why` completes a sentence that begins with "The crontab". */
    | { readonly ok: false; readonly why: string }
}

/**
 * Looks at the crontab, and at the folder with the records of jobs. `program` is the path of `svc-exec`, and each new
 * job gets the command line options in `options`.
 */
export async function readCrontabFacts(jobs: string, program: string, options?: string): Promise<CrontabFacts> {
  const recorded = namesOf(jobs)
  const table = await readTable()
  if (!table.ok) return { lines: 0, jobs: recorded, crontab: table }
  const { text } = table
  const entries = entriesOf(readCrontab(text))
  const called = entries.flatMap(({ job }) => (job ? [job] : []))
  return {
    lines: entries.length,
    jobs: [...new Set([...called, ...recorded])].sort(),
    crontab: isUnquotedPath(program)
      ? { ok: true, text, plan: planJobs(text, entries, program, options) }
      : { ok: false, why: `cannot call ${program}: a shell or cron would read that path differently. ${binHomeHint}` },
  }
}
const binHomeHint = 'Set XDG_BIN_HOME to a folder whose path has no blanks and no special characters'

/** The lines that start a command, and those that cannot be read. */
export const entriesOf = (lines: readonly TableLine[]): TableEntry[] =>
  lines.flatMap((line): TableEntry[] => {
    if (line.is === 'unreadable') return [{ number: line.number, command: '', shell: '' }]
    if (line.is !== 'entry') return []
    const { number, fields, command, environment, calls, wrong } = line
    return [
      {
        number,
        times: wrong === undefined ? fields : undefined,
        command,
        shell: environment.SHELL ?? '/bin/sh',
        ...(calls.length > 0 && { job: calls[0]?.name ?? '' }),
      },
    ]
  })

function namesOf(jobs: string): string[] {
  try {
    return fileNamesIn(jobs).filter(isJobName)
  } catch {
    return [] // the folder cannot be read, so nothing is known about its jobs
  }
}
