/**
 * The setup of the browser tests: the built page, the real service in a separate process with a separate data folder,
 * and a real Chromium. Agents report over HTTP. Tests must close the setup at their end. With the variable
 * SVC_TEST_LATE the service answers pages late (late.ts).
 */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { killAtExit } from '../../../testing/at-exit.ts'
import { launchBrowser } from '../../../testing/browser.ts'
import { freePort } from '../../../testing/free-port.ts'
import { programs } from '../../../testing/program.ts'
import { within } from '../../../testing/within.ts'
import { type Look, Windows } from './windows.ts'

export type { Look } from './windows.ts'

const root = join(import.meta.dirname, '../../..')
const program = programs.server
export const password = 'correct horse battery'

/** An alert that a test stores. Times are in Unix milliseconds. */
interface StoredAlert {
  agent: string
  rule?: string
  level?: 'bad' | 'warn'
  label?: string | null
  from: number
  to: number | null
}

export class BrowserSetup {
  readonly url: string
  readonly browser: Browser
  readonly #folder: string
  readonly #port: number
  readonly #windows: Windows
  readonly #env: Readonly<Record<string, string>>
  #service: ChildProcess | undefined
  #said = ''
  firstLink = ''
  /**
   * The faults of all pages that the tests opened: errors in the browser's console, and exceptions that nothing caught.
   */
  readonly faults: string[] = []

  constructor(browser: Browser, folder: string, port: number, env: Readonly<Record<string, string>>) {
    this.browser = browser
    this.#folder = folder
    this.#port = port
    this.#env = env
    this.url = `http://localhost:${port}`
    this.#windows = new Windows(browser, `${this.url}/icon.svg`, this.faults)
  }

