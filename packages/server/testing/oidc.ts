/**
 * For tests: a sign-in provider (OpenID Connect) on 127.0.0.1, with people, claims and failures to choose. A test
 * begins with `startProvider`, gives its `settings` to `serve` (or its `env` to a process), and calls `knows` with the
 * base address. Then `signInThrough` does what a browser does. A real browser gets a page with a button "Continue as
 * ann" for each of `people`, and "Cancel". `people` and `fails` may be changed at any time.
 */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { afterThisTest } from '../../../testing/cleaning.ts'
import type { OidcSettings } from '../src/platform/base.ts'
import type { Answer, Browser } from './page/service.ts'

/** The claims of a person at the provider, by the id there (`sub`). */
export type ProviderPeople = Record<string, Record<string, unknown>>

/** The ways in which the provider fails. */
export interface ProviderFails {
  /**
   * How the provider answers every call of the service; browsers are answered as usual. `silent`: it never answers.
   * `drip`: it sends one byte a second, without end.
   */
  calls?: 'silent' | 'drip' | 'html' | 'large' | 'elsewhere' | 'error'
  /** The milliseconds after which it begins to handle a call of the service. */
  delay?: number
  /** Changes the claims of a token before it is signed. */
  claims?: (claims: Record<string, unknown>) => Record<string, unknown>
  /** Signs with another key, or changes the token after it was signed. */
  signature?: 'other key' | 'changed' | 'none'
  /** Takes a code as often as it is given. */
  repeats?: boolean
}

export interface TestProvider {
  issuer: string
  /** The settings of a service that uses the provider. */
  settings: OidcSettings
  /** The same as the environment of a process. */
  env: Record<string, string>
  people: ProviderPeople
  fails: ProviderFails
  /** The paths that the service called, in order. */
  calls: string[]
  /** The paths of calls whose connection the service ended before it had the whole answer, in order. */
  cut: string[]
  /** Lets the provider send browsers back to a service at this base address. */
  knows(baseUrl: string): void
  close(): Promise<void>
}

const people = (): ProviderPeople => ({
  ann: { email: 'ann@example.org', email_verified: true, name: 'Ann' },
  bob: { email: 'bob@example.org', email_verified: true, name: 'Bob' },
})
const client = { id: 'svc', secret: 'a-secret-of-the-tests-long-enough-for-a-provider' }

const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
let keys: { own: KeyObject; other: KeyObject } | undefined

