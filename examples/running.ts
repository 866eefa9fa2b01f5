/**
 * Helpers for tests of the example agents. An example is copied to a temporary folder and started there as cron or
 * systemd would start it. A test waits until the example's status file shows what the test expects.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { type Manifest, readManifest } from '@svc/blueprint'
import { readStatusFile, type StatusFile } from '@svc/protocol'

const patienceMs = 30_000

export type Settings = Record<string, string | number | boolean | null>

/** Reads the manifest of an example by the rules for bundles, which shows that `svc run` accepts it, too. */
export function manifestOf(name: string): Manifest {
  const read = readManifest(readFileSync(join(import.meta.dirname, name, 'svc.agent.yaml')))
  if (!read.ok) throw new Error(`The manifest of ${name}: ${JSON.stringify(read.findings)}`)
  return read.value
}

export class Example implements AsyncDisposable {
  readonly folder: string
  readonly manifest: Manifest
  readonly said: string[] = []
  #child: ChildProcess | undefined
  #env: Record<string, string>

  constructor(name: string, env: Record<string, string> = {}) {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), `svc-${name}-`)))
    const noState = (path: string) => !/\/(state|\.svc|__pycache__)$/.test(path)
    cpSync(join(import.meta.dirname, name), this.folder, { recursive: true, filter: noState })
    mkdirSync(join(this.folder, '.svc'))
    this.manifest = manifestOf(name)
    this.#env = env
  }

  /** Starts the example with the command of its manifest, directly and without a shell. */
  start(settings: Settings = {}): this {
    this.set(settings)
    const { runtime } = this.manifest
    if (runtime?.kind !== 'process') throw new Error('The examples are processes.')
    const [command = '', ...args] = runtime.command
    const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter)
    const child = spawn(command, args, {
      cwd: this.folder,
      env: { PATH, HOME: process.env.HOME ?? '/', ...this.#env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const out of [child.stdout, child.stderr]) out.on('data', (text) => this.said.push(String(text)))
    this.#child = child
    return this
  }

  path = (name: string): string => join(this.folder, name)
  set(settings: Settings): void {
    writeFileSync(this.path('.svc/settings.json.new'), JSON.stringify(settings))
    renameSync(this.path('.svc/settings.json.new'), this.path('.svc/settings.json'))
  }
  pause = (): void => writeFileSync(this.path('.svc/paused'), '')
  resume = (): void => rmSync(this.path('.svc/paused'))
  runNow = (): void => writeFileSync(this.path('.svc/run_now'), '')
  pressed = (): boolean => existsSync(this.path('.svc/run_now'))
  log = (): string => readFileSync(this.path(this.manifest.logs[0]?.path ?? ''), 'utf8')

  /**
   * Reads the example's status file as the runtime does (2.11). Unknown parts, and parts that would be dropped, are
   * errors.
   */
  status(): StatusFile {
    const read = readStatusFile(JSON.parse(readFileSync(this.path(this.manifest.status ?? ''), 'utf8')), Date.now())
    if (!read || read.unknown.length > 0 || read.dropped.length > 0)
      throw new Error(`Not a good status file: ${JSON.stringify(read)}`)
    return read.status
  }

  /**
   * Resolves with the first status of the agent for which `holds` is true. It watches the folder of the status file
   * instead of polling.
   */
  async until(holds: (status: StatusFile) => boolean): Promise<StatusFile> {
    mkdirSync(this.path('state'), { recursive: true })
    const signal = AbortSignal.timeout(patienceMs)
    const folder = watch(this.path('state'))
    const child = this.#child
    const ended = child ? once(child, 'exit', { signal }) : new Promise(() => {})
    ended.catch(() => {})
    const readStatus = () => (existsSync(this.path('state/status.json')) ? this.status() : undefined)
    try {
      while (true) {
        const change = once(folder, 'change', { signal })
        change.catch(() => {}) // an error of this promise is handled below
        const status = readStatus()
        if (status && holds(status)) return status
        if (child && (child.exitCode !== null || child.signalCode !== null)) throw new Error('it ended')
        await Promise.race([change, ended])
      }
    } catch (error) {
      throw new Error(`${holds} did not come true: ${error}\n${this.said.join('')}\n${JSON.stringify(readStatus())}`)
    } finally {
      folder.close()
    }
  }

  /** Resolves with the next status that the agent writes after this call. */
  async next(): Promise<StatusFile> {
    const signal = AbortSignal.timeout(patienceMs)
    const folder = watch(this.path('state'))
    try {
      for (;;) {
        const [, file] = await once(folder, 'change', { signal })
        if (file === 'status.json') return this.status()
      }
    } finally {
      folder.close()
    }
  }

  /** Asks the agent to end with SIGTERM, waits until it has ended, and returns its exit code. */
  async stop(): Promise<{ code: number | null }> {
    const child = this.#child
    if (!child || child.exitCode !== null) throw new Error(`It is not running: ${this.said.join('')}`)
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    const [code] = await exit
    return { code }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const child = this.#child
    if (child?.exitCode === null && child.signalCode === null) {
      const exit = once(child, 'exit')
      child.kill('SIGKILL')
      await exit
    }
    rmSync(this.folder, { recursive: true, force: true })
  }
}