  async start(): Promise<void> {
    const late = this.#env.SVC_TEST_LATE ?? process.env.SVC_TEST_LATE
    const delaying = late === undefined ? [] : ['--import', join(import.meta.dirname, 'late.ts')]
    const args = [...delaying, program, 'start', '--port', String(this.#port), '--json']
    const child = spawn(process.execPath, args, {
      cwd: this.#folder,
      env: {
        PATH: process.env.PATH ?? '',
        SVC_DATA_DIR: join(this.#folder, 'data'),
        SVC_METRICS_PORT: '0',
        SVC_LOG_LEVEL: 'warn',
        ...(late !== undefined && { SVC_TEST_LATE: late }),
        ...this.#env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#service = child
    killAtExit(child)
    child.stderr?.on('data', (chunk) => {
      this.#said += chunk
    })
    const ended = once(child, 'exit').then(() => {
      throw new Error(`The service ended before it was ready:\n${this.#said}`)
    })
    ended.catch(() => {})
    const lines = createInterface({ input: child.stdout })
    const first = () => `the first line of the service, which said:\n${this.#said}`
    const [line] = (await within(first, Promise.race([once(lines, 'line'), ended]))) as [string]
    const { link } = JSON.parse(line) as { link: string | null }
    if (link !== null) this.firstLink = link
  }

  /**
   * Kills the service without a chance to clean up, as a power cut would. `start` starts it again with the same data.
   */
  async kill(): Promise<void> {
    const child = this.#service
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  /** Changes the stored data as if the service had been down for this many seconds longer. */
  addDowntime(seconds: number): void {
    const db = new DatabaseSync(join(this.#folder, 'data/svc.db'))
    db.prepare('update service_beat set at = at - ?').run(seconds * 1000)
    db.close()
  }

  /**
   * Adds many agents that have never reported, without a request for each: kills the service, writes the agents into
   * its database, and starts the service again.
   */
  async addAgents(slug: string, names: readonly string[]): Promise<void> {
    await this.kill()
    const db = new DatabaseSync(join(this.#folder, 'data/svc.db'))
    const add = db.prepare(
      `insert into agent (id, workspace_id, name, token_hash, created_at)
       select lower(hex(randomblob(16))), id, ?, hex(randomblob(32)), ? from workspace where slug = ?`,
    )
    db.exec('begin')
    for (const name of names) add.run(name, Date.now(), slug)
    db.exec('commit')
    db.close()
    await this.start()
  }

  /**
   * Adds alerts that began and ended at these times (Unix milliseconds), as copies of an open alert of this rule. A
   * test thus gets a history without waiting for days.
   */
  addEndedAlerts(rule: string, times: readonly (readonly [from: number, to: number])[]): void {
    const db = new DatabaseSync(join(this.#folder, 'data/svc.db'), { timeout: 5000 })
    db.prepare('create temp table one as select * from alert where rule = ? and ended_at is null limit 1').run(rule)
    const change = db.prepare(
      'update one set id = ?, since = ?, opened_at = ?, ended_at = ?, acknowledged_at = null, acknowledged_by = null, note = null',
    )
    for (const [from, to] of times) {
      change.run(`${from} ${rule}`, from, from, to)
      db.exec('insert into alert select * from one')
    }
    db.close()
  }

  /** Makes the last codes of all authenticator apps good again, so that no test waits for the next one. */
  forgetUsedCodes(): void {
    const db = new DatabaseSync(join(this.#folder, 'data/svc.db'), { timeout: 5000 })
    db.exec('update totp set last_step = 0')
    db.close()
  }

  /**
   * Moves all sign-ins and proofs this many minutes into the past, so that dangerous operations ask for a new proof.
   */
  ageProofs(minutes: number): void {
    const db = new DatabaseSync(join(this.#folder, 'data/svc.db'), { timeout: 5000 })
    const before = `strftime('%Y-%m-%dT%H:%M:%fZ', "createdAt", '-${minutes} minutes')`
    db.exec(`update session set "createdAt" = ${before}`)
    const ms = minutes * 60_000
    db.prepare('update session_proof set factor_at = factor_at - ?, proof_at = proof_at - ?').run(ms, ms)
    db.close()
  }

  /** Moves the level changes of all agents into the past, so that a test gets a history without waiting for hours. */
  ageLevels(hours: number): void {
    const db = new DatabaseSync(join(this.#folder, 'data/svc.db'), { timeout: 5000 })
    db.prepare('update level_change set at = at - ?').run(hours * 3_600_000)
    db.prepare('update agent set first_report_at = first_report_at - ?').run(hours * 3_600_000)
    db.close()
  }

  /** Moves one agent and its first report into the past, as if it were older than the table of times offline. */
  ageAgent(name: string, hours: number): void {
    const db = new DatabaseSync(join(this.#folder, 'data/svc.db'), { timeout: 5000 })
    const ms = hours * 3_600_000
    db.prepare(
      'update agent set created_at = created_at - ?, first_report_at = first_report_at - ? where name = ?',
    ).run(...[ms, ms, name])
    db.prepare('update level_change set at = at - ? where agent_id = (select id from agent where name = ?)').run(
      ms,
      name,
    )
    db.close()
  }

  /** Stores that the messages to a channel have failed since a moment, in Unix milliseconds. */
  failChannel(name: string, since: number | null): void {
    const db = new DatabaseSync(join(this.#folder, 'data/svc.db'), { timeout: 5000 })
    db.prepare('update alert_channel set failing_since = ? where name = ?').run(since, name)
    db.close()
  }

  /** Stores alerts, by default of the rule `bad`. An alert is still open if its `to` is null. */
  storeAlerts(slug: string, alerts: readonly StoredAlert[]): void {
    const db = new DatabaseSync(join(this.#folder, 'data/svc.db'), { timeout: 5000 })
    const scope = db.prepare('select id from workspace where slug = ?').get(slug)?.id as string
    const agentOf = db.prepare('select id from agent where workspace_id = ? and name = ?')
    const insert = db.prepare(`insert into alert (id, scope, workspace_id, rule, level, subject_kind, subject_id,
      subject_name, item, label, phase, phase_since, since, openings, opened_at, ended_at, told, reminders, frozen, muted,
      version) values (?, ?, ?, ?, ?, 'agent', ?, ?, '', ?, 'open', ?, ?, '[]', ?, ?, 'ended', 0, 0, 0, 1)`)
    db.exec('begin')
    for (const { agent, rule = 'bad', level = 'bad', label = null, from, to } of alerts) {
      const agentId = (agentOf.get(scope, agent)?.id as string | undefined) ?? randomUUID()
      insert.run(randomUUID(), scope, scope, rule, level, agentId, agent, label, from, from, from, to)
    }
    db.exec('commit')
    db.close()
  }

  /** All that the service stores, as text: each row of each table, and the other files of its data folder. */
  stored(): string {
    const data = join(this.#folder, 'data')
    const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const others = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
    const db = new DatabaseSync(join(data, 'svc.db'), { readOnly: true, timeout: 5000 })
    const tables = db.prepare("select name from sqlite_schema where type = 'table'").all()
    const rows = tables.flatMap(({ name }) => db.prepare(`select * from "${name}"`).all())
    db.close()
    const texts = rows.flatMap((row) => Object.values(row))
    return [...texts.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value)), ...others].join('\n')
  }

  /** Runs `svc-server … --json` and returns the value that it prints. */
  async operator<T>(args: string[], input = ''): Promise<T> {
    const child = spawn(process.execPath, [program, ...args, '--json'], {
      cwd: this.#folder,
      env: { PATH: process.env.PATH ?? '', SVC_DATA_DIR: join(this.#folder, 'data'), SVC_PORT: String(this.#port) },
    })
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    child.stderr.on('data', (chunk) => {
      err += chunk
    })
    child.stdin.on('error', () => {}) // The program may end without reading its input.
    child.stdin.end(input)
    const [code] = (await once(child, 'close')) as [number]
    if (code !== 0) throw new Error(`svc-server ${args.join(' ')} ended with ${code}: ${err}`)
    return JSON.parse(out) as T
  }

  /**
   * Opens a browser without cookies. A browser that a test opens is emptied at the end of the test, and later tests get
   * it again.
   */
  async visitor(look: Look = {}): Promise<Visitor> {
    const { context, page } = await this.#windows.browser(look)
    return { context, page, call: (method, path, body) => call(context, this.url, method, path, body) }
  }

  /**
   * Opens another window in the browser of a visitor. The same person is signed in there, and the browser has already
   * loaded the files of the page.
   */
  window = ({ context }: Pick<Visitor, 'context'>, look: Look = {}): Promise<Page> =>
    this.#windows.window(context, look)

  /**
   * Opens a browser in which Ada is signed in, who is an admin of the workspace North Wind. The first call creates her
   * account and the workspace with the first link of the service.
   */
  async ada(look: Look = {}): Promise<Visitor> {
    const visitor = await this.visitor(look)
    if (this.firstLink !== '') {
      const token = new URL(this.firstLink).searchParams.get('token')
      await visitor.call('POST', '/api/web/start', {
        token,
        name: 'Ada Winter',
        email: 'ada@example.org',
        password,
        workspace: 'North Wind',
        slug: 'north-wind',
      })
      this.firstLink = ''
    } else await this.signIn(visitor, 'ada@example.org')
    return visitor
  }

  async signIn(visitor: Visitor, email: string): Promise<void> {
    await visitor.call('POST', '/api/auth/sign-in/email', { email, password })
  }

  /** Sends a report as an agent's reporter does, and returns the answer. */
  async report(
    token: string,
    parts: Record<string, unknown> = {},
  ): Promise<{ commands: { id: string; type: string }[] }> {
    const response = await fetch(`${this.url}/api/agent/v1/report`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ protocol: 1, ...parts }),
    })
    if (!response.ok) throw new Error(`The report was answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as { commands: { id: string; type: string }[] }
  }

  async close(): Promise<void> {
    await this.kill()
    await this.browser.close()
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

export interface Visitor {
  context: BrowserContext
  page: Page
  /**
   * Calls a route of the service with the cookies of the visitor's browser, and returns the answer. Throws if the
   * service refuses.
   */
  call: <T>(method: string, path: string, body?: unknown) => Promise<T>
}

async function call<T>(context: BrowserContext, url: string, method: string, path: string, body?: unknown): Promise<T> {
  const response = await context.request.fetch(url + path, {
    method,
    headers: { origin: url, 'content-type': 'application/json' },
    ...(body !== undefined && { data: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok()) throw new Error(`${method} ${path} was answered ${response.status()}: ${text}`)
  return (text === '' ? undefined : JSON.parse(text)) as T
}

/** Builds the page, and starts the service and a browser. `env` are additional settings for the service. */
export async function openBrowserSetup(env: Readonly<Record<string, string>> = {}): Promise<BrowserSetup> {
  execFileSync(process.execPath, [join(root, 'scripts/build.ts'), '--quiet'], { stdio: 'inherit' })
  const folder = mkdtempSync(join(tmpdir(), 'svc-page-'))
  const setup = new BrowserSetup(await launchBrowser(), folder, await freePort(), env)
  try {
    await setup.start()
  } catch (error) {
    await setup.close()
    throw error
  }
  return setup
}
