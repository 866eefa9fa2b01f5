/**
 * Reads the arguments of `svc exec`, which are also those of `svc-exec` and of lines in a crontab. A mistake never
 * hides the command: what can be read is returned together with what is wrong.
 */
import { shown } from '@svc/protocol'
import { isJobName, jobNameRule } from './paths.ts'

/** The schedule of a job, and how late it may start. Durations are in seconds. */
interface Timing {
  readonly every?: number
  readonly cron?: string
  /** The time zone of `cron`; if absent, that of the machine. */
  readonly tz?: string
  readonly grace?: number
}

/** The arguments of one call of `svc exec`. */
export interface ExecCall extends Timing {
  /** Absent if the arguments name no job, or their name is not valid. */
  readonly name?: string
  readonly timeout?: number
  readonly noOverlap: boolean
  readonly log: boolean
  /** The command and its arguments. Empty if there is nothing to run. */
  readonly command: readonly string[]
  /** One or more sentences about mistakes in the arguments. The command, if any, then runs without a record. */
  readonly wrong?: string
}

type Options = Omit<ExecCall, 'name' | 'command' | 'wrong'>

/**
 * The options that take a value. Each function returns the parsed option or, for a wrong value, a text about valid
 * ones.
 */
const valued: Readonly<Record<string, (value: string) => Partial<Options> | string>> = {
  '--every': (value) => durationOption(value, (every) => ({ every })),
  '--grace': (value) => durationOption(value, (grace) => ({ grace })),
  '--timeout': (value) => durationOption(value, (timeout) => ({ timeout })),
  '--cron': (cron) => (cron === '' ? "a schedule such as '0 3 * * *'" : { cron }),
  '--tz': (tz) => (tz === '' ? 'a time zone such as Europe/Berlin' : { tz }),
}
const flags: Readonly<Record<string, Partial<Options>>> = {
  '--no-overlap': { noOverlap: true },
  '--log': { log: true },
}

/** Reads the arguments that follow `svc exec`. It does not check the schedule of `--cron`. */
export function readCall(args: readonly string[]): ExecCall {
  const end = args.indexOf('--')
  const command = end < 0 ? [] : args.slice(end + 1)
  const [name = '', ...rest] = end < 0 ? args : args.slice(0, end)
  const named = isJobName(name) ? { name } : undefined
  const options = readOptions(rest)
  const faults = [
    ...(command.length > 0 ? [] : ['There is no command: it follows "--", after the options.']),
    ...(named ? [] : [`The first word must be the name of the job, ${jobNameRule}: got ${shown(name)}.`]),
    ...options.faults,
    ...contradictionsIn(options.read),
  ]
  return { ...named, ...options.read, command, ...(faults.length > 0 && { wrong: faults.join(' ') }) }
}

function readOptions(words: readonly string[]): { readonly read: Options; readonly faults: readonly string[] } {
  const faults: string[] = []
  let read: Options = { noOverlap: false, log: false }
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    const [option = '', attached] = split(word)
    if (Object.hasOwn(flags, word)) read = { ...read, ...flags[word] }
    else if (!Object.hasOwn(valued, option)) faults.push(`There is no option ${shown(word)}.`)
    else {
      const value = attached ?? words[++at]
      const meant = value === undefined ? 'a value' : (valued[option]?.(value) ?? '')
      if (typeof meant !== 'string') read = { ...read, ...meant }
      else faults.push(`${option} needs ${meant}: got ${value === undefined ? 'nothing' : shown(value)}.`)
    }
  }
  return { read, faults }
}

function contradictionsIn({ every, cron, tz }: Options): string[] {
  return [
    ...(every !== undefined && cron !== undefined ? ['A job has either --every or --cron, not both.'] : []),
    ...(tz !== undefined && cron === undefined ? ['--tz is the time zone of --cron, which is missing.'] : []),
  ]
}

const split = (word: string): readonly [option: string, value?: string] => {
  const at = word.startsWith('--') ? word.indexOf('=') : -1
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)]
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }
/** The longest duration, in seconds: more than thirty years. */
const maxDuration = 1e9

/** Reads a duration as seconds; undefined if it is not a whole number above 0 with a unit. */
export function readJobDuration(text: string): number | undefined {
  const [, count = '0', unit = 's'] = /^(\d{1,10})([smhd])$/.exec(text) ?? []
  const seconds = Number(count) * (units[unit] ?? 1)
  return seconds > 0 && seconds <= maxDuration ? seconds : undefined
}

/** The end of a sentence that says how a duration is written. */
export const durationForm = 'a whole number above 0 with s, m, h or d, such as 90m'

function durationOption(text: string, meant: (seconds: number) => Partial<Options>): Partial<Options> | string {
  const seconds = readJobDuration(text)
  return seconds === undefined ? durationForm : meant(seconds)
}
