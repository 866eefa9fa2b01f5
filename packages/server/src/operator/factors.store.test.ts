/**
 * Tests second factors over everything that the operator does with the data: a backup and its restore, the move to
 * PostgreSQL, another file `secret`. What the data and the log say must not help anybody to sign in.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Factors, NewTotp, RecoveryCodes, SignInAnswer } from '@svc/api'
import { sql } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fileBeforeFactors, keptBeforeFactors } from '../../testing/earlier/before-factors.ts'
import { type Browser, operator, password, type Service, serve, value } from '../../testing/page/service.ts'
import { addPasskey, passkeyRequest, type TestPasskey, usePasskey } from '../../testing/passkeys.ts'
import { testConfig } from '../../testing/service.ts'
import { everyEngine, newPostgresDatabase, openTestSqlite } from '../../testing/stores.ts'
import { createLink } from '../people/accounts/links.ts'
import { databaseFile, secretFile, secretOf } from '../platform/data-folder.ts'
import { openEmbedded, openPostgres, type Store } from '../platform/db/open.ts'
import { writeBackup } from './backup/backup.ts'
import { restoreBackup } from './backup/restore.ts'
import { moveRows } from './move/move.ts'

const email = 'ann@example.org'
const api = (path: string) => `/api/web${path}`

interface App {
  secret: string
  recovery: string[]
  /** The code that the app shows at the time of a service. */
  code(service: Service): string
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-factors-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Adds an authenticator app in this browser. */
async function enrol(service: Service, browser: Browser): Promise<App> {
  const { secret } = (await browser.send<NewTotp>('POST', api('/factors/totp'))).body
  const code = (at: Service) => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at.now() })
  const added = await browser.send<RecoveryCodes>('POST', api('/factors/totp/confirm'), { code: code(service) })
  expect(added.status).toBe(200)
  service.pass(60)
  return { secret, recovery: added.body.recovery, code }
}

async function enrolled(store: Store, smtpUrl?: string) {
  const service = await serve({ postgres: store, hostname: 'localhost', ...(smtpUrl !== undefined && { smtpUrl }) })
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  return { service, ann, app: await enrol(service, ann) }
}

/** Serves the data of this store, with a clock that is later than any code which was used before. */
async function later(store: Store, dataDir: string): Promise<Service> {
  const service = await serve({ postgres: store, dataDir, hostname: 'localhost' })
  service.pass(300)
  return service
}

const withPassword = (browser: Browser, who = email, secret = password) =>
  browser.send<SignInAnswer>('POST', '/api/auth/sign-in/email', { email: who, password: secret })
const second = (browser: Browser, given: object) =>
  browser.send<{ error?: { code: string } }>('POST', api('/second-factor'), given)

/** Signs in with the password and this second factor, and returns the browser and the answer to the factor. */
async function signsIn(service: Service, given: object) {
  const browser = service.browser()
  expect((await withPassword(browser)).body).toEqual({
    ok: false,
    second: expect.arrayContaining(['totp', 'recovery']),
  })
  const { status, body } = await second(browser, given)
  return { browser, status, refusal: body.error?.code }
}

async function expectFactorWorks(service: Service, app: App): Promise<void> {
  expect((await signsIn(service, { code: '000000' })).status).toBe(401)
  const code = app.code(service)
  expect((await signsIn(service, { code })).status).toBe(200)
  expect((await signsIn(service, { code })).status).toBe(401)
  const recovery = app.recovery[7] ?? ''
  expect((await signsIn(service, { recovery })).status).toBe(200)
  expect((await signsIn(service, { recovery })).status).toBe(401)
}

/** The service answers at another port than the one at which the passkey was added, which the passkey does not mind. */
const passkeySignsIn = (service: Service, passkey: TestPasskey) =>
  usePasskey(service.browser(), passkey, { origin: service.baseUrl })

