/** Decides which lines of a crontab become jobs, and which are restored. The functions are pure. */

import { isJobName } from '../jobs/paths.ts'
import { maxLineBytes, unwrapLine, wrapLine } from './wrapping.ts'

/** A line of a crontab that starts a command, or that cannot be read. */
export interface TableEntry {
  /** The number of the line, from 1. */
  readonly number: number
  /** `@reboot`, `@daily`, … or five fields. Absent if the line cannot be read. */
  readonly times?: string | undefined
  readonly command: string
  /** The shell that cron starts for the line. */
  readonly shell: string
  /** The job that the line runs already; an empty text if that job has no name. */
  readonly job?: string | undefined
}

/** A line of a crontab before and after a change. */
export interface LineChange {
  readonly number: number
  readonly name: string
  readonly before: string
  readonly after: string
}

/** A planned change of a crontab. */
export interface TablePlan {
  /** The whole table after the changes. */
  readonly text: string
  readonly changes: readonly LineChange[]
  /** The lines that stay as they are. `why` completes a sentence that begins with the line. */
  readonly left: readonly { readonly number: number; readonly why: string }[]
}

/**
 * Plans the table in which each line that can be a job becomes a job. `program` is the absolute path of `svc-exec`, and
 * each new job gets the command line options in `options`.
 */
export function planJobs(
  text: string,
  entries: readonly TableEntry[],
  program: string,
  options?: string | undefined,
): TablePlan {
  // A carriage return at the end of a line is kept, since cron takes it as a part of the command.
  const lines = text.split('\n')
  const taken = new Set(entries.flatMap(({ job }) => (job ? [job] : [])))
  const changes: LineChange[] = []
  const left: { number: number; why: string }[] = []
  for (const entry of entries) {
    const { number, command, shell } = entry
    const line = lines[number - 1] ?? ''
    const leave = (why: string) => left.push({ number, why })
    const why = whyLeft(entry)
    if (why !== undefined) {
      leave(why)
      continue
    }
    const name = jobNameOf(command, taken)
    const at = line.lastIndexOf(command)
    const after = wrapLine({ before: line.slice(0, at), command: line.slice(at) }, { program, name, shell, options })
    const bytes = Buffer.byteLength(after)
    if (bytes > maxLineBytes) leave(`would have ${bytes} bytes, and cron takes ${maxLineBytes}`)
    else {
      taken.add(name)
      changes.push({ number, name, before: line, after })
    }
  }
  return { text: replacedLines(text, changes), changes, left }
}

/** The names of the shells that understand a wrapped line. */
const shells: ReadonlySet<string> = new Set(['sh', 'dash', 'bash', 'ksh', 'zsh'])

/** Says why a line cannot become a job; undefined if it can. The length of the line is not checked here. */
function whyLeft({ times, command, shell, job }: TableEntry): string | undefined {
  if (times === undefined) return 'cannot be read'
  if (job !== undefined) return job === '' ? 'calls svc-exec already' : `is the job ${job} already`
  if (times === '@reboot') return 'runs when the machine starts, so nobody can say when it is due'
  if (command.startsWith('-')) return 'has a command that begins with "-"'
  const name = /^\/(?:[\w.+-]+\/)*([\w.+-]+)$/.exec(shell)?.[1]
  if (name === undefined || !shells.has(name)) return `has the shell ${shell}`
  return undefined
}

/** Plans the table in which each line that `svc adopt` wrapped is unwrapped. All other lines stay as they are. */
export function planRemoval(text: string): TablePlan {
  const lines = text.split('\n')
  const changes = lines.flatMap((before, at): LineChange[] => {
    const found = unwrapLine(before)
    return found ? [{ number: at + 1, name: found.name, before, after: found.text }] : []
  })
  return { text: replacedLines(text, changes), changes, left: [] }
}

/** The text of a table in which these changes have replaced lines. */
export function replacedLines(text: string, changes: readonly LineChange[]): string {
  const after = new Map(changes.map((change) => [change.number, change.after]))
  const lines = text.split('\n')
  return lines.map((line, at) => after.get(at + 1) ?? line).join('\n')
}

/** Returns the changes as a unified diff without context. `after` is the name of the new table in the diff. */
export function tableDiff({ changes }: Pick<TablePlan, 'changes'>, after = 'crontab with jobs'): string {
  if (changes.length === 0) return ''
  const hunks: LineChange[][] = []
  for (const change of changes) {
    const last = hunks.at(-1)
    if (last && last.at(-1)?.number === change.number - 1) last.push(change)
    else hunks.push([change])
  }
  return [
    '--- crontab',
    `+++ ${after}`,
    ...hunks.flatMap((hunk) => {
      const at = `${hunk[0]?.number}${hunk.length === 1 ? '' : `,${hunk.length}`}`
      return [`@@ -${at} +${at} @@`, ...hunk.map(({ before }) => `-${before}`), ...hunk.map(({ after }) => `+${after}`)]
    }),
    '',
  ].join('\n')
}

