/** For tests: starts the page's routes behind a real listener, and makes people whose browsers keep their cookies. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Role } from '@svc/api'
import type { Answer as AgentAnswer } from '@svc/protocol'
import { atTestEnd } from '../../../../testing/cleaning.ts'
import { openAgentApi } from '../../src/agent-api/open.ts'
import { createAgent } from '../../src/fleet/agents/store.ts'
import { openAuth, warmUpAuth } from '../../src/people/accounts/auth.ts'
import { decideWithAccounts } from '../../src/people/accounts/library.ts'
import { createLink } from '../../src/people/accounts/links.ts'
import { passwordHashing } from '../../src/people/accounts/passwords.ts'
import { insertPerson } from '../../src/people/accounts/store.ts'
import { activate, addMember, createWorkspace } from '../../src/people/workspaces/store.ts'
import type { Config, OidcSettings, PasswordForm } from '../../src/platform/base.ts'
import type { Store } from '../../src/platform/db/open.ts'
import { openServiceLog } from '../../src/platform/log.ts'
import { createSweeper } from '../../src/service/sweeper/sweeper.ts'
import { openReleases } from '../../src/updates/releases/releases.ts'
import { webApp } from '../../src/web/app.ts'
import { createLive } from '../../src/web/live/hub.ts'
import { quickPasswords } from '../quick-passwords.ts'
import { openTestSqlite } from '../stores.ts'

export const operator = { id: null, name: 'operator' }
export const password = 'correct horse battery'

export interface Answer<T = unknown> {
  status: number
  headers: Headers
  body: T
  text: string
}
export interface Browser {
  get<T>(path: string, headers?: Record<string, string>): Promise<Answer<T>>
  send<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<T>>
  cookie: string
}
export type Service = Awaited<ReturnType<typeof serve>>

export interface ServeOptions {
  /** The store to use, which is closed with the service; by default a new SQLite database. */
  postgres?: Store
  https?: boolean
  /** The base address of another node, for a second node of one service. */
  baseUrl?: string
  /** The name under which the service is reached; by default it is an IP address, at which there are no passkeys. */
  hostname?: 'localhost'
  proxies?: string[]
  pageDir?: string
  helpDir?: string
  /** The form in which passwords are really hashed. By default they are hashed at the lowest cost. */
  passwordForm?: PasswordForm
  smtpUrl?: string
  /** The sign-in provider (testing/oidc.ts). */
  oidc?: OidcSettings
  securityContact?: string
  /** The data folder to use, which the caller removes. By default a new one. */
  dataDir?: string
  /** The secret that signs cookies and invitations. */
  secret?: string
  /** The milliseconds of one tick. In one tick, the open pages of a workspace get at most one frame. */
  tick?: number
}

