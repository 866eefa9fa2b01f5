/** Tests sign-ins through a provider on both engines: several requests and several nodes at the same moment. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProviderAddress } from '@svc/api'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { followCallback, fromElsewhere, providerBrowser, signInThrough, startProvider } from '../../../testing/oidc.ts'
import { type Browser, operator, serve } from '../../../testing/page/service.ts'
import { addPasskey } from '../../../testing/passkeys.ts'
import { bothEngines, newPostgresDatabase, openTestPostgres } from '../../../testing/stores.ts'
import { confirmEmail } from '../../people/accounts/confirmed.ts'
import { findPerson, lockPerson } from '../../people/accounts/store.ts'
import { deleteConnection } from '../../people/factors/connections.ts'
import { isInvited } from '../../people/workspaces/open-invitations.ts'
import { insertOperatorInvitation } from '../../people/workspaces/operator-invitations.ts'
import { disablePerson } from '../../people/workspaces/people.ts'
import { openPostgres, type Store } from '../../platform/db/open.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { dayMs } from '../../platform/limits/units.ts'

const api = (path: string) => `/api/web${path}`
async function begun(postgres: Store) {
  const provider = await startProvider()
  const service = await serve({ postgres, hostname: 'localhost', oidc: provider.settings })
  provider.knows(service.baseUrl)
  await service.workspace('north')
  return { provider, service, kim: await service.person('Kim', 'north', 'admin') }
}
type Setup = Awaited<ReturnType<typeof begun>>

const count = async ({ db }: Store, table: 'user' | 'session' | 'oidc_connection' | 'oidc_callback') =>
  (await db.selectFrom(table).selectAll().execute()).length
const leadsTo = ({ headers }: { headers: Headers }) => headers.get('location')

/** Goes to the provider and back in a new browser, up to the last step, which the caller takes. */
async function callbackOf({ provider, service }: Pick<Setup, 'provider' | 'service'>, who: string) {
  const browser = service.browser()
  const start = await browser.get(api('/oidc/start'))
  const { pathname, search } = await providerBrowser(provider).goes(leadsTo(start) ?? '', who)
  return { path: pathname + search, headers: { ...fromElsewhere, cookie: browser.cookie } }
}