async function restored(file: string): Promise<Service> {
  const folder = newFolder()
  expect(await restoreBackup(folder, file, undefined, Date.now())).toMatchObject({ ok: true })
  return later(openEmbedded(databaseFile(folder)), folder)
}

test('a restored backup has the factors, and neither its sessions nor its first halves are good', async () => {
  const { service, ann, app } = await enrolled(await openTestSqlite())
  const passkey = await addPasskey(ann, service.baseUrl)
  const half = service.browser()
  await withPassword(half)
  const file = join(newFolder(), 'backup')
  value(await writeBackup(service, file, service.now()))
  const there = await restored(file)
  expect((await passkeySignsIn(there, passkey)).status).toBe(200)
  // The port of a service is in the names of its cookies.
  const here = ({ cookie }: Browser) => cookie.replaceAll(/\.\d+=/g, '=')
  const me = await there.browser().get(api('/me'), { cookie: here(ann) })
  const given = { code: app.code(there) }
  const completed = await there.browser().send('POST', api('/second-factor'), given, { cookie: here(half) })
  expect([me.status, completed.status]).toEqual([401, 401])
  await expectFactorWorks(there, app)
})

test('a restored backup of the version before has no factors, and one can be added', async () => {
  const { secret, password: hers } = keptBeforeFactors('sqlite')
  const folder = newFolder()
  writeFileSync(secretFile(folder), secret)
  const store = openEmbedded(fileBeforeFactors())
  const file = join(folder, 'backup')
  value(await writeBackup({ store, config: testConfig({ dataDir: folder }) }, file, Date.now()))
  await store.close()
  const folderOfRestored = newFolder()
  expect(await restoreBackup(folderOfRestored, file, undefined, Date.now())).toMatchObject({ ok: true })
  expect(secretOf(folderOfRestored)).toBe(secret)
  const there = await serve({
    postgres: openEmbedded(databaseFile(folderOfRestored)),
    dataDir: folderOfRestored,
    passwordForm: 'scrypt',
  })
  const ada = there.browser()
  expect((await withPassword(ada, 'ada@example.org', hers)).body).toEqual({ ok: true })
  expect((await ada.get<Factors>(api('/factors'))).body).toMatchObject({ totp: false, recoveryLeft: 0 })
  await enrol(there, ada)
  expect((await withPassword(there.browser(), 'ada@example.org', hers)).body).toMatchObject({ ok: false })
})

test('the move to PostgreSQL takes factors along', async () => {
  const from = await openTestSqlite()
  const { service, ann, app } = await enrolled(from)
  const passkey = await addPasskey(ann, service.baseUrl)
  const to = openPostgres(await newPostgresDatabase())
  if (from.engine !== 'sqlite' || to.engine !== 'postgres') throw new Error('Not what was opened.')
  expect(await moveRows(from, to)).toMatchObject({ ok: true })
  const there = await later(to, service.dir)
  expect((await passkeySignsIn(there, passkey)).status).toBe(200)
  await expectFactorWorks(there, app)
})

