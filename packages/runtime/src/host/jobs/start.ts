/**
 * Starts the command of a job so that it finds what it would find without svc. Node starts a program with default
 * signals, without most open files, with another limit of open files, and with arguments that are valid UTF-8. Where
 * that makes a difference, a shell stands between: it restores these and becomes the command.
 */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { fstatSync, readFileSync, statSync } from 'node:fs'
import { codeOf, messageOf } from '../../machine/base/errors.ts'
import { type Launched, signalsIn, softLimitOf } from './launched.ts'
import type { RunEnd } from './run-end.ts'

export interface JobCommand {
  /** The program and its arguments. */
  readonly words: readonly string[]
  /** The variables that the command gets besides those of this process. */
  readonly variables: Readonly<Record<string, string>>
  /** The file that replaces standard output and error. */
  readonly output?: number | undefined
  /** True to give the command a session of its own. */
  readonly ownSession: boolean
}

/** Starts the command. `ends` is called once; also if it cannot be started, and then the process id is undefined. */
export function start(
  command: JobCommand,
  launched: Launched,
  ends: (how: RunEnd, why?: string) => unknown,
): number | undefined {
  launched.taken = true
  try {
    const child = tryStart(command, launched)
    let over = false
    const end = (how: RunEnd, why?: string) => {
      if (!over) ends(how, why)
      over = true
    }
    child.on('error', (error) => child.pid === undefined && end({ error: codeOf(error) ?? '' }, messageOf(error)))
    child.on('exit', (code, signal) => end(signal === null ? { code: code ?? 0 } : { signal }))
    return child.pid
  } catch (error) {
    ends({ error: command.words[0] === '' ? 'ENOENT' : (codeOf(error) ?? '') }, messageOf(error))
    return undefined
  }
}

function tryStart({ words, variables, output, ownSession }: JobCommand, launched: Launched): ChildProcess {
  const env = { ...environment(process.env, launched), ...variables }
  const common = { env, detached: ownSession } as const
  const stdio: Stdio = output === undefined ? ['inherit', 'inherit', 'inherit'] : ['inherit', output, output]
  const restored = orUndefined(() => {
    const files = openAmong(launched.files ?? '')
    const script = shellScript(words, env, launched)
    const [file = '', ...args] = script === undefined ? words : ['/bin/sh', '-c', script, 'svc-exec', ...words]
    if (script !== undefined || files.length > 0)
      return spawn(file, args, { ...common, stdio: withFiles(stdio, files) })
    return undefined
  })
  return restored ?? spawn(words[0] ?? '', words.slice(1), { ...common, stdio })
}

/** Returns undefined if `make` fails, since a failure here must not keep the command from running. */
function orUndefined<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

type Stdio = Exclude<StdioOptions, string>

/** Hands on open files under their numbers. Numbers between them stay free. */
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

/**
 * The environment of this process without what the start of svc has set. Only the first line of `svc.pyz` sets
 * MALLOC_ARENA_MAX for `svc exec`, so a value of the person is kept where svc was started in another way.
 */
function environment(
  env: Readonly<Record<string, string | undefined>>,
  { jobs }: Pick<Launched, 'jobs'>,
): Record<string, string | undefined> {
  const { SVC_STARTED_AS: python, MALLOC_ARENA_MAX: arenas, ...rest } = env
  const ownArenas = arenas === '1' && jobs === undefined && python === undefined
  return arenas === undefined || ownArenas ? rest : { ...rest, MALLOC_ARENA_MAX: arenas }
}

/**
 * The script of a shell that restores what Node changes, and becomes the command, which is in its arguments. Undefined
 * if there is nothing to restore, or if the shell would itself change the environment.
 */
function shellScript(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  { ignored = '', openFiles = '' }: Launched,
): string | undefined {
  const { args, variables } = process.platform === 'linux' ? damaged(words, env) : nothing
  const lines = [
    ...signalsIn(ignored).map((signal) => `trap '' ${signal}`),
    ...(/^\d+$/.test(openFiles) && openFiles !== softLimitOf('self')
      ? [`ulimit -S -n ${openFiles} 2>/dev/null || :`]
      : []),
    ...variables.map(([name, bytes]) => `${name}=${written(bytes)}`),
  ]
  if (lines.length === 0 && args.size === 0) return undefined
  if (args.size === 0 && variables.length === 0 && !passesShell(env)) return undefined
  const all = words.map((_, at) => {
    const bytes = args.get(at)
    return bytes ? written(bytes) : `"\${${at + 1}}"`
  })
  return `${lines.join('\n')}\nexec ${args.size === 0 ? '"$@"' : all.join(' ')}`
}

interface Damaged {
  /** The bytes of the words that are not valid UTF-8, by their positions. */
  readonly args: ReadonlyMap<number, Buffer>
  readonly variables: readonly (readonly [name: string, bytes: Buffer])[]
}
const nothing: Damaged = { args: new Map(), variables: [] }

/** Finds the words and the variables that Node has damaged, since they are not valid UTF-8. */
function damaged(words: readonly string[], env: Readonly<Record<string, string | undefined>>): Damaged {
  const isDoubtful = (text: string | undefined): boolean => text?.includes('\ufffd') === true
  const names = Object.keys(env).filter((name) => isDoubtful(env[name]) && isIdentifier(name))
  if (names.length === 0 && !words.some(isDoubtful)) return nothing
  const raw = listOf('/proc/self/cmdline').slice(-words.length)
  const args = words.flatMap((word, at) => {
    const bytes = isDoubtful(word) ? raw[at] : undefined
    return bytes && bytes.toString() === word ? [[at, bytes] as const] : []
  })
  const entries = listOf('/proc/self/environ')
  const variables = names.flatMap((name) => {
    const bytes = entries.find((entry) => entry.indexOf(`${name}=`) === 0)?.subarray(name.length + 1)
    return bytes && bytes.toString() === env[name] ? [[name, bytes] as const] : []
  })
  return { args: new Map(args), variables }
}

/** The entries of a file of /proc, each of which a zero byte ends. */
function listOf(file: string): Buffer[] {
  const bytes = readFileSync(file)
  const entries: Buffer[] = []
  for (let at = 0, end = bytes.indexOf(0); end >= 0; at = end + 1, end = bytes.indexOf(0, at))
    entries.push(bytes.subarray(at, end))
  return entries
}

/** Writes bytes as a word of a shell's script. A shell removes line ends at the end of what a command prints. */
function written(bytes: Buffer): string {
  const text = bytes.toString('latin1')
  const ends = /\n*$/.exec(text)?.[0] ?? ''
  const octal = [...bytes.subarray(0, bytes.length - ends.length)].map(
    (byte) => `\\${byte.toString(8).padStart(3, '0')}`,
  )
  return `"$(printf '${octal.join('')}')${ends}"`
}

const isIdentifier = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name)

/** True if a shell hands on this environment unchanged: it knows no other names, and corrects PWD. */
function passesShell(env: Readonly<Record<string, string | undefined>>): boolean {
  try {
    const [here, named] = [statSync('.'), statSync(env.PWD ?? '')]
    return here.ino === named.ino && here.dev === named.dev && Object.keys(env).every(isIdentifier)
  } catch {
    return false
  }
}