describe.each(bothEngines)('on %s', (_engine, open) => {
  test('a callback that is used four times at the same moment signs in once', async () => {
    const setup = await begun(await open())
    const { provider, service } = setup
    provider.fails = { repeats: true }
    await signInThrough(provider, service.browser(), 'ann')
    for (let round = 0; round < 3; round++) {
      const { path, headers } = await callbackOf(setup, 'ann')
      const before = await count(service.store, 'session')
      const answers = await Promise.all(Array.from({ length: 4 }, () => service.browser().get(path, headers)))
      expect(answers.map(leadsTo).sort()).toEqual(['/', ...Array(3).fill('/sign-in?oidc=failed')])
      expect(await count(service.store, 'session')).toBe(before + 1)
    }
  })

  test('an address is invited until the invitation expires or whoever made it is disabled', async () => {
    const { service, kim } = await begun(await open())
    const { db } = service.store
    const invited = (at = service.now()) => isInvited(db, 'ann@example.org', at)
    expect(await invited()).toBe(false)
    await kim.send('POST', api('/w/north/invitations'), { email: 'ANN@example.org', role: 'member' })
    expect(await invited()).toBe(true)
    expect(await transaction(db, (trx) => isInvited(trx, 'ann@example.org', service.now()))).toBe(true)
    expect(await invited(service.now() + 8 * dayMs)).toBe(false)
    expect((await disablePerson({ people: service, by: operator, now: service.now() }, 'kim@example.org')).ok).toBe(
      true,
    )
    expect(await invited()).toBe(false)
    const { id: workspaceId } = await db.selectFrom('workspace').select('id').executeTakeFirstOrThrow()
    await insertOperatorInvitation(db, { workspaceId, email: 'ann@example.org', role: 'admin' }, service.now())
    expect(await invited()).toBe(true)
    expect(await invited(service.now() + 8 * dayMs)).toBe(false)
  })

  test('somebody new who comes in two browsers at the same moment gets one account', async () => {
    const setup = await begun(await open())
    const ways = [await callbackOf(setup, 'ann'), await callbackOf(setup, 'ann')]
    const answers = await Promise.all(ways.map(({ path, headers }) => setup.service.browser().get(path, headers)))
    expect(answers.map(({ status }) => status)).toEqual([302, 302])
    expect(answers.map(leadsTo)).toContain('/')
    expect(await count(setup.service.store, 'user')).toBe(2)
    expect(await count(setup.service.store, 'oidc_connection')).toBe(1)
    expect(leadsTo(await signInThrough(setup.provider, setup.service.browser(), 'ann'))).toBe('/')
  })

  test('an account that gets a factor at the moment when its address comes from the provider: one of them comes first', async () => {
    const setup = await begun(await open())
    const { service } = setup
    const ann = await service.person('Ann', 'north', 'member')
    const { db } = service.store
    await confirmEmail(db, (await findPerson(db, 'ann@example.org'))?.id ?? '', service.now())
    const { path, headers } = await callbackOf(setup, 'ann')
    const [answer, added] = await Promise.all([
      service.browser().get(path, headers),
      addPasskey(ann, service.baseUrl).catch(() => undefined),
    ])
    const isConnected = (await count(service.store, 'oidc_connection')) === 1
    expect(leadsTo(answer)).toBe(isConnected ? '/' : '/sign-in?oidc=exists')
    expect(isConnected || added !== undefined).toBe(true)
  })

  test('an account is connected in one of two browsers that end at the same moment', async () => {
    const { provider, service, kim } = await begun(await open())
    const begins = async (who: string): Promise<URL> => {
      const { body } = await kim.send<ProviderAddress>('POST', api('/factors/oidc'))
      return providerBrowser(provider).goes(body.location, who)
    }
    const ways = [await begins('ann'), await begins('bob')]
    const ends = (await Promise.all(ways.map((way) => followCallback(kim, way)))).map(leadsTo)
    expect(ends.sort()).toEqual(['/account?oidc=connected', '/account?oidc=taken'])
    expect(await count(service.store, 'oidc_connection')).toBe(1)
  })

  test('of two sessions that connect at the same moment one connects, and ends the other, which showed no factor', async () => {
    const { provider, service, kim } = await begun(await open())
    const other = await service.signedIn('kim@example.org')
    const begins = async (browser: Browser, who: string) => {
      const { body } = await browser.send<ProviderAddress>('POST', api('/factors/oidc'))
      return { browser, way: await providerBrowser(provider).goes(body.location, who) }
    }
    const both = [await begins(kim, 'ann'), await begins(other, 'bob')]
    const ends = await Promise.all(both.map(async ({ browser, way }) => leadsTo(await followCallback(browser, way))))
    const statuses = await Promise.all(both.map(async ({ browser }) => (await browser.get(api('/me'))).status))
    expect(ends.map((end) => end === '/account?oidc=connected').sort()).toEqual([false, true])
    expect(statuses).toEqual(ends.map((end) => (end === '/account?oidc=connected' ? 200 : 401)))
    expect(await count(service.store, 'oidc_connection')).toBe(1)
    expect(service.errors).toEqual([])
  })

  test('the sweeper erases callbacks that were used, and not earlier than a day after their end', async () => {
    const { provider, service } = await begun(await open())
    await signInThrough(provider, service.browser(), 'ann')
    await service.sweeps()
    expect(await count(service.store, 'oidc_callback')).toBe(1)
    service.pass(dayMs / 1000 + 601)
    await service.sweeps()
    expect(await count(service.store, 'oidc_callback')).toBe(0)
    expect(await count(service.store, 'oidc_connection')).toBe(1)
  })
})

test('a callback on two nodes at the same moment signs in once, and each node takes what the other began (PostgreSQL)', async () => {
  const url = await newPostgresDatabase()
  const { provider, service: first } = await begun(openPostgres(url))
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-second-node-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  cpSync(join(first.dir, 'secret'), join(dataDir, 'secret'))
  const second = await serve({
    ...{ postgres: openPostgres(url), dataDir, baseUrl: first.baseUrl, oidc: provider.settings },
  })
  await signInThrough(provider, first.browser(), 'ann')
  provider.fails = { repeats: true }
  for (let round = 0; round < 5; round++) {
    const { path, headers } = await callbackOf({ provider, service: first }, 'ann')
    const before = await count(first.store, 'session')
    const answers = await Promise.all(
      [first, second, first, second].map((node): Promise<{ headers: Headers }> => node.browser().get(path, headers)),
    )
    expect(answers.map(leadsTo).sort()).toEqual(['/', ...Array(3).fill('/sign-in?oidc=failed')])
    expect(await count(first.store, 'session')).toBe(before + 1)
  }
})