describe.each(everyEngine)('on %s', (engine, open) => {
  test('with another file "secret" codes are refused with the reason, and recovery codes lead to a new app', async () => {
    const { service, ann, app } = await enrolled(await open())
    const passkey = await addPasskey(ann, service.baseUrl)
    writeFileSync(secretFile(service.dir), 'another secret of at least thirty-two characters')
    expect((await passkeySignsIn(service, passkey)).status, 'a passkey needs no secret of the service').toBe(200)
    expect(await signsIn(service, { code: app.code(service) })).toMatchObject({ refusal: 'factor_unreadable' })
    const { browser, status } = await signsIn(service, { recovery: app.recovery[0] })
    expect(status).toBe(200)
    expect((await browser.get<Factors>(api('/factors'))).body).toMatchObject({ totp: true, unreadable: true })
    expect((await browser.send('DELETE', api('/factors/totp'))).status).toBe(200)
    const next = await enrol(service, browser)
    await expectFactorWorks(service, next)
  })

  test('no log line, row or backup holds a secret of an app, a recovery code, a link, a half or a challenge', async () => {
    const { service, ann, app } = await enrolled(await open(), 'smtp://localhost:1')
    const passkey = await addPasskey(ann, service.baseUrl)
    const shower = service.browser()
    const { challenge } = await passkeyRequest(shower)
    const [sealed] = /svc\.passkey\.\d+=([^;]+)/.exec(shower.cookie)?.slice(1) ?? []
    const response = passkey.uses({ challenge })
    expect((await shower.send('POST', api('/passkey'), { response })).status).toBe(200)
    const next = 'another good password'
    const links = await Promise.all(
      (['sign_in', 'claim', 'forgot'] as const).map(async (purpose) =>
        value(await createLink({ db: service.store.db, by: operator, now: service.now() }, purpose, email)),
      ),
    )
    const invitation = { email: 'cy@example.org', role: 'admin', mail: true }
    const { url } = (await ann.send<{ url: string }>('POST', api('/w/north/invitations'), invitation)).body
    const half = service.browser()
    await withPassword(half)
    const [token] = /svc\.half\.\d+=([\w-]{43})/.exec(half.cookie)?.slice(1) ?? []
    const unconfirmed = (
      await service.person('Bob', 'north', 'member').then((bob) => bob.send<NewTotp>('POST', api('/factors/totp')))
    ).body.secret
    await second(half, { code: '000000' })
    await second(half, { code: app.secret })
    await half.send('POST', api('/second-factor'), `{"recovery": "${app.recovery[1]}"`)
    await second(half, { code: 'x'.repeat(200), recovery: app.recovery[1] })
    await ann.send('POST', api('/proof'), { password })
    await ann.send('POST', api('/proof'), { code: app.recovery[1] })
    await signsIn(service, { recovery: app.recovery[2] })
    await service.browser().get(api(`/claim?token=${links[2]}`))
    await service.browser().send('POST', api('/claim'), { token: links[2], name: 'Ann', password: next })
    await service.browser().send('POST', api('/link'), { token: links[0] })
    await service.browser().get(api(`/invitations/${url.split('/').at(-1)}`))
    await service
      .browser()
      .send('POST', api('/second-factor'), { recovery: app.recovery[3] }, { cookie: `svc.half=${token}` })

    const bare = (code: string) => code.replaceAll('-', '')
    const bytes = (base32: string) => Buffer.from(Secret.fromBase32(base32).buffer)
    const hidden: (string | Buffer)[] = [
      ...[app.secret, bytes(app.secret), unconfirmed, bytes(unconfirmed), bytes(app.secret).toString('hex')],
      ...app.recovery.flatMap((code) => [code, bare(code), bare(code).toUpperCase()]),
      ...links,
      url.split('.').at(-1) ?? '',
      token ?? '',
      challenge,
      sealed ?? '',
      response.response.signature,
      password,
      next,
    ]
    for (const one of hidden) expect(one.length).toBeGreaterThan(15)
    const said: Record<string, Buffer> = {
      log: Buffer.from(service.lines.join('\n')),
      rows: await rowsOf(service.store),
    }
    expect(service.lines.length).toBeGreaterThan(5)
    if (engine === 'SQLite') {
      const file = join(newFolder(), 'backup')
      value(await writeBackup(service, file, service.now()))
      said.backup = readFileSync(file)
      said.database = readFileSync(service.store.engine === 'sqlite' ? String(service.store.sqlite.location()) : '')
    }
    for (const [where, text] of Object.entries(said))
      expect([where, hidden.filter((one) => text.includes(one))]).toEqual([where, []])
  })
})

/** All rows of all tables. */
async function rowsOf({ db }: Store): Promise<Buffer> {
  const all: string[] = []
  for (const { name } of await db.introspection.getTables())
    all.push(JSON.stringify((await sql`select * from ${sql.table(name)}`.execute(db)).rows))
  return Buffer.from(all.join('\n'))
}
