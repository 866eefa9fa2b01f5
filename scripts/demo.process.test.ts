/** The demo for real: service, product, three agents installed with codes, their runtimes, and nothing left of them. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, watch, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { programs } from './testing/program.ts'

const root = join(import.meta.dirname, '..')
const second = 1000
const minute = 60 * second

interface Ready {
  url: string
  link: string
  workspace: string
  product: string
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
  const command = [programs.server, ...args, '--json']
  const { stdout } = await promisify(execFile)(process.execPath, command, { env })
  return JSON.parse(stdout) as T
}

/** Processes that run in a folder or name it on their command line. */
const using = (folder: string): string[] => lines().filter((line) => line.includes(folder))
const lines = (): string[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .map((pid) => {
      try {
        return `${pid} ${readlinkSync(`/proc/${pid}/cwd`)} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8')}`
      } catch {
        return '' // it has ended
      }
    })

/** Which of them still run: a process that has ended and that nobody has asked for yet does not. */
const living = ({ pids }: Ready): string[] =>
  Object.keys(pids).filter((name) => {
    try {
      return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pids[name]}/stat`, 'utf8'))
    } catch {
      return false
    }
  })

/** A health item that only the agent itself can have written. */
const signs = { 'machine-watch': 'Load', 'git-reader': 'Repository', 'link-checker': 'Links' }

interface Shown {
  seenAt?: number | string | null
  report?: {
    state?: { label?: string }
    health?: { name: string; level: string }[]
    settings?: { values?: Record<string, unknown> }
  } | null
  blueprint?: string | null
}

test(
  'three installed agents are seen, obey the page, one works on the product, and Ctrl-C leaves no process and no folder',
  async () => {
    const demo = new Demo({})
    const ready = await demo.ready()
    expect(Object.keys(ready.pids)).toEqual(
      expect.arrayContaining(['service', 'tasks', 'machine-watch', 'git-reader runtime', 'link-checker', 'demo']),
    )
    const show = (name: string) => svcServer<Shown>(ready, 'agent', 'show', `${ready.workspace}/${name}`)
    for (const [name, sign] of Object.entries(signs))
      await expect
        .poll(async () => (await show(name)).report?.health?.map((item) => item.name) ?? [], {
          timeout: minute,
          interval: second,
        })
        .toContain(sign)
    const reader = await show('git-reader')
    expect([reader.blueprint, reader.report?.settings?.values?.folder]).toEqual(['git-reader', root])
    const codes = await svcServer<{ state: string; agentName: string }[]>(ready, 'code', 'list', ready.workspace)
    expect(codes.map((c) => `${c.agentName} ${c.state}`).sort()).toEqual(
      Object.keys(signs)
        .map((name) => `${name} redeemed`)
        .sort(),
    )

    const tasks = async () => (await (await fetch(ready.product)).text()).match(/(Open|Done) \(\d+\)/g)
    await expect.poll(tasks, { timeout: minute, interval: second }).toEqual(['Open (1)', 'Done (0)'])
    writeFileSync(join(ready.dir, 'documents/holidays.md'), '')
    await svcServer(ready, 'command', 'send', `${ready.workspace}/link-checker`, 'run_now')

    await svcServer(ready, 'command', 'send', `${ready.workspace}/machine-watch`, 'pause')
    await expect
      .poll(async () => (await show('machine-watch')).report?.state?.label, { timeout: 1.5 * minute, interval: second })
      .toBe('Paused')
    await expect.poll(tasks, { timeout: minute, interval: second }).toEqual(['Open (0)', 'Done (1)'])
    await expect
      .poll(async () => (await show('link-checker')).report?.health?.find((h) => h.name === 'Binding tasks')?.level, {
        timeout: 1.5 * minute,
        interval: second,
      })
      .toBe('ok')

    const page = await fetch(ready.link, { redirect: 'manual' })
    expect(page.status).toBeLessThan(400)

    expect(await demo.end()).toBe(0)
    expect(existsSync(ready.dir)).toBe(false)
    expect(using(ready.dir)).toEqual([])
    expect(living(ready)).toEqual([])
  },
  4 * minute,
)

test('ended while it is still starting, it leaves nothing either', async () => {
  const demo = new Demo({})
  await demo.hears('Installing')
  const folder = /data in (\S+)/.exec(demo.said)?.[1] ?? ''
  expect(using(folder).length).toBeGreaterThan(0)
  expect(await demo.end('SIGTERM')).toBe(128 + 15)
  expect([existsSync(folder), using(folder)]).toEqual([false, []])
})

/** Waits until the folder is gone, told by the folder above. */
async function removed(folder: string) {
  const above = watch(tmpdir())
  while (existsSync(folder)) await once(above, 'change')
  above.close()
}

test.each([
  ['killed with -9', []],
  ['killed with -9 together with the runtimes, whose agents live on', ['machine-watch', 'git-reader', 'link-checker']],
])('%s it is cleaned up after', async (_how, names) => {
  const demo = new Demo({})
  const ready = await demo.ready()
  const gone = removed(ready.dir)
  for (const name of names) process.kill(ready.pids[`${name} runtime`] ?? 0, 'SIGKILL')
  demo.child.kill('SIGKILL')
  for (const name of names) expect(using(join(ready.dir, 'agents', name, 'versions'))).not.toEqual([])
  await gone
  await expect.poll(() => using(ready.dir)).toEqual([]) // the guard removes the folder last, then it ends
  expect(living(ready)).toEqual([])
})

test('runtimes that are killed while it runs leave agents, which Ctrl-C ends too', async () => {
  const demo = new Demo({})
  const ready = await demo.ready()
  process.kill(ready.pids['git-reader runtime'] ?? 0, 'SIGKILL')
  await demo.hears('git-reader runtime was ended by SIGKILL')
  expect(living(ready)).toContain('git-reader')
  expect(await demo.end()).toBe(0)
  expect([existsSync(ready.dir), using(ready.dir)]).toEqual([false, []])
  expect(living(ready)).toEqual([])
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
