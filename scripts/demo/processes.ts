/**
 * Starts and ends the processes of the demo. Each process has its own process group, so that Ctrl-C reaches only the
 * demo itself, which then ends the others in the right order. The output of each goes to a file. No process that was
 * started here outlives `end()`.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { atExit } from '../../testing/at-exit.ts'

/**
 * The seconds that `svc run` gets to end by itself: time to stop the agent (stop_seconds in its manifest) and to send
 * the last report.
 */
const usualSoftSeconds = 15

export interface Command {
  command: readonly [program: string, ...args: string[]]
  cwd: string
  env: NodeJS.ProcessEnv
}

/** A process ended before it had printed what the demo waited for. */
export class EndedEarly extends Error {}

export class Processes {
  readonly folder: string
  readonly #running = new Map<string, ChildProcess>()
  readonly #died: (name: string, how: string, lastWords: string) => void
  readonly #stopping = new AbortController()
  readonly #guard: Guard
  readonly #softSeconds: number

  /**
   * `folder` is where the output of each process is written. `died` is called for a process that ends before `end()`
   * was called.
   */
  constructor(
    folder: string,
    guard: Guard,
    died: (name: string, how: string, lastWords: string) => void,
    softSeconds = usualSoftSeconds,
  ) {
    this.folder = folder
    this.#guard = guard
    this.#died = died
    this.#softSeconds = softSeconds
    // if the demo exits without `end()`, its guard ends what is left
    atExit(() => this.#signal('SIGTERM'))
  }

  /** An AbortSignal that is aborted as soon as `end()` is called, so that waiting code stops waiting. */
  get ending(): AbortSignal {
    return this.#stopping.signal
  }

  get pids(): Record<string, number> {
    return Object.fromEntries([...this.#running].map(([name, child]) => [name, child.pid ?? 0]))
  }

  /** Starts a process that runs until `end()` ends it. */
  async start(name: string, { command: [program, ...args], cwd, env }: Command): Promise<void> {
    this.ending.throwIfAborted()
    const out = openSync(this.#logOf(name), 'a')
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', out, out] })
    closeSync(out)
    this.#keep(name, child)
    child.once('exit', (code, signal) => {
      if (this.ending.aborted) return
      this.#died(name, signal ? `was ended by ${signal}` : `ended with code ${code}`, this.lastWords(name))
    })
    await once(child, 'spawn')
  }

  /**
   * Waits until a started process has printed text that matches `pattern`, and returns the match. Throws EndedEarly if
   * the process ends before that.
   */
  async hears(name: string, pattern: RegExp, seconds: number): Promise<RegExpExecArray> {
    for (const until = performance.now() + seconds * 1000; performance.now() < until; ) {
      const isRunning = this.#running.has(name)
      const found = pattern.exec(readFileSync(this.#logOf(name), 'utf8'))
      if (found) return found
      if (!isRunning) throw new EndedEarly(`${name} ended before it was ready:\n${this.lastWords(name)}`)
      await sleep(100, undefined, { signal: this.ending })
    }
    throw new Error(`${name} was not ready within ${seconds} s:\n${this.lastWords(name)}`)
  }

  /**
   * Runs a command until it ends, and returns its output. Throws an error with the output if the command fails. `input`
   * is written to the command's standard input.
   */
  async run({ command: [program, ...args], cwd, env }: Command, input = ''): Promise<string> {
    this.ending.throwIfAborted()
    const child = spawn(program, args, { cwd, env, detached: true, stdio: 'pipe' })
    const name = `${[program, ...args].join(' ')}, process ${child.pid}`
    this.#keep(name, child)
    const said = { stdout: '', stderr: '' }
    for (const out of ['stdout', 'stderr'] as const)
      child[out].setEncoding('utf8').on('data', (text: string) => {
        said[out] += text
      })
    // writing fails if the command ends without reading its input; only its exit code counts
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    const [code, signal] = await once(child, 'close')
    if (code === 0) return said.stdout
    throw new Error(
      `${[program, ...args].join(' ')}\nended with ${signal ?? `code ${code}`}:\n${said.stderr || said.stdout}`,
    )
  }

  lastWords(name: string): string {
    return readFileSync(this.#logOf(name), 'utf8').trimEnd().split('\n').slice(-12).join('\n')
  }

  /**
   * Asks all processes to end, beginning with the one that was started last, and kills those that still run after
   * `softSeconds`. Resolves when the guard has ended too.
   */
  async end(): Promise<void> {
    this.#stopping.abort()
    const all = [...this.#running.values()].filter((child) => child.exitCode === null && child.signalCode === null)
    const exited = Promise.all(all.map((child) => once(child, 'exit')))
    for (const child of all.reverse()) signal(child, 'SIGTERM')
    await Promise.race([exited, new Promise((r) => setTimeout(r, this.#softSeconds * 1000).unref())])
    this.#signal('SIGKILL')
    await exited
    await this.#guard.leave()
  }

  #keep(name: string, child: ChildProcess) {
    const { pid } = child
    if (pid === undefined) return // the process could not be started; the caller gets the event `error`
    this.#running.set(name, child)
    this.#guard.note('+', pid)
    child.once('exit', () => {
      signal(child, 'SIGKILL') // kills processes of the group that outlived its first process
      this.#running.delete(name)
      this.#guard.note('-', pid)
    })
  }

  #signal(name: NodeJS.Signals) {
    for (const child of this.#running.values()) signal(child, name)
  }

  #logOf = (name: string) => join(this.folder, `${name.replaceAll(' ', '-')}.log`)
}

function signal(child: ChildProcess, name: NodeJS.Signals) {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, name)
  } catch (error) {
    // ESRCH means that the process has ended
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** The demo's side of its guard, the process that cleans up even if the demo is killed (guard.ts). */
export class Guard {
  readonly #child: ChildProcess

  constructor(folder: string, keep = false) {
    const args = [join(import.meta.dirname, 'guard.ts'), folder, ...(keep ? ['keep'] : [])]
    this.#child = spawn(process.execPath, args, { cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
    this.#child.stdin?.on('error', () => {}) // without this handler, the demo would fail if its guard had ended
    this.#child.unref()
  }

  note(sign: '+' | '-', pid: number): void {
    this.#child.stdin?.write(`${sign}${pid}\n`)
  }

  /**
   * Tells the guard that the demo is over: it ends the agents that are left and removes the demo's folder, unless it
   * was started with `keep`. Resolves when the guard has ended.
   */
  async leave(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exit = once(this.#child, 'exit')
    this.#child.ref() // from now on, the demo's process stays until the guard has ended
    this.#child.stdin?.end()
    await exit
  }
}
