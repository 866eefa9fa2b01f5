/**
 * Reads the lines of a crontab, and finds in them the jobs that svc records. A line names the job, and its fields are
 * the schedule of that job. The text of a line may hold passwords, so it never leaves the machine.
 */
import { type ExecCall, readCall } from './call.ts'
import { scheduleFault } from './schedule.ts'

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

/** A line of a crontab: one that runs a command, one without an effect, or one that cannot be read. */
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

/**
 * Returns the part of a command that cron passes to the shell: up to the first `%` without a backslash, with `\%` as
 * `%`.
 */
const beforePercent = (command: string): string => (/^(?:\\%|[^%])*/.exec(command)?.[0] ?? '').replaceAll('\\%', '%')

/** Reads a call, and the schedule of its `--cron`. If a shell would expand an argument, mistakes are not looked for. */
function readCallOf(args: readonly string[]): ExecCall {
  const { wrong, ...call } = readCall(args)
  const options = args.slice(0, args.includes('--') ? args.indexOf('--') : args.length)
  if (options.some((word) => /[$`]/.test(word))) return call
  const cron = call.cron === undefined ? undefined : scheduleFault(call.cron, call.tz)
  const faults = [...(wrong === undefined ? [] : [wrong]), ...(cron === undefined ? [] : [cron])]
  return { ...call, ...(faults.length > 0 && { wrong: faults.join(' ') }) }
}

// Finds the calls of `svc exec` in the command of a crontab line. It splits the command into words as a shell does, but
// expands nothing.

/** The words of a command that is not a list, pipe or group. */
interface SimpleCommand {
  readonly words: readonly string[]
  /** True for a command inside `$(…)`, whose output becomes words of the command after it. */
  readonly isInside: boolean
}

/** Returns the arguments of each call of `svc exec` in a command. */
function callsIn(command: string): (readonly string[])[] {
  const all = split(command)
  return all.flatMap(({ words, isInside }, at) => {
    const start = words.findIndex((word) => !isAssignment(word) && !keywords.has(word))
    const first = nameOf(words[start] ?? '')
    const rest = words.slice(start)
    const runs = runners.has(first) || (isInside && first === 'echo')
    const called = runs ? callAt(rest) : callAt(rest) === 0 ? 0 : -1
    if (called < 0) return runs ? rest.filter((word) => /\s/.test(word) && word.includes('svc')).flatMap(callsIn) : []
    const args = rest.slice(called + (nameOf(rest[called] ?? '') === 'svc-exec' ? 1 : 2))
    // In a crontab line that svc wrapped, the words of the job's command come after the `$(…)`.
    return [isInside && args.at(-1) === '--' ? [...args, ...(all[at + 1]?.words ?? [])] : args]
  })
}

/** Returns the position of `svc-exec`, or of `svc` before `exec`; -1 if there is none. */
const callAt = (words: readonly string[]): number =>
  words.findIndex((word, at) => {
    const name = nameOf(word)
    return name === 'svc-exec' || (/^svc(?:\.pyz)?$/.test(name) && words[at + 1] === 'exec')
  })

const nameOf = (word: string): string => word.slice(word.lastIndexOf('/') + 1)
const isAssignment = (word: string): boolean => /^[A-Za-z_]\w*=/.test(word)

/** Words of a shell that stand before a command. */
const keywords = new Set(['!', '{', 'if', 'then', 'else', 'elif', 'do', 'while', 'until'])

/** Programs that run, on this machine, the command that their arguments name. */
const runners = new Set([
  ...['exec', 'env', 'sudo', 'doas', 'su', 'runuser', 'nice', 'ionice', 'chrt', 'taskset', 'nohup', 'setsid'],
  ...['time', 'timeout', 'flock', 'chronic', 'cronic', 'stdbuf', 'systemd-cat', 'systemd-run', 'systemd-inhibit'],
  ...['sh', 'bash', 'dash', 'ksh', 'zsh', 'busybox', 'node', 'python', 'python3', 'eval'],
])

function split(text: string): SimpleCommand[] {
  const all: SimpleCommand[] = []
  const inside: boolean[] = []
  let words: string[] = []
  let word: string | undefined
  const endWord = () => {
    if (word !== undefined) words.push(word)
    word = undefined
  }
  const endCommand = () => {
    endWord()
    if (words.length > 0) all.push({ words, isInside: inside.at(-1) === true })
    words = []
  }
  for (let at = 0; at < text.length; ) {
    const quoted = quotedAt(text, at)
    const char = text[at] ?? ''
    if (quoted) word = (word ?? '') + quoted.word
    else if (/[ \t]/.test(char)) endWord()
    else if (char === '#' && word === undefined) break
    else if (char === '(') {
      const substitutes = word?.endsWith('$') === true
      if (substitutes) word = word === '$' ? undefined : word?.slice(0, -1)
      endCommand()
      inside.push(substitutes)
    } else if (char === ')') {
      endCommand()
      inside.pop()
    } else if (/[;|&\n`]/.test(char) && !(char === '&' && /[<>]$/.test(word ?? ''))) endCommand()
    else word = (word ?? '') + char
    at = quoted?.end ?? at + 1
  }
  endCommand()
  return all
}

/**
 * The quoted part of a word that begins at this position, and the position at which it ends; undefined if none begins
 * there.
 */
function quotedAt(text: string, at: number): { readonly word: string; readonly end: number } | undefined {
  const char = text[at]
  if (char === '\\') return { word: text[at + 1] ?? '', end: at + 2 }
  if (char !== "'" && char !== '"') return undefined
  let word = ''
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === char) return { word, end: end + 1 }
    if (char === '"' && text[end] === '\\' && /["\\$`]/.test(text[end + 1] ?? '')) end++
    word += text[end]
  }
  return { word, end: text.length }
}
