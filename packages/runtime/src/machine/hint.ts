/**
 * Formats svc commands for hints. `commandHint` is for this terminal, where a hint can be pasted: it starts with the
 * words that started this process (`python3 svc.pyz`, `./svc.pyz`, `svc`) and names the folder given with --dir.
 * `plainHint` is for text that leaves the machine or stays in a file or log.
 */
import { basename, delimiter, dirname, join, resolve } from 'node:path'
import { canRun } from './programs/can-run.ts'

interface StartWords {
  /** The words that start the program when they are typed in the current folder. */
  readonly here: readonly string[]
  /** The words that start the program from any folder, with absolute paths where they are known. */
  readonly anywhere: readonly string[]
}
const byName: StartWords = { here: ['svc'], anywhere: ['svc'] }

let started = byName
/** The folder that the person gave with --dir; undefined without --dir, or if it is the current folder. */
let typedDir: string | undefined

/**
 * A command that the person at this terminal can paste. `dir` is the agent's folder; by default it is the folder given
 * to the running command.
 */
export const commandHint = (command: string, dir: string | undefined = typedDir): string =>
  [words(started.here), command, ...folderWords(dir)].join(' ')

/** A command that starts with `sudo` and can be pasted in any folder. */
export const sudoHint = (command: string, dir: string): string =>
  `sudo ${words(started.anywhere)} ${command} --dir ${shellQuoted(resolve(dir))}`

/** A command such as `svc logs`, for text that is read elsewhere or later. */
export const plainHint = (command: string): string => `svc ${command}`

type Example = string | { readonly before: string; readonly command: string }

/**
 * The examples that are printed below the help of a command. `before` are environment variables that are set in front
 * of a command.
 */
export function examples(...all: readonly Example[]): string {
  const lines = all.map((each) =>
    typeof each === 'string' ? commandHint(each) : `${each.before} ${commandHint(each.command)}`,
  )
  return `\n${all.length === 1 ? 'Example' : 'Examples'}:\n${lines.map((line) => `  $ ${line}`).join('\n')}`
}

/**
 * Records the words that started this process; before this call, hints say `svc`. The environment variable that
 * contains these words is removed, so that child processes do not inherit it.
 */
export function noteStart(): void {
  started = readStart({
    file: process.argv[1] ?? '',
    marker: process.env[marker],
    path: process.env.PATH ?? '',
    runs: canRun,
  })
  delete process.env[marker]
}
/** Records the folder that was given to the running command. */
export function noteDir(dir: string | undefined): void {
  typedDir = dir === undefined || resolve(dir) === process.cwd() ? undefined : dir
}

/** The environment variable in which the Python part of `svc.pyz` passes on the words that started it, as JSON. */
const marker = 'SVC_STARTED_AS'

/** Derives the words that start this program. `file` is `process.argv[1]`; `runs` says whether a file is executable. */
export function readStart({
  file,
  marker: noted,
  path,
  runs,
}: {
  readonly file: string
  readonly marker: string | undefined
  readonly path: string
  readonly runs: (file: string) => boolean
}): StartWords {
  const typed = readMarker(noted)
  if (typed) return { here: typed, anywhere: [...typed.slice(0, -1), absolute(typed.at(-1) ?? '', runs)] }
  if (/\.[cm]?[jt]s$/.test(file)) return sameWords('node', resolve(file))
  if (file === '') return byName
  const first = path.split(delimiter).find((folder) => folder !== '' && runs(join(folder, basename(file))))
  if (first !== undefined && resolve(first) === dirname(resolve(file)))
    return { here: [basename(file)], anywhere: [resolve(file)] }
  const before = runs(file) ? [] : ['node', '-e', 'require(process.argv[1])']
  const isPath = before.length === 0 ? file.includes('/') : /^(?:\.{0,2}\/)/.test(file)
  return {
    here: [...before, isPath ? file : `./${file}`],
    anywhere: [...before, resolve(file)],
  }
}

const sameWords = (...all: readonly string[]): StartWords => ({ here: all, anywhere: all })

function readMarker(noted: string | undefined): string[] | undefined {
  try {
    const parsed: unknown = JSON.parse(noted ?? '')
    return Array.isArray(parsed) && parsed.length > 0 && parsed.every((w) => typeof w === 'string') ? parsed : undefined
  } catch {
    return undefined
  }
}

/** The absolute path of a program. A bare name that is searched in PATH is returned unchanged. */
const absolute = (word: string, runs: (file: string) => boolean): string =>
  word.includes('/') || word.endsWith('.pyz') || runs(resolve(word)) ? resolve(word) : word

/** Quotes a word for a POSIX shell. */
export const shellQuoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
const words = (all: readonly string[]): string => all.map(shellQuoted).join(' ')
const folderWords = (dir: string | undefined): string[] => (dir === undefined ? [] : ['--dir', shellQuoted(dir)])
