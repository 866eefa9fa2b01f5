/** The demo for real: service, three agents, three reporters, and nothing left of them. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, watch } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const minute = 60_000

interface Ready {
  url: string
  link: string
  workspace: string
  dir: string
  pids: Record<string, number>
}

class Demo {
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
  ready = async () => JSON.parse(String(await this.#before(this.#line))) as Ready
  async hears(text: string) {
    while (!this.said.includes(text)) await this.#before(once(this.child.stderr as Readable, 'data'))
  }
  /** What is waited for, or an error when the demo ends before. */
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

async function svcServer<T>(demo: Ready, ...args: string[]): Promise<T> {
  const env = { ...process.env, SVC_DATA_DIR: join(demo.dir, 'data'), SVC_BASE_URL: demo.url }
  const command = [join(root, 'packages/server/src/main.ts'), ...args, '--json']
  const { stdout } = await promisify(execFile)(process.execPath, command, { env })
  return JSON.parse(stdout) as T
}

/** Processes that run in a folder or name it on their command line. */
const using = (folder: string): string[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .map((pid) => {
      try {
        return `${pid} ${readlinkSync(`/proc/${pid}/cwd`)} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8')}`
      } catch {
        return '' // it has ended
      }
    })
    .filter((line) => line.includes(folder))

/** A health item that only the agent itself can have written. */
const signs = { 'machine-watch': 'Load', 'git-reader': 'Repository', 'link-checker': 'Links' }

interface Shown {
  seenAt?: number | string | null
  report?: {
    state?: { label?: string }
    health?: { name: string }[]
    settings?: { values?: Record<string, unknown> }
  } | null
}

test(
  'three real agents are seen, obey the page, and Ctrl-C leaves no process and no folder',
  async () => {
    const demo = new Demo({})
    const ready = await demo.ready()
    expect(Object.keys(ready.pids)).toEqual(
      expect.arrayContaining(['service', 'machine-watch', 'git-reader report', 'link-checker', 'demo']),
    )
    const show = (name: string) => svcServer<Shown>(ready, 'agent', 'show', `${ready.workspace}/${name}`)
    for (const [name, sign] of Object.entries(signs))
      await expect
        .poll(async () => (await show(name)).report?.health?.map((item) => item.name) ?? [], { timeout: minute })
        .toContain(sign)
    expect((await show('git-reader')).report?.settings?.values?.folder).toBe(root)

    await svcServer(ready, 'command', 'send', `${ready.workspace}/machine-watch`, 'pause')
    await expect
      .poll(async () => (await show('machine-watch')).report?.state?.label, { timeout: 1.5 * minute })
      .toBe('Paused')

    const page = await fetch(ready.link, { redirect: 'manual' })
    expect(page.status).toBeLessThan(400)

    expect(await demo.end()).toBe(0)
    expect(existsSync(ready.dir)).toBe(false)
    expect(using(ready.dir)).toEqual([])
    for (const pid of Object.values(ready.pids)) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  },
  4 * minute,
)

test('ended while it is still starting, it leaves nothing either', async () => {
  const demo = new Demo({})
  await demo.hears('Connecting')
  const folder = /data in (\S+)/.exec(demo.said)?.[1] ?? ''
  expect(using(folder).length).toBeGreaterThan(0)
  expect(await demo.end('SIGTERM')).toBe(128 + 15)
  expect([existsSync(folder), using(folder)]).toEqual([false, []])
})

test('killed with -9 it is cleaned up after', async () => {
  const demo = new Demo({})
  const ready = await demo.ready()
  const folder = watch(tmpdir())
  await demo.end('SIGKILL')
  while (existsSync(ready.dir)) await once(folder, 'change')
  folder.close()
  await expect.poll(() => using(ready.dir)).toEqual([]) // the guard removes the folder last, then it ends
})

test('a port that is taken is said, and nothing is left', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = String(typeof address === 'object' && address?.port)
  const own = mkdtempSync(join(tmpdir(), 'svc-demo-test-'))
  onTestFinished(() => rmSync(own, { recursive: true }))
  const demo = new Demo({ TMPDIR: own }, '--port', port)
  const [code] = await once(demo.child, 'close')
  expect(code).toBe(1)
  expect(demo.said).toContain(`port ${port} is taken`)
  expect(readdirSync(own)).toEqual([])
})
