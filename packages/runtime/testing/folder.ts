/**
 * Makes agents' folders below the system's folder for temporary files, and runs `svc` there as a person or a service
 * manager would run it.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { constants, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { programs } from '../../../testing/program.ts'
import { within } from '../../../testing/within.ts'
import { type Folder, folderAt } from '../src/machine/files/folder.ts'

export const token = `svc_agt_${'A'.repeat(43)}`
const main = programs.svc

export const manifestText = `name: mail-triage
version: 1.4.0
status: state/status.json
logs: [{name: work, path: state/work.log}]
controls: [pause, resume, run_now]
settings:
  - {key: every, label: Minutes, type: number, min: 1, max: 120, default: 10}
  - {key: tone, type: select, options: [{value: calm}, {value: brisk}], default: calm}
  - {key: note, type: text}
`

/**
 * Makes an agent's folder with these files. If an origin is given, the folder also gets the file with the address of
 * the service and the agent's token.
 */
export function agentFolder(
  files: Readonly<Record<string, string>> = {},
  origin?: string,
): Folder & { remove(): void } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-agent-')))
  const all = {
    'svc.agent.yaml': manifestText,
    ...(origin && { '.svc/agent.env': `SVC_URL=${origin}\nSVC_TOKEN=${token}\n` }),
    ...files,
  }
  for (const [name, text] of Object.entries(all)) {
    const file = join(root, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text, { mode: name.endsWith('.env') ? 0o600 : 0o644 })
  }
  return { ...folderAt(root), remove: () => rmSync(root, { recursive: true, force: true }) }
}

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}
export interface RunOptions {
  readonly input?: string
  /** True to write the input only after the program has opened its standard input. */
  readonly inputLate?: true
  readonly env?: Readonly<Record<string, string>>
  readonly file?: readonly string[]
}

/** Runs `svc` in a folder until it ends. */
export function svc(
  folder: Folder,
  args: readonly string[],
  { input = '', inputLate, env = {}, file = [main] }: RunOptions = {},
): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [...file, ...args],
      {
        cwd: folder.root,
        env: { ...process.env, SVC_TOKEN: '', SVC_STARTED_AS: '["svc"]', ...env },
        maxBuffer: 64 * 1024 * 1024,
      },
      (error, out, err) => resolve({ code: error ? Number(error.code ?? 1) : 0, out, err }),
    )
    child.stdin?.on('error', () => {})
    const write = () => child.stdin?.end(input)
    if (inputLate) void becomes('a program that reads its input', () => hasOpenedInput(child)).then(write, write)
    else write()
  })
}

/**
 * True if a program has opened its standard input as a stream, which Node does without blocking, or if it has ended.
 */
function hasOpenedInput({ pid, exitCode }: ChildProcess): boolean {
  if (exitCode !== null) return true
  const [, flags = '0'] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/fdinfo/0`, 'utf8')) ?? []
  return (Number.parseInt(flags, 8) & constants.O_NONBLOCK) !== 0
}

export interface Running {
  readonly child: ChildProcess
  readonly lines: string[]
  /** Resolves with the first line of output that contains this text. */
  said(text: string): Promise<string>
  /** Sends a signal to the program and waits until it ends. */
  end(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

/** Starts `svc report` as a separate process. */
export const reporter = (folder: Pick<Folder, 'root'>, scale: number, file: readonly string[] = [main]): Running =>
  starts(folder, ['report'], { scale, file })

export interface StartOptions {
  readonly scale?: number
  readonly file?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** The Node that runs the program; by default the tests' own. */
  readonly node?: string
}

/** Starts a command of `svc` that runs until it is stopped. */
export function starts(
  folder: Pick<Folder, 'root'>,
  command: readonly string[],
  { scale = 1, file = [main], env = {}, node = process.execPath }: StartOptions = {},
): Running {
  const child = spawn(node, [...file, ...command], {
    cwd: folder.root,
    env: { ...process.env, SVC_TIME_SCALE: String(scale), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  const waiting = new Set<() => void>()
  let rest = ''
  const take = (part: Buffer) => {
    const all = (rest + part.toString()).split('\n')
    rest = all.pop() ?? ''
    lines.push(...all)
    for (const check of waiting) check()
  }
  child.stdout?.on('data', take)
  child.stderr?.on('data', take)
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal })),
  )
  return {
    child,
    lines,
    said: (text) => {
      const line = new Promise<string>((resolve) => {
        const check = () => {
          const found = lines.find((l) => l.includes(text))
          if (found === undefined) return
          waiting.delete(check)
          resolve(found)
        }
        waiting.add(check)
        check()
      })
      return within(() => `a line with ${JSON.stringify(text)}. The last lines:\n${lines.slice(-10).join('\n')}`, line)
    },
    end: (signal = 'SIGTERM') => {
      child.kill(signal)
      return ended
    },
  }
}

/**
 * Polls until a condition holds, and returns its value. Fails only after 100 s, since everything takes long on a busy
 * machine.
 */
export async function becomes<T>(what: string, check: () => T | undefined | false): Promise<T> {
  for (const end = performance.now() + 100_000; performance.now() < end; ) {
    try {
      const value = check()
      if (value !== undefined && value !== false) return value
    } catch {
      // The condition does not hold yet, so polling continues.
    }
    await new Promise((resolve) => setTimeout(resolve, 15))
  }
  throw new Error(`In 100 s it never came to this: ${what}.`)
}

/** True if this machine has a Python with which tests can open a pseudo-terminal. */
export const python: boolean = (() => {
  try {
    execFileSync('python3', ['-c', 'import pty'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()
