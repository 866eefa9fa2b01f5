/**
 * Reads the lines of a crontab, and finds in them the jobs that svc records. A line names the job, and its fields are
 * the schedule of that job. The text of a line may hold passwords, so it never leaves the machine.
 */
import { type ExecCall, readCall } from './call.ts'
import { scheduleFault } from './schedule.ts'
import { callsIn } from './words.ts'

interface AnyLine {
  /** The number of the line; the first is 1. */
  readonly number: number
  /** The text of the line. All texts, joined by line breaks, are the table. */
  readonly text: string
}

/** A line whose command cron runs. */
export interface CrontabEntry extends AnyLine {
  readonly is: 'entry'
  /** The five fields, or a word such as `@daily`. */
  readonly fields: string
  /** The command as the line has it, with the input that follows a `%`. */
  readonly command: string
  /** The variables that lines above this one set. */
  readonly environment: Readonly<Record<string, string>>
  /** The calls of `svc exec` in the command; usually one or none. */
  readonly calls: readonly ExecCall[]
  /** A sentence about the fields if they cannot be read. */
  readonly wrong?: string
}

export type TableLine =
  | CrontabEntry
  | (AnyLine & { readonly is: 'assignment'; readonly name: string; readonly value: string })
  /** An empty line or a comment. */
  | (AnyLine & { readonly is: 'nothing' })
  | (AnyLine & { readonly is: 'unreadable' })

export function readCrontab(table: string): TableLine[] {
  let environment: Readonly<Record<string, string>> = {}
  return table.split('\n').map((text, index) => {
    const line = { number: index + 1, text }
    if (/^\s*(?:#|$)/.test(text)) return { ...line, is: 'nothing' }
    const assignment = readAssignment(text)
    if (assignment) {
      environment = { ...environment, [assignment.name]: assignment.value }
      return { ...line, is: 'assignment', ...assignment }
    }
    const [, fields, command] = /^\s*(@\S+|(?:\S+[ \t]+){4}\S+)[ \t]+(\S.*?)\r?$/s.exec(text) ?? []
    if (fields === undefined || command === undefined) return { ...line, is: 'unreadable' }
    const wrong = scheduleFault(fields)
    const calls = callsIn(beforePercent(command)).map(readCallOf)
    return { ...line, is: 'entry', fields, command, environment, calls, ...(wrong !== undefined && { wrong }) }
  })
}

function readAssignment(text: string): { readonly name: string; readonly value: string } | undefined {
  const [, written, rest] = /^\s*("[^"]+"|'[^']+'|[^\s="']+)\s*=\s*(.*?)\s*$/s.exec(text) ?? []
  if (written === undefined || rest === undefined) return undefined
  return { name: withoutQuotes(written), value: withoutQuotes(rest) }
}

const withoutQuotes = (text: string): string => /^(["'])(.*)\1$/s.exec(text)?.[2] ?? text

/** Cron gives a command only what comes before the first `%` that has no backslash, and removes those backslashes. */
const beforePercent = (command: string): string => (/^(?:\\%|[^%])*/.exec(command)?.[0] ?? '').replaceAll('\\%', '%')

/** Reads a call, and the schedule of its `--cron`. Arguments that a shell would expand cannot be judged here. */
function readCallOf(args: readonly string[]): ExecCall {
  const { wrong, ...call } = readCall(args)
  const options = args.slice(0, args.includes('--') ? args.indexOf('--') : args.length)
  if (options.some((word) => /[$`]/.test(word))) return call
  const cron = call.cron === undefined ? undefined : scheduleFault(call.cron, call.tz)
  const faults = [...(wrong === undefined ? [] : [wrong]), ...(cron === undefined ? [] : [cron])]
  return { ...call, ...(faults.length > 0 && { wrong: faults.join(' ') }) }
}
