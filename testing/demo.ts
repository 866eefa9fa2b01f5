/** Runs `npm run demo` for a test, and finds processes that the demo has left behind. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { within } from './within.ts'

const root = join(import.meta.dirname, '..')

export interface ReadyDemo {
  url: string
  link: string
  workspace: string
  product: string
  dir: string
  pids: Record<string, number>
}

export class Demo {
  readonly child: ChildProcess
  readonly #line: Promise<unknown>
  said = ''
  constructor(more: NodeJS.ProcessEnv, ...args: string[]) {
    const env = { ...process.env, ...more, SVC_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/must-not-be-used' }
    const command = [join(root, 'scripts/demo.ts'), '--json', ...args]
    this.child = spawn(process.execPath, command, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.child.stderr?.on('data', (text) => {
      this.said += text
    })
    this.#line = once(createInterface({ input: this.child.stdout as Readable }), 'line').then(([line]) => line)
    onTestFinished(async () => void (await this.end()))
  }
  ready = async () => JSON.parse(String(await this.#before(this.#line))) as ReadyDemo
  async hears(text: string) {
    const wanted = () => `${JSON.stringify(text)} from the demo, which said:\n${this.said}`
    while (!this.said.includes(text)) await within(wanted, this.#before(once(this.child.stderr as Readable, 'data')))
  }
  /** Resolves when the promise `wanted` resolves; rejects if the demo ends before that. */
  async #before<T>(wanted: Promise<T>): Promise<T> {
    const ended = once(this.child, 'exit').then(([code]): never => {
      throw new Error(`The demo ended with ${code}: ${this.said}`)
    })
    return Promise.race([wanted, ended])
  }
  async end(signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode
    const exit = once(this.child, 'exit')
    this.child.kill(signal)
    return (await exit)[0]
  }
}

/** The processes whose working folder is in the given folder, or whose command line names it. */
export const processesUsing = (folder: string): string[] => lines().filter((line) => line.includes(folder))
const lines = (): string[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .map((pid) => {
      try {
        return `${pid} ${readlinkSync(`/proc/${pid}/cwd`)} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8')}`
      } catch {
        return '' // the process has ended
      }
    })

/** The names of the demo's processes that are still running. A zombie does not count. */
export const livingProcesses = ({ pids }: ReadyDemo): string[] =>
  Object.keys(pids).filter((name) => {
    try {
      return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pids[name]}/stat`, 'utf8'))
    } catch {
      return false
    }
  })
