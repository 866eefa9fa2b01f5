/** Runs jobs with the real `svc-exec`, as a crontab runs them: `svc.pyz` is built and installed for an account. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runIdOf } from '../src/host/jobs/ids.ts'
import { type RecordedRun, readRun } from '../src/host/jobs/record.ts'
import { privateVariable } from './private.ts'
import { quickBuild } from './releases.ts'

export interface RanJob {
  readonly code: number
  readonly out: string
  readonly err: string
}
export interface JobOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  readonly input?: string
  /** The program that is started instead of `svc-exec`, with its first arguments. */
  readonly by?: readonly string[]
}

/** An account whose home folder is empty but for the installed `svc` and `svc-exec`. */
export interface Account {
  readonly home: string
  readonly svc: string
  readonly svcExec: string
  /** The folder of all jobs. */
  readonly jobs: string
  /** Runs `svc-exec` with these arguments until it ends. */
  exec(args: readonly string[], options?: JobOptions): Promise<RanJob>
  /** Runs a line of a shell, in which `svc-exec` is found. */
  line(text: string, options?: JobOptions): Promise<RanJob>
  /** Starts `svc-exec` with these arguments. */
  starts(args: readonly string[], options?: JobOptions & { readonly detached?: boolean }): ChildProcess
  /** The records of a job, the oldest first. */
  runs(job: string): RecordedRun[]
  /** The lines about runs without a record, without their times. */
  unrecorded(): string[]
  remove(): void
}

/** Makes an account. `node` is the Node that `svc-exec` will use; by default the one that runs the tests. */
export async function newAccount(node = process.execPath): Promise<Account> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-account-')))
  const home = join(root, 'home of ada')
  const bin = join(home, 'bin')
  const jobs = join(home, '.local/state/svc/host/state/jobs')
  const { file } = await quickBuild({ outDir: root, version: '1.4.0' })
  const usual = {
    ...process.env,
    ...privateVariable,
    HOME: home,
    PATH: `${bin}:${process.env.PATH}`,
    XDG_STATE_HOME: '',
  }
  execFileSync('mkdir', ['-p', home])
  const args = ['-e', 'require(process.argv[1])', file, 'self', 'install', '--to', bin]
  execFileSync(node, args, { env: { ...usual, PATH: `${join(node, '..')}:${process.env.PATH}` } })
  const svcExec = join(bin, 'svc-exec')
  const program = (args: readonly string[], { by = [svcExec] }: JobOptions) => [...by, ...args]
  const settings = ({ env, cwd = home }: JobOptions) => {
    const merged = Object.entries({ ...usual, ...env }).filter(([, value]) => value !== undefined)
    return { cwd, env: Object.fromEntries(merged), maxBuffer: 64 * 1024 * 1024 }
  }
  const exec: Account['exec'] = (args, options = {}) => {
    const [file = '', ...rest] = program(args, options)
    return new Promise((resolve) => {
      const child = execFile(file, rest, settings(options), (error, out, err) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, out, err }),
      )
      child.stdin?.on('error', () => {})
      child.stdin?.end(options.input ?? '')
    })
  }
  return {
    ...{ home, svc: join(bin, 'svc'), svcExec, jobs, exec },
    line: (text, options) => exec([text], { by: ['/bin/sh', '-c'], ...options }),
    starts: (args, { detached = false, ...options } = {}) => {
      const [file = '', ...rest] = program(args, options)
      return spawn(file, rest, { ...settings(options), detached, stdio: ['ignore', 'pipe', 'pipe'] })
    },
    runs: (job) =>
      readdirSync(join(jobs, job))
        .filter((name) => runIdOf(name) !== undefined)
        .sort()
        .map((name) => readRun(join(jobs, job, name)))
        .filter((run) => run !== undefined),
    unrecorded: () => {
      const text = readFileSync(join(jobs, 'unrecorded'), 'utf8').trim()
      return text.split('\n').map((line) => line.replace(/^\d{10} /, ''))
    },
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  }
}
