/** Tests passkeys over HTTP on both engines: what several requests and several nodes do at the same moment. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Factors, PasskeyCreation } from '@svc/api'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { type Browser, operator, serve } from '../../../testing/page/service.ts'
import { addPasskey, passkeyRequest, testPasskey, usePasskey } from '../../../testing/passkeys.ts'
import { bothEngines, newPostgresDatabase, openTestPostgres } from '../../../testing/stores.ts'
import { insertLink } from '../../people/accounts/links.ts'
import { findPerson } from '../../people/accounts/store.ts'
import { maxPasskeys, notePasskeyUse } from '../../people/factors/passkeys.ts'
import { openPostgres, type Store } from '../../platform/db/open.ts'
import { transaction } from '../../platform/db/transaction.ts'

const api = (path: string) => `/api/web${path}`
async function begun(postgres: Store) {
  const service = await serve({ postgres, hostname: 'localhost' })
  await service.workspace('north')
  return { service, ann: await service.person('Ann', 'north', 'admin') }
}
const sessionsIn = async ({ db }: Store) => (await db.selectFrom('session').select('id').execute()).length
const begin = async (browser: Browser) =>
  (await browser.send<PasskeyCreation>('POST', api('/factors/passkeys/options'))).body
const adds = (browser: Browser, response: unknown, cookie = browser.cookie) =>
  browser.send<{ error?: { code: string } }>('POST', api('/factors/passkeys'), { name: 'x', response }, { cookie })

describe.each(bothEngines)('on %s', (_engine, open) => {
  test('an answer that arrives four times at the same moment signs in once', async () => {
    const { service, ann } = await begun(await open())
    const passkey = await addPasskey(ann, service.baseUrl)
    const browser = service.browser()
    const response = passkey.uses(await passkeyRequest(browser))
    const { cookie } = browser
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => service.browser().send('POST', api('/passkey'), { response }, { cookie })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
    expect(await sessionsIn(service.store)).toBe(2)
  })

  test('of two uses with one counter at the same moment one signs in, and of a device that does not count both', async () => {
    const { service, ann } = await begun(await open())
    for (const [counts, statuses] of [
      [true, [200, 401]],
      [false, [200, 200]],
    ] as const) {
      const passkey = await addPasskey(ann, service.baseUrl, { counts })
      const uses = await Promise.all(
        [service.browser(), service.browser()].map((browser) =>
          usePasskey(browser, passkey, counts ? { counter: 7 } : {}),
        ),
      )
      expect(uses.map(({ status }) => status).sort()).toEqual(statuses)
    }
  })

  test('passkeys that are added at the same moment stay within the bound, and one answer adds one', async () => {
    const { service, ann } = await begun(await open())
    for (let i = 0; i < maxPasskeys - 2; i++) await addPasskey(ann, service.baseUrl)
    const made: [response?: unknown, cookie?: string][] = []
    for (let i = 0; i < 5; i++) made.push([testPasskey(service.baseUrl, await begin(ann)).made, ann.cookie])
    const answers = await Promise.all(
      [...made, made[0] ?? []].map(([response, cookie]) => adds(service.browser(), response, cookie)),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2)
    expect((await ann.get<Factors>(api('/factors'))).body.passkeys).toHaveLength(maxPasskeys)
  })

  test('a sign-in and the removal of its passkey at the same moment: either it comes first or there is none', async () => {
    const { service, ann } = await begun(await open())
    const passkey = await addPasskey(ann, service.baseUrl)
    const browser = service.browser()
    const [used, removed] = await Promise.all([
      usePasskey(browser, passkey),
      ann.send('DELETE', api(`/factors/passkeys/${passkey.stored}`)),
    ])
    expect(removed.status).toBe(200)
    expect(await sessionsIn(service.store)).toBe(used.status === 200 ? 2 : 1)
    expect((await usePasskey(service.browser(), passkey)).status).toBe(401)
  })
})

test('an answer on two nodes at the same moment signs in once, and each node takes what the other began (PostgreSQL)', async () => {
  const url = await newPostgresDatabase()
  const { service: first, ann } = await begun(openPostgres(url))
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-second-node-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const passkey = await addPasskey(ann, first.baseUrl)
  cpSync(join(first.dir, 'secret'), join(dataDir, 'secret'))
  const second = await serve({ postgres: openPostgres(url), dataDir, baseUrl: first.baseUrl })
  for (let round = 0; round < 5; round++) {
    const browser = first.browser()
    const response = passkey.uses(await passkeyRequest(browser))
    const { cookie } = browser
    const answers = await Promise.all(
      [first, second, first, second].map((node) =>
        node.browser().send('POST', api('/passkey'), { response }, { cookie, origin: first.baseUrl }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
  }
  expect(await sessionsIn(first.store)).toBe(6)
})

test('while a node of an earlier version runs, no passkey is added, since it would take a password as the proof (PostgreSQL)', async () => {
  const { service, ann } = await begun(await openTestPostgres())
  const { db } = service.store
  const { made } = testPasskey(service.baseUrl, await begin(ann))
  await sql`insert into factor_node (node, at, rule_filters) values ('earlier', ${service.now()}, 1)`.execute(db)
  const begins = await ann.send<{ error?: { code: string } }>('POST', api('/factors/passkeys/options'))
  expect([begins.status, begins.body.error?.code], 'before a device makes one').toEqual([409, 'nodes_mixed'])
  const refused = await adds(ann, made)
  expect([refused.status, refused.body.error?.code]).toEqual([409, 'nodes_mixed'])
  await sql`update factor_node set passkeys = 1`.execute(db)
  expect((await adds(ann, made)).status).toBe(201)
})

test.each(['claim', 'forgot'] as const)(
  'a sign-in that is not committed yet leaves no session in an account whose owner uses a link to %s (PostgreSQL)',
  async (purpose) => {
    const { service, ann } = await begun(await openTestPostgres())
    const { db } = service.store
    const passkey = await addPasskey(ann, service.baseUrl)
    const person = await findPerson(db, 'ann@example.org')
    const token = 'a link'.padEnd(43, '.')
    const at = service.now()
    await insertLink({ db, by: operator, now: at }, { purpose, person: person ?? null, token })
    const [gate, began] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const signIn = transaction(db, async (trx) => {
      await notePasskeyUse(trx, passkey.stored, 0, at)
      await sql`insert into session (id, token, "userId", "expiresAt", "createdAt", "updatedAt")
      values ('stays', 'stays', ${person?.id}, ${new Date(at + 86_400_000)}, ${new Date(at)}, ${new Date(at)})`.execute(
        trx,
      )
      began.resolve()
      await gate.promise
    })
    await began.promise
    const owner = service.browser()
    const claim = owner.send('POST', api('/claim'), { token, name: 'Ann', password: 'another good password' })
    await eventually('the link waits for the sign-in', async () => {
      const { rows } = await sql`select 1 from pg_locks where not granted`.execute(db)
      expect(rows).not.toEqual([])
    })
    gate.resolve()
    await signIn
    expect((await claim).status).toBe(200)
    const left = await db.selectFrom('session').select('id').execute()
    expect(left).toEqual([{ id: expect.not.stringMatching(/^stays$/) }])
    expect((await usePasskey(service.browser(), passkey)).status).toBe(401)
  },
)
