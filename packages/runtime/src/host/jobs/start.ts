/**
 * Starts the command of a job with the same process state as without svc. Node resets ignored signals, closes most open
 * files, raises the limit of open files, and damages arguments that are not valid UTF-8. If that changes anything for
 * the command, `/bin/sh` is started instead: its script restores the state and then becomes the command.
 */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { fstatSync, readFileSync, statSync } from 'node:fs'
import { codeOf, messageOf } from '../../machine/base/errors.ts'
import { type LauncherState, signalsIn, softLimitOf, stdioOf } from './launched.ts'
import type { RunEnd } from './run-end.ts'

/** The command of a job, and what svc changes for it. */
export interface JobCommand {
  /** The program and its arguments. */
  readonly words: readonly string[]
  /** The variables that svc adds to the environment of the command. */
  readonly variables: Readonly<Record<string, string>>
  /** The file that replaces standard output and error. */
  readonly output?: number | undefined
  /** True to give the command a session of its own. */
  readonly ownSession: boolean
}

/**
 * Starts the command and returns its process id. `ends` is called once. If the command cannot be started, `ends` gets
 * the error, and the returned process id is undefined.
 */
export function startJob(
  command: JobCommand,
  launched: LauncherState,
  ends: (how: RunEnd, why?: string) => unknown,
): number | undefined {
  launched.taken = true
  const fails = (code: string, why: string) => {
    // The shell that started this program can still run the command, since it needs no new process or file for that.
    if (noRoom.includes(code)) launched.giveBack?.()
    ends({ error: code }, why)
  }
  try {
    const child = tryStart(command, launched)
    let over = false
    const end = (how: RunEnd) => {
      if (!over) ends(how)
      over = true
    }
    child.on('error', (error) => {
      if (child.pid !== undefined || over) return
      over = true
      fails(codeOf(error) ?? '', messageOf(error))
    })
    child.on('exit', (code, signal) => end(signal === null ? { code: code ?? 0 } : { signal }))
    return child.pid
  } catch (error) {
    fails(command.words[0] === '' ? 'ENOENT' : (codeOf(error) ?? ''), messageOf(error))
    return undefined
  }
}

/** The codes of the system if this process has no room to start another one. */
const noRoom: readonly string[] = ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE', 'E2BIG']

function tryStart({ words, variables, output, ownSession }: JobCommand, launched: LauncherState): ChildProcess {
  const { raw, env: given } = environment(launched)
  const env = { ...given, ...variables }
  const common = { env, detached: ownSession } as const
  const own = stdioOf(launched)
  const stdio: Stdio = (output === undefined ? own : [own[0], output, output]).map((fd) => fd ?? 'ignore')
  const restored = undefinedIfFails(() => {
    const files = openAmong(launched.files ?? '')
    const closed = [0, 1, 2].filter((fd) => stdio[fd] === 'ignore')
    const script = shellScript(words, { env, raw, closed }, launched)
    const [file = '', ...args] = script === undefined ? words : ['/bin/sh', '-c', script, 'svc-exec', ...words]
    if (script !== undefined || files.length > 0)
      return spawn(file, args, { ...common, stdio: withFiles(stdio, files) })
    return undefined
  })
  return restored ?? spawn(words[0] ?? '', words.slice(1), { ...common, stdio })
}

/** Returns undefined if `make` fails, since a failure here must not keep the command from running. */
function undefinedIfFails<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

type Stdio = Exclude<StdioOptions, string>

/** Passes open files to the command under the same numbers. Numbers between them stay closed. */
function withFiles(stdio: Stdio, files: readonly number[]): Stdio {
  const all = [...stdio]
  for (const file of files) {
    while (all.length < file) all.push('ignore')
    all[file] = file
  }
  return all
}

const openAmong = (files: string): number[] =>
  files
    .split(' ')
    .filter(Boolean)
    .map(Number)
    .filter((fd) => {
      try {
        return fd > 2 && fstatSync(fd) !== undefined
      } catch {
        return false
      }
    })

interface Environment {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Returns the variables as bytes, each `NAME=VALUE`. */
  readonly raw: () => readonly Buffer[]
}

/**
 * Returns the environment that the command would have without svc: the one that a waiting launcher passes on, or that
 * of this process without the variables that the start of svc sets. For `svc exec`, only the first line of `svc.pyz`
 * sets MALLOC_ARENA_MAX. If svc was started in another way, the value is the user's own and stays.
 */
function environment({ jobs, environment: told }: LauncherState): Environment {
  if (told) {
    const all = entriesIn(told)
    const pairs = all.map((entry): [string, string] => {
      const text = entry.toString()
      const at = text.indexOf('=')
      return [text.slice(0, at), text.slice(at + 1)]
    })
    return { env: Object.fromEntries(pairs.filter(([name]) => name !== '')), raw: () => all }
  }
  const { SVC_STARTED_AS: python, MALLOC_ARENA_MAX: arenas, ...rest } = process.env
  const ownArenas = arenas === '1' && jobs === undefined && python === undefined
  const env = arenas === undefined || ownArenas ? rest : { ...rest, MALLOC_ARENA_MAX: arenas }
  return { env, raw: () => listOf('/proc/self/environ') }
}