test('while a node of an earlier version runs, no account is connected, since it would leave the connection when it hands the account over (PostgreSQL)', async () => {
  const { provider, service, kim } = await begun(await openTestPostgres())
  const { db } = service.store
  await signInThrough(provider, service.browser(), 'ann')
  const { body } = await kim.send<ProviderAddress>('POST', api('/factors/oidc'))
  const way = await providerBrowser(provider).goes(body.location, 'bob')
  await sql`insert into factor_node (node, at, rule_filters, passkeys) values ('earlier', ${service.now()}, 1, 1)`.execute(
    db,
  )
  const refused = await kim.send<{ error?: { code: string } }>('POST', api('/factors/oidc'))
  expect([refused.status, refused.body.error?.code]).toEqual([409, 'nodes_mixed'])
  expect(leadsTo(await followCallback(kim, way))).toBe('/account?oidc=failed')
  expect(leadsTo(await signInThrough(provider, service.browser(), 'bob'))).toBe('/sign-in?oidc=failed')
  expect(leadsTo(await signInThrough(provider, service.browser(), 'ann')), 'who is connected signs in').toBe('/')
  const logged = service.lines.map((line) => JSON.parse(line)).filter(({ why }) => why === 'nodes_mixed')
  expect(logged.map(({ purpose }) => purpose)).toEqual(['connect', 'sign-in'])
  await sql`update factor_node set oidc = 1`.execute(db)
  expect(leadsTo(await signInThrough(provider, service.browser(), 'bob'))).toBe('/')
})

test.each([
  ['before', 1, '/'],
  ['while', 0, '/sign-in?oidc=unverified'],
] as const)(
  'a sign-in %s its account is handed over leaves no session in it (PostgreSQL)',
  async (when, sessions, address) => {
    const setup = await begun(await openTestPostgres())
    const { provider, service } = setup
    await signInThrough(provider, service.browser(), 'ann')
    provider.people.ann = {}
    const { db } = service.store
    const person = (await findPerson(db, 'ann@example.org')) ?? null
    await db
      .deleteFrom('session')
      .where('userId', '=', person?.id ?? '')
      .execute()
    const { path, headers } = await callbackOf(setup, 'ann')
    const [gate, began] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    // The part of the handover that holds the lock, as claim.ts does it.
    const handover = transaction(db, async (trx) => {
      if (when === 'before') await gate.promise
      await lockPerson(trx, { id: person?.id ?? '' })
      began.resolve()
      if (when === 'while') await gate.promise
      await trx
        .deleteFrom('session')
        .where('userId', '=', person?.id ?? '')
        .execute()
      await deleteConnection(trx, person?.id ?? '')
    })
    if (when === 'while') await began.promise
    const signIn = service.browser().get(path, headers)
    if (when === 'before') await signIn
    else
      await eventually('the sign-in waits for the handover', async () => {
        const { rows } = await sql`select 1 from pg_locks where not granted`.execute(db)
        expect(rows).not.toEqual([])
      })
    const before = await db
      .selectFrom('session')
      .select('id')
      .where('userId', '=', person?.id ?? '')
      .execute()
    expect(before.length).toBe(sessions)
    gate.resolve()
    await handover
    expect(leadsTo(await signIn)).toBe(address)
    expect(
      await db
        .selectFrom('session')
        .select('id')
        .where('userId', '=', person?.id ?? '')
        .execute(),
    ).toEqual([])
  },
)

test('the removal of the last way in waits for that of another one (PostgreSQL)', async () => {
  const { provider, service } = await begun(await openTestPostgres())
  const { db } = service.store
  const ann = service.browser()
  await signInThrough(provider, ann, 'ann')
  const { stored } = await addPasskey(ann, service.baseUrl)
  const id = (await findPerson(db, 'ann@example.org'))?.id ?? ''
  const [gate, began] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const disconnection = transaction(db, async (trx) => {
    await lockPerson(trx, { id })
    await deleteConnection(trx, id)
    began.resolve()
    await gate.promise
  })
  await began.promise
  const removal = ann.send('DELETE', api(`/factors/passkeys/${stored}`))
  await eventually('the removal waits', async () => {
    const { rows } = await sql`select 1 from pg_locks where not granted`.execute(db)
    expect(rows).not.toEqual([])
  })
  gate.resolve()
  await disconnection
  expect((await removal).status).toBe(409)
})
