/**
 * Starts and ends the processes of the demo. Each has its own process group and writes to a file, so that Ctrl-C
 * reaches only the demo itself, which then ends them in the right order. No process that was started here outlives
 * `end()`.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The seconds that `svc run` gets to end: time for the agent (its stop_seconds) and for the last report. */
const usualSoftSeconds = 15

export interface Command {
  command: readonly [program: string, ...args: string[]]
  cwd: string
  env: NodeJS.ProcessEnv
}

export class Processes {
  readonly folder: string
  readonly #running = new Map<string, ChildProcess>()
  readonly #died: (name: string, how: string, lastWords: string) => void
  readonly #stopping = new AbortController()
  readonly #guard: Guard
  readonly #softSeconds: number

  /** `folder` gets the output of each process. `died` is called for a process that ends before the demo does. */
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
    process.once('exit', () => this.#signal('SIGTERM')) // if `end` was not called, the guard finishes the work
  }

  /** A signal that is aborted as soon as `end()` is called, so that all waiting ends. */
  get ending(): AbortSignal {
    return this.#stopping.signal
  }

  get pids(): Record<string, number> {
    return Object.fromEntries([...this.#running].map(([name, child]) => [name, child.pid ?? 0]))
  }

  /** Starts a process that runs until `end()` is called. */
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
   * Runs a command to its end and returns its output. If the command fails, an error with the output is thrown. `input`
   * is the command's standard input.
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
    child.stdin.on('error', () => {}) // the command may end without reading its input; only its exit code counts
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
   * Asks all processes to end, beginning with the one that was started last, and kills those that still run after some
   * seconds. Resolves when the guard has ended too.
   */
  async end(): Promise<void> {
    this.#stopping.abort()
    const all = [...this.#running.values()].filter((child) => child.exitCode === null && child.signalCode === null)
    const gone = Promise.all(all.map((child) => once(child, 'exit')))
    for (const child of all.reverse()) signal(child, 'SIGTERM')
    await Promise.race([gone, new Promise((r) => setTimeout(r, this.#softSeconds * 1000).unref())])
    this.#signal('SIGKILL')
    await gone
    await this.#guard.leave()
  }

  #keep(name: string, child: ChildProcess) {
    const { pid } = child
    if (pid === undefined) return // the process could not be started, and the caller gets the `error` event
    this.#running.set(name, child)
    this.#guard.note('+', pid)
    child.once('exit', () => {
      signal(child, 'SIGKILL') // kills what is left of the process group
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

/** The process that cleans up after the demo, even if the demo is killed (demo-guard.ts). */
export class Guard {
  readonly #child: ChildProcess

  constructor(folder: string, keep = false) {
    const args = [join(import.meta.dirname, 'demo-guard.ts'), folder, ...(keep ? ['keep'] : [])]
    this.#child = spawn(process.execPath, args, { cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
    this.#child.stdin?.on('error', () => {}) // if the guard has ended, the demo continues without it
    this.#child.unref()
  }

  note(sign: '+' | '-', pid: number): void {
    this.#child.stdin?.write(`${sign}${pid}\n`)
  }

  /**
   * Tells the guard to end the agents that are left and to remove the demo's folder, unless it was made with `keep`.
   * Resolves when the guard has done so and ended.
   */
  async leave(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exit = once(this.#child, 'exit')
    this.#child.ref() // from here on this process waits for the guard
    this.#child.stdin?.end()
    await exit
  }
}