/**
 * Returns a shell script that restores what Node changes, and then becomes the command in its arguments. Undefined if
 * there is nothing to restore. If all words and variables are valid UTF-8, it is also undefined if a shell would change
 * the environment.
 */
function shellScript(
  words: readonly string[],
  { closed, ...all }: Environment & { readonly closed: readonly number[] },
  { ignored = '', openFiles = '', core = '' }: LauncherState,
): string | undefined {
  const { args, variables } = process.platform === 'linux' ? damaged(words, all) : nothing
  const lines = [
    ...signalsIn(ignored).map((signal) => `trap '' ${signal}`),
    ...(/^\d+$/.test(openFiles) && openFiles !== softLimitOf('self')
      ? [`ulimit -S -n ${openFiles} 2>/dev/null || :`]
      : []),
    ...(/^(?:[1-9]\d*|unlimited)$/.test(core) ? [`ulimit -S -c ${coreBlocks(core)} 2>/dev/null || :`] : []),
    ...variables.map(([name, bytes]) => `${name}=${written(bytes)}`),
    ...closed.map((fd) => `exec ${fd}<&-`),
  ]
  if (lines.length === 0 && args.size === 0) return undefined
  if (args.size === 0 && variables.length === 0 && !passesShell(all.env)) return undefined
  const values = words.map((_, at) => {
    const bytes = args.get(at)
    return bytes ? written(bytes) : `"\${${at + 1}}"`
  })
  return `${lines.join('\n')}\nexec ${args.size === 0 ? '"$@"' : values.join(' ')}`
}

/** Converts a limit of core files to blocks of 512 bytes, the unit of `ulimit -c`. */
const coreBlocks = (bytes: string): string => (bytes === 'unlimited' ? bytes : String(Math.floor(Number(bytes) / 512)))

interface NonUtf8Words {
  /** The bytes of the words that are not valid UTF-8, by their positions. */
  readonly args: ReadonlyMap<number, Buffer>
  readonly variables: readonly (readonly [name: string, bytes: Buffer])[]
}
const nothing: NonUtf8Words = { args: new Map(), variables: [] }

/** Finds the words and the variables that Node has damaged, since they are not valid UTF-8. */
function damaged(words: readonly string[], { env, raw: entriesOf }: Environment): NonUtf8Words {
  const isDoubtful = (text: string | undefined): boolean => text?.includes('\ufffd') === true
  const names = Object.keys(env).filter((name) => isDoubtful(env[name]) && isIdentifier(name))
  if (names.length === 0 && !words.some(isDoubtful)) return nothing
  const raw = listOf('/proc/self/cmdline').slice(-words.length)
  const args = words.flatMap((word, at) => {
    const bytes = isDoubtful(word) ? raw[at] : undefined
    return bytes && bytes.toString() === word ? [[at, bytes] as const] : []
  })
  const entries = entriesOf()
  const variables = names.flatMap((name) => {
    const bytes = entries.find((entry) => entry.indexOf(`${name}=`) === 0)?.subarray(name.length + 1)
    return bytes && bytes.toString() === env[name] ? [[name, bytes] as const] : []
  })
  return { args: new Map(args), variables }
}

/** The entries of a file of /proc. A zero byte ends each of them. */
const listOf = (file: string): Buffer[] => entriesIn(readFileSync(file))

function entriesIn(bytes: Buffer): Buffer[] {
  const entries: Buffer[] = []
  for (let at = 0, end = bytes.indexOf(0); end >= 0; at = end + 1, end = bytes.indexOf(0, at))
    entries.push(bytes.subarray(at, end))
  return entries
}

/** Writes bytes as a word of a shell script. `$(…)` removes line ends at the end, so these are written after it. */
function written(bytes: Buffer): string {
  const text = bytes.toString('latin1')
  const ends = /\n*$/.exec(text)?.[0] ?? ''
  const octal = [...bytes.subarray(0, bytes.length - ends.length)].map(
    (byte) => `\\${byte.toString(8).padStart(3, '0')}`,
  )
  return `"$(printf '${octal.join('')}')${ends}"`
}

const isIdentifier = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name)

/**
 * True if a shell passes on this environment unchanged. A shell may drop names that are not identifiers, and it
 * corrects PWD.
 */
function passesShell(env: Readonly<Record<string, string | undefined>>): boolean {
  try {
    const [here, named] = [statSync('.'), statSync(env.PWD ?? '')]
    return here.ino === named.ino && here.dev === named.dev && Object.keys(env).every(isIdentifier)
  } catch {
    return false
  }
}