/** Starts the service. With `https` it answers as if behind a proxy that terminates TLS. */
export async function serve(given: ServeOptions = {}) {
  const store = given.postgres ?? (await openTestSqlite())
  const dir = given.dataDir ?? mkdtempSync(join(tmpdir(), 'svc-web-'))
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://${given.hostname ?? '127.0.0.1'}:${(server.address() as AddressInfo).port}`
  const baseUrl = given.baseUrl ?? (given.https ? 'https://agents.example.org' : origin)
  let ahead = 0
  const config: Config = {
    baseUrl,
    host: '127.0.0.1',
    port: 0,
    dataDir: dir,
    databaseUrl: undefined,
    trustedProxies: given.proxies ?? [],
    outboundAllow: [],
    smtpUrl: given.smtpUrl,
    mailFrom: 'svc@localhost',
    heartbeatUrl: undefined,
    metricsPort: 0,
    metricsFleet: false,
    metricsAgents: 5000,
    logLevel: 'silent',
    securityContact: given.securityContact,
    passwordForm: given.passwordForm ?? 'scrypt',
    oidc: given.oidc,
    releaseDir: join(dir, 'cli'),
    version: '1.2.3',
  }
  const errors: unknown[] = []
  const lines: string[] = []
  const write = (line: string) => {
    lines.push(line.trimEnd())
    const said = JSON.parse(line) as { level: string }
    if (said.level === 'error' || said.level === 'fatal') errors.push(said)
  }
  const log = openServiceLog('info', { write })
  const now = () => Date.now() + ahead
  const live = createLive({ store, log, now }, given.tick)
  const passwords = given.passwordForm ? passwordHashing(given.passwordForm) : quickPasswords
  const secret = given.secret ?? 'a secret of the tests, long enough'
  const auth = openAuth(store, { baseUrl, secret, passwords })
  await warmUpAuth(auth)
  const releases = await openReleases({ store, config, log, now, changed: live.releaseChanged })
  const deps = { store, auth, config, log, live, now, releases }
  const { listener, app } = webApp({
    ...deps,
    pageDir: given.pageDir ?? join(dir, 'page'),
    helpDir: given.helpDir ?? join(dir, 'help'),
  })
  const agents = openAgentApi(deps)
  const sweeper = createSweeper(deps, agents.age)
  server.on('request', (req, res) => {
    const path = `${req.method} ${req.url?.split('?')[0]}`
    const route = agents.routes[path] ?? agents.routes[path.replace(/[^/]+$/, '*')]
    if (route) void route(req, res)
    else listener(req, res)
  })
  atTestEnd.push(async () => {
    await live.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await agents.close()
    await sweeper.stop()
    await releases.close()
    await store.close()
    if (given.dataDir === undefined) rmSync(dir, { recursive: true, force: true })
  })

  const workspace = async (slug: string) => {
    const made = value(await createWorkspace({ people: deps, by: operator, now: now() }, { slug, name: slug }))
    value(await activate({ db: store.db, by: operator, now: now() }, slug, 'svc'))
    return made
  }
  const person = async (name: string, slug: string, role: Role) => {
    const email = `${name.toLowerCase()}@example.org`
    const { password: hashing } = await auth.$context
    const ready = { email, name, hash: await hashing.hash(password) }
    value(
      await decideWithAccounts(deps, (trx, accounts) =>
        insertPerson({ db: trx, by: operator, now: now() }, accounts, ready),
      ),
    )
    value(await addMember({ people: deps, by: operator, now: now() }, { slug, email, role }))
    return signedIn(email)
  }
  const signedIn = async (email: string) => {
    const browser = browserOf(origin)
    const token = value(await createLink({ db: store.db, by: operator, now: now() }, 'sign_in', email))
    const { status } = await browser.send('POST', '/api/web/link', { token }, { origin: baseUrl })
    if (status !== 200) throw new Error(`Signing ${email} in answered ${status}.`)
    return browser
  }
  const agent = async (place: { id: string }, name: string) =>
    value(await createAgent({ db: store.db, by: operator, now: now() }, place, name))
  const reports = async (token: string, parts: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ protocol: 1, ...parts })
    const answer = await fetch(`${origin}/api/agent/v1/report`, { method: 'POST', headers, body })
    if (answer.status !== 200) throw new Error(`The report was refused: ${await answer.text()}`)
    return (await answer.json()) as AgentAnswer
  }
  /** Uploads a requested log over HTTP, as the agent with this token. */
  const uploads = async (token: string, log: { command: string; name: string; text: string }) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(`${origin}/api/agent/v1/log`, { method: 'POST', headers, body: JSON.stringify(log) })
    if (!answer.ok) throw new Error(`The log was refused: ${await answer.text()}`)
  }
  return {
    ...deps,
    server,
    /** The log entries at the levels error and fatal. */
    errors,
    /** The lines of the log as they are written, in order. */
    lines,
    reports,
    uploads,
    /** Runs a round of the sweeper. */
    sweeps: () => sweeper.sweep(),
    origin,
    baseUrl,
    app,
    dir,
    workspace,
    person,
    signedIn,
    agent,
    browser: () => browserOf(origin),
    /**
     * Advances the service's clock by this many seconds. Sessions do not follow it, because the accounts library uses
     * the machine's clock.
     */
    pass: (seconds: number) => {
      ahead += seconds * 1000
    },
  }
}

export function value<T>(verdict: { ok: true; value: T } | { ok: false; message: string }): T {
  if (!verdict.ok) throw new Error(verdict.message)
  return verdict.value
}

export function browserOf(origin: string): Browser {
  const jar = new Map<string, string>()
  const send = async <T>(method: string, path: string, body?: unknown, more: Record<string, string> = {}) => {
    const headers: Record<string, string> = { origin, 'sec-fetch-site': 'same-origin', ...more }
    if (method === 'GET') delete headers.origin
    if (jar.size > 0) headers.cookie = [...jar].map(([k, v]) => `${k}=${v}`).join('; ')
    if (body !== undefined) headers['content-type'] ??= 'application/json'
    for (const [name, v] of Object.entries(headers)) if (v === '') delete headers[name]
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await fetch(origin + path, {
      method,
      headers,
      redirect: 'manual',
      ...(text !== undefined && { body: text }),
    })
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', content = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (/max-age=0/i.test(cookie) || content === '') jar.delete(name)
      else jar.set(name, content)
    }
    const read = await answer.text()
    return { status: answer.status, headers: answer.headers, body: parseJson(read) as T, text: read }
  }
  return {
    get: <T>(path: string, headers?: Record<string, string>) => send<T>('GET', path, undefined, headers),
    send,
    get cookie() {
      return [...jar].map(([k, v]) => `${k}=${v}`).join('; ')
    },
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