/** Starts the provider. It ends with the test. */
export async function startProvider(given: Partial<OidcSettings> = {}): Promise<TestProvider> {
  keys ??= { own: newKey(), other: newKey() }
  const { own, other } = keys
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const known: string[] = []
  const provider = new Provider(
    issuer,
    configurationOf(own, known, () => test),
  )
  const handle = provider.callback()
  const settings: OidcSettings = {
    issuer: `${issuer}/`,
    ...{ clientId: client.id, clientSecret: client.secret },
    ...{ allow: ['example.org'], name: 'Example', only: false },
    ...given,
  }
  const test: TestProvider = {
    issuer,
    settings,
    env: {
      SVC_OIDC_ISSUER: issuer,
      SVC_OIDC_CLIENT_ID: settings.clientId,
      SVC_OIDC_CLIENT_SECRET: settings.clientSecret,
      SVC_OIDC_ALLOW: settings.allow === '*' ? '*' : settings.allow.join(','),
      SVC_OIDC_NAME: settings.name,
      SVC_OIDC_ONLY: settings.only ? 'on' : 'off',
    },
    people: people(),
    fails: {},
    calls: [],
    cut: [],
    knows: (baseUrl) => known.push(`${baseUrl}/api/web/oidc/callback`),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  const calls = /^\/(?:\.well-known\/openid-configuration|jwks|token|me|elsewhere)(?:\?|$)/

  server.on('request', (req, res) => {
    const path = req.url ?? '/'
    const isCall = calls.test(path)
    if (!isCall) return answer(path, req, res)
    test.calls.push(path)
    res.on('close', () => {
      if (!res.writableFinished) test.cut.push(path)
    })
    setTimeout(() => {
      if (test.fails.calls) failedCall(test.fails.calls, res)
      else answer(path, req, res)
    }, test.fails.delay ?? 0)
  })
  function answer(path: string, req: IncomingMessage, res: ServerResponse): void {
    if (path.startsWith('/interaction/')) return void interact(provider, test.people, req, res)
    if (path.startsWith('/token')) changeAnswer(res)
    handle(req, res)
  }
  afterThisTest(test.close)
  return test

  /** Changes the answer with the token, as `fails` says. */
  function changeAnswer(res: ServerResponse): void {
    const { end } = res
    res.end = ((body?: string | Buffer) => {
      const text = changed(String(body ?? ''))
      res.setHeader('content-length', Buffer.byteLength(text))
      return end.call(res, text, 'utf8')
    }) as typeof end
  }

  function changed(text: string): string {
    const { claims, signature } = test.fails
    const answer = JSON.parse(text) as { id_token?: string }
    if (!answer.id_token) return text
    if (claims || signature) answer.id_token = tampered(answer.id_token, claims, signature)
    return JSON.stringify(answer)
  }

  function tampered(token: string, claims: ProviderFails['claims'], how: ProviderFails['signature']): string {
    const [head = '', body = ''] = token.split('.')
    const said = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>
    const next = base64url(JSON.stringify(claims ? claims(said) : said))
    const header = how === 'none' ? base64url('{"alg":"none"}') : head
    const signed = sign('sha256', Buffer.from(`${header}.${next}`), how === 'other key' ? other : own)
    if (how === 'changed') signed[0] = (signed[0] ?? 0) ^ 1
    return `${header}.${next}.${how === 'none' ? '' : signed.toString('base64url')}`
  }
}

const base64url = (text: string) => Buffer.from(text).toString('base64url')

function configurationOf(key: KeyObject, known: string[], test: () => TestProvider) {
  const jwk = key.export({ format: 'jwk' })
  const kid = createHash('sha256').update(String(jwk.n)).digest('base64url').slice(0, 8)
  return {
    jwks: { keys: [{ ...jwk, kid, alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['a key of the tests'] },
    adapter: rowsOf(known, test),
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    // Most providers put the claims into the token, too.
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false }, userinfo: { enabled: true } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    renderError: (ctx: { body: string; type: string }, { error }: { error: string }) => {
      ctx.type = 'text/plain'
      ctx.body = `The provider refused this: ${error}`
    },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, ...test().people[id] }),
    }),
    async loadExistingGrant(ctx: {
      oidc: { session: { accountId: string }; client: { clientId: string }; provider: Provider }
    }) {
      const { session, client, provider } = ctx.oidc
      const grant = new provider.Grant({ accountId: session.accountId, clientId: client.clientId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
    ttl: { AccessToken: 60, AuthorizationCode: 60, IdToken: 60, Grant: 600, Interaction: 600, Session: 600 },
  }
}

/** The rows of the provider, in memory. The only client is the service, at the addresses that are known now. */
function rowsOf(known: string[], test: () => TestProvider) {
  type Row = Record<string, unknown> & { uid?: string; grantId?: string; consumed?: number }
  const rows = new Map<string, Row>()
  return class {
    readonly name: string
    constructor(name: string) {
      this.name = name
    }
    #key = (id: string) => `${this.name} ${id}`
    async upsert(id: string, row: Row) {
      rows.set(this.#key(id), row)
    }
    async find(id: string) {
      if (this.name !== 'Client') return rows.get(this.#key(id))
      if (id !== client.id) return undefined
      return {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: known,
        response_types: ['code'],
        grant_types: ['authorization_code'],
        // The service may be reached over plain http on this machine.
        application_type: 'web',
      }
    }
    async findByUid(uid: string) {
      return [...rows].find(([key, row]) => key.startsWith(`${this.name} `) && row.uid === uid)?.[1]
    }
    async findByUserCode() {
      return undefined
    }
    async consume(id: string) {
      const row = rows.get(this.#key(id))
      if (row && !test().fails.repeats) row.consumed = Math.floor(Date.now() / 1000)
    }
    async destroy(id: string) {
      rows.delete(this.#key(id))
    }
    async revokeByGrantId(grantId: string) {
      for (const [key, row] of rows) if (row.grantId === grantId) rows.delete(key)
    }
  }
}

/** The page on which somebody chooses who they are, and the press of a button on it. */
async function interact(
  provider: Provider,
  people: ProviderPeople,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  if (req.method === 'POST') {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const who = new URLSearchParams(Buffer.concat(chunks).toString()).get('who') ?? ''
    const result = Object.hasOwn(people, who) ? { login: { accountId: who } } : { error: 'access_denied' }
    await provider.interactionFinished(req, res, result)
    return
  }
  await provider.interactionDetails(req, res)
  const buttons = Object.keys(people).map((who) => `<button name="who" value="${who}">Continue as ${who}</button>`)
  res.setHeader('content-type', 'text/html; charset=utf-8')
  res.end(
    `<!doctype html><html lang="en"><title>Example</title><main><h1>Example</h1><form method="post">${buttons.join('')}<button name="who" value="">Cancel</button></form></main></html>`,
  )
}

/** Answers a call of the service in one of the ways in which a provider can fail. */
function failedCall(how: NonNullable<ProviderFails['calls']>, res: ServerResponse): void {
  if (how === 'silent') return
  if (how === 'drip') drip(res)
  else if (how === 'elsewhere') res.writeHead(302, { location: '/elsewhere' }).end()
  else if (how === 'html') res.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>')
  else if (how === 'error') res.writeHead(500).end('{}')
  else res.writeHead(200, { 'content-type': 'application/json' }).end(`"${'x'.repeat(1_100_000)}"`)
}

function drip(res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'application/json' }).write(' ')
  const dripping = setInterval(() => res.write(' '), 1000)
  res.on('close', () => clearInterval(dripping))
}

/** A browser at the provider: it keeps the provider's cookies, and does what a person does there. */
export function providerBrowser(provider: TestProvider) {
  const jar = new Map<string, string>()
  const send = async (url: URL, init: { method: string; body?: URLSearchParams } = { method: 'GET' }) => {
    const headers = { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') }
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' })
    await answer.arrayBuffer()
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    return answer
  }
  return {
    /** Goes to the provider and presses the button of somebody, and returns the address to which it leads back. */
    async goes(location: string, who: string): Promise<URL> {
      let url = new URL(location)
      for (let hop = 0; url.origin === provider.issuer; hop++) {
        if (hop > 10) throw new Error('The provider leads nowhere.')
        let answer = await send(url)
        if (answer.status === 200 && url.pathname.startsWith('/interaction/'))
          answer = await send(url, { method: 'POST', body: new URLSearchParams({ who }) })
        const next = answer.headers.get('location')
        if (next === null) throw new Error(`The provider answered ${answer.status} at ${url.pathname}.`)
        url = new URL(next, url)
      }
      return url
    },
  }
}

/** The headers of a navigation from another site. */
export const fromElsewhere = {
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
}

/** Goes to the callback, the address of the service to which the provider redirects. */
export const followCallback = (browser: Browser, { pathname, search }: URL): Promise<Answer> =>
  browser.get(pathname + search, fromElsewhere)

/** Signs in through the provider as somebody who is known there, and returns the answer to the callback. */
export async function signInThrough(
  provider: TestProvider,
  browser: Browser,
  who: string,
  query = '',
): Promise<Answer> {
  const start = await browser.get(`/api/web/oidc/start${query}`)
  const location = start.headers.get('location') ?? ''
  if (!location.startsWith(provider.issuer)) return start
  return followCallback(browser, await providerBrowser(provider).goes(location, who))
}
