/**
 * Writes the option `--log` into the lines of a crontab that start a job, and removes it again. A new line is parsed
 * again, and used only if nothing else in it has changed. The functions are pure.
 */
import { type CrontabEntry, readCrontab } from '../jobs/crontab.ts'
import { type LineChange, replacedLines, type TablePlan } from './plan.ts'
import { maxLineBytes, unwrapLine } from './wrapping.ts'

/** The sentences that tell a person where the output goes after the change of the crontab. */
export const outputWords = {
  kept: 'The output of these commands goes to a file then, so cron mails none of it. Admins of the page can request it.',
  mailed: 'The output of these commands goes to cron again, which may mail it.',
} as const

/**
 * Plans the table in which the output of a job is kept or not. Lines that already have the right option are not
 * changed. `left` names the lines of the job that svc cannot change.
 */
export function planOutput(text: string, job: string, isKept: boolean): TablePlan {
  const changes: LineChange[] = []
  const left: { number: number; why: string }[] = []
  for (const line of readCrontab(text)) {
    if (line.is !== 'entry' || !isToChange(line, job, isKept)) continue
    const { number, text: before } = line
    const after = changed(line, job, isKept)
    const bytes = Buffer.byteLength(after ?? '')
    if (after === undefined) left.push({ number, why: 'starts the job in a way that svc does not change' })
    else if (bytes > maxLineBytes)
      left.push({ number, why: `would have ${bytes} bytes, and cron takes ${maxLineBytes}` })
    else changes.push({ number, name: job, before, after })
  }
  return { text: replacedLines(text, changes), changes, left }
}

/** True if the crontab starts this job. */
export const startsJob = (text: string, job: string): boolean =>
  readCrontab(text).some((line) => line.is === 'entry' && line.calls.some(({ name }) => name === job))

const isToChange = ({ calls }: Pick<CrontabEntry, 'calls'>, job: string, isKept: boolean): boolean =>
  calls.some(({ name, log }) => name === job && log !== isKept)

/** The line with the option added or removed; undefined if svc cannot do that without changing anything else in it. */
function changed(line: CrontabEntry, job: string, isKept: boolean): string | undefined {
  let entry = line
  while (isToChange(entry, job, isKept)) {
    const next = candidates(entry.text, job, isKept)
      .map((text) => entryIn(text))
      .find(
        (one) =>
          one !== undefined && isSame(one, entry) && countWithLog(one, job, isKept) > countWithLog(entry, job, isKept),
      )
    if (next === undefined) return undefined
    entry = next
  }
  return entry.text
}

/**
 * Returns variants of the line. Each has the option added or removed at another place that may be the call of the job.
 */
function candidates(text: string, job: string, isKept: boolean): string[] {
  const name = job.replaceAll('.', String.raw`\.`)
  const place = isKept
    ? new RegExp(String.raw`exec[ \t]+${name}(?=[ \t])`, 'g')
    : new RegExp(String.raw`exec[ \t]+${name}[ \t](?:[^\n]*?[ \t])??(?=--log[ \t])`, 'g')
  return [...text.matchAll(place)].map(({ 0: found, index }) => {
    const end = index + found.length
    return isKept ? `${text.slice(0, end)} --log${text.slice(end)}` : `${text.slice(0, end)}${text.slice(end + 6)}`
  })
}

function entryIn(text: string): CrontabEntry | undefined {
  const [line] = readCrontab(text)
  return line?.is === 'entry' ? line : undefined
}

const countWithLog = ({ calls }: CrontabEntry, job: string, isKept: boolean): number =>
  calls.filter(({ name, log }) => name === job && log === isKept).length

/** True if two lines differ in nothing but the option `--log`. */
const isSame = (one: CrontabEntry, other: CrontabEntry): boolean =>
  one.fields === other.fields &&
  unwrapLine(one.text)?.text === unwrapLine(other.text)?.text &&
  JSON.stringify(one.calls.map(withoutLog)) === JSON.stringify(other.calls.map(withoutLog))

const withoutLog = ({ log: _, ...call }: CrontabEntry['calls'][number]) => call