// Proposes names for the jobs of a crontab. The functions are pure.

/** The maximum length of the name of a job. */
const maxNameLength = 63

/** How the call of a program that starts another one is read. */
interface Starter {
  /** The options of one letter, and the long ones, that are followed by a word. */
  readonly letters?: string
  readonly options?: readonly string[]
  /** The number of words between the options and the other program. */
  readonly operands?: number
}

/** Programs that only start another program. A job is named after the other program. */
const starters = new Map<string, Starter>(
  Object.entries({
    exec: { letters: 'a' },
    env: { letters: 'uC', options: ['--unset', '--chdir'] },
    sudo: {
      letters: 'ughpCrtTUDR',
      options: ['--user', '--group', '--host', '--prompt', '--role', '--type', '--chdir', '--chroot'],
    },
    nice: { letters: 'n', options: ['--adjustment'] },
    ionice: { letters: 'cn', options: ['--class', '--classdata'] },
    nohup: {},
    time: { letters: 'fo', options: ['--format', '--output'] },
    timeout: { letters: 'ks', options: ['--kill-after', '--signal'], operands: 1 },
    flock: { letters: 'wE', options: ['--wait', '--timeout', '--conflict-exit-code'], operands: 1 },
    sh: { letters: 'o' },
    bash: { letters: 'oO', options: ['--rcfile', '--init-file'] },
    python: { letters: 'WX' },
    python3: { letters: 'WX' },
    node: { letters: 'r', options: ['--require', '--import'] },
    perl: {},
    php: { letters: 'cd' },
    ruby: { letters: 'Ir' },
  }),
)
const starterOf = (word: string): Starter | undefined => starters.get(word.slice(word.lastIndexOf('/') + 1))

/** True if the next word belongs to this option of a starter. */
const takesWord = (option: string, { letters = '', options = [] }: Starter): boolean =>
  options.includes(option) || (/^-\w+$/.test(option) && letters.includes(option.slice(-1)))

/**
 * Returns the name of the job that this command becomes: the file name, without its ending, of the first word that says
 * what the command does. The result differs from all names in `taken`.
 */
export function jobNameOf(command: string, taken: ReadonlySet<string>): string {
  const name = nameIn(wordsOf(command)) ?? 'job'
  const free = (wanted: string) => isJobName(wanted) && !taken.has(wanted)
  if (free(name)) return name
  for (let n = 2; ; n++) {
    const ending = `-${n}`
    const other = `${name.slice(0, maxNameLength - ending.length)}${ending}`
    if (free(other)) return other
  }
}

interface LineWord {
  readonly text: string
  /** `between`: an operator between two commands; `redirect`: the next word is the name of a file. */
  readonly is: 'word' | 'between' | 'redirect'
}

function nameIn(words: readonly LineWord[]): string | undefined {
  let starter: Starter = {}
  let operands = 0
  for (let at = 0; at < words.length; at++) {
    const { text, is } = words[at] as LineWord
    if (is === 'redirect') at++
    else if (is === 'between') operands = 0
    else if (text === 'cd' && words[at + 2]?.is === 'between') at += 2
    else if (/^-\w*c$/.test(text) && /\s/.test(words[at + 1]?.text ?? '')) {
      const inner = nameIn(wordsOf(words[at + 1]?.text ?? ''))
      if (inner !== undefined) return inner
      at++
    } else if (text.startsWith('-')) at += takesWord(text, starter) && words[at + 1]?.is === 'word' ? 1 : 0
    else if (operands > 0) operands--
    else if (starterOf(text)) {
      starter = starterOf(text) ?? {}
      operands = starter.operands ?? 0
    } else if (isAside(text)) continue
    else {
      const name = fitting(text)
      if (name !== undefined) return name
    }
  }
  return undefined
}

/** True for an assignment, a number and a duration. */
const isAside = (word: string): boolean => /^\w+=/.test(word) || /^\d+(?:\.\d+)?[smhd]?$/.test(word)

/** Turns the path of a program into the name of a job; undefined if no character of it can begin a name. */
function fitting(path: string): string | undefined {
  const file = path.replace(/\/+$/, '').split('/').at(-1) ?? ''
  const name = file
    .replace(/(?<=.)\.[^.]*$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]/g, '-')
    .replace(/^[._-]+/, '')
    .slice(0, maxNameLength)
  return name === '' ? undefined : name
}

/** Splits a command into words and operators, about as a shell does. Quotes are removed. */
function wordsOf(command: string): LineWord[] {
  const words: LineWord[] = []
  for (const [found] of command.matchAll(
    /\d*[<>]+&?\d*|&&|\|\||[;&|(){}!]|(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^\s;&|()<>])+/g,
  )) {
    if (/^\d*[<>]/.test(found)) words.push({ text: found, is: /&\d+$/.test(found) ? 'between' : 'redirect' })
    else if (/^[;&|(){}!]+$/.test(found)) words.push({ text: found, is: 'between' })
    else words.push({ text: found.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/g, '$1$2$3'), is: 'word' })
  }
  return words
}
