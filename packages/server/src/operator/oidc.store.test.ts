/**
 * Tests accounts that are connected with a sign-in provider over everything that the operator does: commands, a backup
 * and its restore, the move to PostgreSQL. What the data and the log say must not help anybody to sign in.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Me } from '@svc/api'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { followCallback, providerBrowser, signInThrough, startProvider, type TestProvider } from '../../testing/oidc.ts'
import { type ServeOptions, type Service, serve, value } from '../../testing/page/service.ts'
import { everyEngine, newPostgresDatabase, openTestSqlite } from '../../testing/stores.ts'
import type { OidcSettings } from '../platform/base.ts'
import { databaseFile } from '../platform/data-folder.ts'
import { openEmbedded, openPostgres, type Store } from '../platform/db/open.ts'
import { writeBackup } from './backup/backup.ts'
import { restoreBackup } from './backup/restore.ts'
import { commands } from './commands/all.ts'
import { moveRows } from './move/move.ts'
import type { ServiceParts } from './shared/request.ts'
import { runOperatorCommand } from './socket/socket.ts'

const email = 'ann@example.org'
const api = (path: string) => `/api/web${path}`

async function served(provider: TestProvider, given: ServeOptions): Promise<Service> {
  const service = await serve({ hostname: 'localhost', oidc: provider.settings, ...given })
  provider.knows(service.baseUrl)
  return service
}

/** A service in which Ann has an account by the provider, beside the admin Kim. */
async function connected(postgres: Store, settings: Partial<OidcSettings> = {}) {
  const provider = await startProvider(settings)
  const service = await served(provider, { postgres })
  await service.workspace('north')
  await service.person('Kim', 'north', 'admin')
  const ann = service.browser()
  await signInThrough(provider, ann, 'ann')
  const id = (await ann.get<Me>(api('/me'))).body.id
  return { provider, service, ann, id }
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-oidc-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Runs a command of the operator, and returns its value and what it prints. */
async function operates(service: Service, name: string, args: string[], options: Record<string, unknown> = {}) {
  const request = { args, options, input: '' } as Parameters<typeof runOperatorCommand>[1]
  const outcome = await runOperatorCommand(name, request, service as unknown as ServiceParts)
  return outcome.ok
    ? { value: outcome.value as unknown, says: commands[name]?.show(outcome.value) }
    : { value: undefined, says: outcome.message }
}

/** Signs Ann in through the provider, and returns the id of her account. */
async function signsIn(provider: TestProvider, service: Service): Promise<string | undefined> {
  const browser = service.browser()
  await signInThrough(provider, browser, 'ann')
  return (await browser.get<Me>(api('/me'))).body.id
}

test('a restored backup has the connection, and its sessions are not good', async () => {
  const { provider, service, ann, id } = await connected(await openTestSqlite())
  const file = join(newFolder(), 'backup')
  value(await writeBackup(service, file, service.now()))
  const folder = newFolder()
  expect(await restoreBackup(folder, file, undefined, Date.now())).toMatchObject({ ok: true })
  const there = await served(provider, { postgres: openEmbedded(databaseFile(folder)), dataDir: folder })
  const cookie = ann.cookie.replaceAll(/\.\d+=/g, '=')
  expect((await there.browser().get(api('/me'), { cookie })).status).toBe(401)
  expect(await signsIn(provider, there)).toBe(id)
})

test('the move to PostgreSQL takes the connection along', async () => {
  const from = await openTestSqlite()
  const { provider, service, id } = await connected(from)
  const to = openPostgres(await newPostgresDatabase())
  if (from.engine !== 'sqlite' || to.engine !== 'postgres') throw new Error('Not what was opened.')
  expect(await moveRows(from, to)).toMatchObject({ ok: true })
  expect(await signsIn(provider, await served(provider, { postgres: to, dataDir: service.dir }))).toBe(id)
})

describe.each(everyEngine)('on %s', (engine, open) => {
  test('the list of people says who is connected, and the deletion that the provider still lets them in', async () => {
    const { provider, service, id } = await connected(await open())
    const { value: people, says } = await operates(service, 'person list', [])
    expect(people).toMatchObject([
      { email, oidc: true, factors: [] },
      { email: 'kim@example.org', oidc: false },
    ])
    expect(says).toMatch(/ann@example\.org +yes +Ann +- +provider/)
    const kims = await operates(service, 'person delete', ['kim@example.org'], { yes: true })
    expect(kims.says).not.toContain('provider')
    const anns = await operates(service, 'person delete', [email], { yes: true })
    expect(anns.says).toContain('person disable')
    expect(await service.store.db.selectFrom('oidc_connection').selectAll().execute()).toEqual([])
    await service.person('Zoe', 'north', 'admin')
    const next = await signsIn(provider, service)
    expect(next).toBeDefined()
    expect(next).not.toBe(id)
  })

  test('new passwords and removed factors leave the connection and say so; a reset with --provider ends it', async () => {
    const { service, id } = await connected(await open())
    const rows = () => service.store.db.selectFrom('oidc_connection').selectAll().execute()
    expect((await operates(service, 'person reset', [email], {})).says).toContain('--provider')
    expect((await operates(service, 'person reset-factor', [email], {})).says).toContain('no second factor')
    expect(await rows()).toHaveLength(1)
    const reset = await operates(service, 'person reset-factor', [email], { provider: true })
    expect(reset.value).toEqual({ email, factors: [], connected: false })
    expect(reset.says).not.toContain('--provider')
    expect(await rows()).toEqual([])
    const lines = service.store.db.selectFrom('audit').select('actor').where('action', '=', 'person.oidc_removed')
    expect(await lines.execute()).toEqual([{ actor: 'operator' }])
    expect(await service.store.db.selectFrom('session').selectAll().where('userId', '=', id).execute()).toEqual([])
  })

  test('where nobody signs in with a password, commands make none, and a link signs in', async () => {
    const { service } = await connected(await open(), { only: true })
    const name = { name: 'Bob' }
    for (const [command, args, options] of [
      ['person create', ['bob@example.org'], name],
      ['person reset', [email], {}],
      ['link', [email], { claim: true }],
    ] as const)
      expect((await operates(service, command, [...args], options)).says).toContain('SVC_OIDC_ONLY')
    expect((await operates(service, 'link', [email])).says).toContain('/link')
  })

  test('no log line, row or backup holds the secret of the client, a code, a state or a token', async () => {
    const { provider, service } = await connected(await open())
    const browser = service.browser()
    const start = await browser.get(api('/oidc/start'))
    const asked = new URL(start.headers.get('location') ?? '')
    const [sealed] = /svc\.oidc\.\d+=([^;]+)/.exec(browser.cookie)?.slice(1) ?? []
    const way = await providerBrowser(provider).goes(asked.href, 'ann')
    await followCallback(browser, way)
    await followCallback(browser, way)
    const of = (url: URL, name: string) => url.searchParams.get(name) ?? ''
    const hidden = [
      provider.settings.clientSecret,
      sealed ?? '',
      of(way, 'code'),
      of(asked, 'state'),
      of(asked, 'nonce'),
    ]
    for (const one of hidden) expect(one.length).toBeGreaterThan(15)
    const said: Record<string, Buffer> = {
      log: Buffer.from(service.lines.join('\n')),
      rows: await rowsOf(service.store),
    }
    if (engine === 'SQLite') {
      const file = join(newFolder(), 'backup')
      value(await writeBackup(service, file, service.now()))
      said.backup = readFileSync(file)
    }
    for (const [where, text] of Object.entries(said)) {
      expect([where, hidden.filter((one) => text.includes(one))]).toEqual([where, []])
      expect([where, text.includes('eyJhbGciOiJSUzI1NiI')]).toEqual([where, false])
    }
  })
})

/** All rows of all tables. */
async function rowsOf({ db }: Store): Promise<Buffer> {
  const all: string[] = []
  for (const { name } of await db.introspection.getTables())
    all.push(JSON.stringify((await sql`select * from ${sql.table(name)}`.execute(db)).rows))
  return Buffer.from(all.join('\n'))
}
