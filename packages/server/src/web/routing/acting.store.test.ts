import { connect } from 'node:net'
import type { Members, PasskeyCreation } from '@svc/api'
import { type KyselyPlugin, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { bundle } from '../../../testing/bundles.ts'
import { type Browser, operator, password, type Service, serve } from '../../../testing/page/service.ts'
import { testPasskey } from '../../../testing/passkeys.ts'
import { everyEngine, openTestPostgres } from '../../../testing/stores.ts'
import { createAgent } from '../../fleet/agents/store.ts'
import type { PeopleDeps, Trx } from '../../people/accounts/library.ts'
import { removeMember } from '../../people/workspaces/members.ts'
import { addMember } from '../../people/workspaces/store.ts'
import type { Db, Store } from '../../platform/db/open.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { changeAsMember } from './acting.ts'

const w = '/api/web/w/north'

/** The tables that hold everything that people can change. */
const tables = [
  ...[
    'account',
    'agent',
    'audit',
    'alert',
    'alert_rule',
    'alert_setting',
    'agent_hours',
    'alert_mute',
    'alert_channel',
    'alert_delivery',
    'blueprint',
    'blueprint_version',
    'bot',
    'bot_token',
    'command',
    'install_code',
  ],
  ...['invitation', 'link', 'member', 'rollout', 'saved_view', 'session', 'user', 'workspace', 'workspace_product'],
  ...['factor_requirement', 'recovery_code', 'session_proof', 'totp', 'passkey', 'passkey_challenge'],
  ...['oidc_connection', 'oidc_callback'],
]
const rowsOf = async ({ db, engine }: Store): Promise<Record<string, unknown[]>> =>
  engine === 'postgres'
    ? rowsAtOnce(db)
    : Object.fromEntries(
        await Promise.all(
          tables.map(async (name) => [name, (await sql`select * from ${sql.table(name)} order by 1`.execute(db)).rows]),
        ),
      )

/**
 * All rows of the tables that people can change, by table, read from PostgreSQL in one statement. One statement per
 * table would take most of the test's time.
 */
async function rowsAtOnce(db: Db): Promise<Record<string, unknown[]>> {
  const selects = tables.map(
    (name) =>
      sql`select ${sql.lit(name)} as name, coalesce((select json_agg(r order by r::text) from ${sql.table(name)} r), '[]') as rows`,
  )
  const { rows } = await sql<{ name: string; rows: unknown[] }>`${sql.join(selects, sql` union all `)}`.execute(db)
  return Object.fromEntries(rows.map(({ name, rows }) => [name, rows]))
}

/** The ways to lose a right, named as in `ends`, that matter to routes that need only the role of a member. */
const membersMay: (keyof typeof ends)[] = ['the session ends', 'the member is removed']

/**
 * Every route that writes by a person's right, with a body that it accepts. `only` lists the ways of losing the right
 * that matter to this route; by default all do. `begin` begins in a request of its own, and returns the body.
 */
const writes: Record<
  string,
  { body?: unknown; begin?: (who: Browser, at: Service) => Promise<unknown>; only?: string[] }
> = {
  'PATCH /api/web/me': { body: { name: 'Carol Q' }, only: ['the session ends'] },
  'POST /api/web/workspaces': { body: { slug: 'mine', name: 'Mine' }, only: ['the session ends'] },
  'POST /api/web/password': { body: { current: password, next: 'another good password' }, only: ['the session ends'] },
  'POST /api/web/factors/totp': { only: ['the session ends'] },
  'POST /api/web/factors/totp/confirm': { body: { code: '123456' }, only: ['the session ends'] },
  'POST /api/web/factors/recovery': { only: ['the session ends'] },
  'DELETE /api/web/factors/totp': { only: ['the session ends'] },
  'POST /api/web/factors/passkeys': {
    begin: async (who, { baseUrl }) => {
      const { body } = await who.send<PasskeyCreation>('POST', '/api/web/factors/passkeys/options')
      return { name: 'Laptop', response: testPasskey(baseUrl, body).made }
    },
    only: ['the session ends'],
  },
  'DELETE /api/web/factors/passkeys/:id': { only: ['the session ends'] },
  'DELETE /api/web/factors/oidc': { only: ['the session ends'] },
  'POST /api/web/proof': { body: { password }, only: ['the session ends'] },
  'DELETE /api/web/sessions': { only: ['the session ends'] },
  'DELETE /api/web/sessions/:id': { only: ['the session ends'] },
  'PATCH /api/web/w/:slug': { body: { name: 'South' } },
  'DELETE /api/web/w/:slug': {},
  'PATCH /api/web/w/:slug/members/:id': { body: { role: 'member' } },
  'DELETE /api/web/w/:slug/members/:id': { only: membersMay },
  'POST /api/web/w/:slug/invitations': { body: { email: 'x@example.org', role: 'admin' } },
  'DELETE /api/web/w/:slug/invitations/:id': {},
  'POST /api/web/w/:slug/invitations/:id/link': {},
  'POST /api/web/w/:slug/agents': { body: { name: 'new-agent' } },
  'PATCH /api/web/w/:slug/agents/:name': { body: { name: 'other' } },
  'DELETE /api/web/w/:slug/agents/:name': {},
  'POST /api/web/w/:slug/agents/:name/token': {},
  'POST /api/web/w/:slug/agents/:name/commands': { body: { type: 'pause' } },
  'POST /api/web/w/:slug/agents/:name/commands/:id/again': {},
  'POST /api/web/w/:slug/commands': { body: { agents: ['a1'], type: 'pause' } },
  'POST /api/web/w/:slug/actions': { body: { agents: ['a1'], type: 'pause' } },
  'POST /api/web/w/:slug/actions/preview': { body: { agents: ['a1'], type: 'pause' } },
  'POST /api/web/w/:slug/actions/offers': { body: { agents: ['a1'], type: 'set' } },
  'POST /api/web/w/:slug/actions/:id/retry': {},
  'POST /api/web/w/:slug/actions/:id/cancel': {},
  'POST /api/web/w/:slug/tags': { body: { agents: ['a1'], add: ['eu'] } },
  'POST /api/web/w/:slug/tags/preview': { body: { agents: ['a1'] } },
  'PUT /api/web/w/:slug/views': { body: { name: 'Bad ones', shared: true, q: 'level:bad' } },
  'DELETE /api/web/w/:slug/views/:id': { only: membersMay },
  'PUT /api/web/w/:slug/agents/:name/wishes/blueprint': { body: { version: '1.0.0' } },
  'DELETE /api/web/w/:slug/agents/:name/wishes/blueprint': {},
  'POST /api/web/w/:slug/agents/:name/wishes/blueprint/now': {},
  'POST /api/web/w/:slug/agents/:name/wishes/runtime': {},
  'DELETE /api/web/w/:slug/agents/:name/wishes/runtime': {},
  'DELETE /api/web/w/:slug/agents/:name/holds/runtime': {},
  'POST /api/web/w/:slug/wishes': { body: { kind: 'runtime', agents: ['a1'] } },
  'POST /api/web/w/:slug/rollouts': { body: { kind: 'runtime' } },
  'POST /api/web/w/:slug/rollouts/preview': { body: { kind: 'runtime' } },
  'POST /api/web/w/:slug/rollouts/:id/pause': {},
  'POST /api/web/w/:slug/rollouts/:id/continue': { body: {} },
  'POST /api/web/w/:slug/rollouts/:id/now': { body: {} },
  'POST /api/web/w/:slug/rollouts/:id/cancel': { body: {} },
  'POST /api/web/w/:slug/blueprints': { body: bundle() },
  'DELETE /api/web/w/:slug/blueprints/:blueprint/versions/:version': {},
  'POST /api/web/w/:slug/codes': { body: { blueprint: 'mail', version: '1.0.0' } },
  'DELETE /api/web/w/:slug/codes/:id': {},
  'POST /api/web/w/:slug/bots/:id/revoke': {},
  'POST /api/web/w/:slug/bots/:id/tokens/:token/revoke': {},
  'DELETE /api/web/w/:slug/bots/:id': {},
  'PATCH /api/web/w/:slug/rules': { body: { rule: 'silent', after: 60 } },
  'PATCH /api/web/w/:slug/alert-settings': { body: { detail: true } },
  'PUT /api/web/w/:slug/agents/:name/hours': { body: { hours: 'weekdays 08:00-19:00 Europe/Berlin' } },
  'POST /api/web/w/:slug/channels': { body: { name: 'ops', kind: 'webhook', url: 'https://hooks.example.org/svc' } },
  'POST /api/web/w/:slug/channels/:channel/test': {},
  'POST /api/web/w/:slug/channels/:channel/enable': {},
  'POST /api/web/w/:slug/channels/:channel/disable': {},
  'DELETE /api/web/w/:slug/channels/:channel': {},
  'POST /api/web/w/:slug/deliveries/:id/retry': {},
  'POST /api/web/w/:slug/alerts/:id/acknowledge': { body: {}, only: membersMay },
  'POST /api/web/w/:slug/alerts/acknowledge': { body: { ids: [] }, only: membersMay },
  'POST /api/web/w/:slug/mutes': { body: { seconds: 3600 }, only: membersMay },
  'DELETE /api/web/w/:slug/mutes/:id': { only: membersMay },
  'POST /api/web/w/:slug/my-channels': {
    body: { name: 'my-email', kind: 'email', zone: 'Europe/Berlin' },
    only: membersMay,
  },
  'PATCH /api/web/w/:slug/my-channels/:channel': { body: { enabled: false }, only: membersMay },
  'POST /api/web/w/:slug/my-channels/:channel/test': { only: membersMay },
  'DELETE /api/web/w/:slug/my-channels/:channel': { only: membersMay },
}
/** Routes that write without the right of a signed-in person, each with the reason why it may. */
const others: Record<string, string> = {
  'POST /api/auth/sign-in/email': 'the password',
  'POST /api/auth/sign-out': 'the session that it ends',
  'POST /api/web/forgot': 'nobody: whoever reads the mail of the address gets a link',
  'POST /api/web/start': 'the first link',
  'POST /api/web/link': 'a sign-in link',
  'POST /api/web/claim': 'a link that hands an account over',
  'POST /api/web/second-factor': 'the first half of a sign-in; tested in second-factor.http.test.ts',
  'POST /api/web/passkey': 'the passkey; tested in passkeys.http.test.ts',
  'POST /api/web/passkey/options': 'nobody: it writes nothing',
  'POST /api/web/factors/passkeys/options': 'the session: it writes nothing',
  'POST /api/web/factors/oidc': 'the session: it writes nothing',
  'POST /api/web/invitations/:id': 'the invitation; tested below where somebody is signed in',
}

const ends = {
  'the session ends': { text: `delete from session where "userId" = 'PERSON'`, status: 401, code: 'sign_in_needed' },
  'the person is disabled': {
    text: `insert into person_disabled (person_id, disabled_at) values ('PERSON', 1)`,
    status: 401,
    code: 'sign_in_needed',
  },
  'the member is removed': {
    text: `delete from member where "userId" = 'PERSON'`,
    status: 404,
    code: 'workspace_unknown',
  },
  'the admin is demoted': {
    text: `update member set role = 'member' where "userId" = 'PERSON'`,
    status: 403,
    code: 'not_allowed',
  },
}

/**
 * Wraps a store so that a test can act right after the first query that reads a given table, before the caller gets the
 * result.
 */
function watched(store: Store) {
  let due: { table: string; act: () => unknown } | undefined
  const asked = new WeakSet<object>()
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      const about = due && `"name":"${due.table}"`
      if (about && node.kind === 'SelectQueryNode' && JSON.stringify(node.from ?? {}).includes(about))
        asked.add(queryId)
      return node
    },
    async transformResult({ result, queryId }) {
      if (!due || !asked.has(queryId)) return result
      const { act } = due
      due = undefined
      await act()
      return result
    },
  }
  return {
    store: { ...store, db: store.db.withPlugin(plugin) },
    after(table: string, act: () => unknown) {
      due = { table, act }
    },
    get due() {
      return due !== undefined
    },
    /**
     * Runs SQL right after the query that was just answered: on SQLite on the only connection, on PostgreSQL on another
     * connection of the pool.
     */
    run: (text: string) => (store.engine === 'sqlite' ? store.sqlite.exec(text) : store.pool.query(text)),
  }
}
type Watched = ReturnType<typeof watched>

const sends = async (who: Browser, service: Service, route: string, body: unknown) => {
  const [method = '', pattern = ''] = route.split(' ')
  const path = pattern.replace(':slug', 'north').replace(':name', 'a1').replaceAll(/:\w+/g, 'some-id')
  const zip = await body
  if (!(zip instanceof Uint8Array)) return who.send<{ error?: { code: string } }>(method, path, body)
  const headers = { cookie: who.cookie, origin: service.origin, 'content-type': 'application/zip' }
  const answer = await fetch(service.origin + path, { method, headers, body: Buffer.from(zip) })
  return { status: answer.status, body: (await answer.json()) as { error?: { code: string } } }
}

describe.each(everyEngine)('rights on %s', (_engine, open) => {
  async function start() {
    const watch = watched(await open())
    const service = await serve({ postgres: watch.store, hostname: 'localhost' })
    const north = await service.workspace('north')
    await service.agent(north, 'a1')
    return { watch, service, ada: await service.person('Ada', 'north', 'admin') }
  }

  test('every route that writes refuses a right that ended since the request began, and changes nothing (I33)', {
    timeout: 180_000,
  }, async () => {
    const { watch, service } = await start()
    const routes = service.app.routes.filter(({ method }) => !['GET', 'HEAD', 'ALL'].includes(method))
    const known = new Set(routes.map(({ method, path }) => `${method} ${path.replace(/\/$/, '')}`))
    expect([...known].sort()).toEqual([...Object.keys(writes), ...Object.keys(others)].sort())
    const carol = await service.person('Carol', 'north', 'admin')
    const { id } = (await carol.get<{ id: string }>('/api/web/me')).body
    const [session] = await service.store.db.selectFrom('session').selectAll().where('userId', '=', id).execute()
    if (!session) throw new Error('Carol has no session.')
    for (const [route, { body, begin, only }] of Object.entries(writes)) {
      for (const [what, { text, status, code }] of Object.entries(ends)) {
        if (only?.includes(what) === false) continue
        await addMember(
          { people: service, by: operator, now: service.now() },
          { slug: 'north', email: 'carol@example.org', role: 'admin' },
        )
        await service.store.db.updateTable('member').set({ role: 'admin' }).where('userId', '=', id).execute()
        await service.store.db.deleteFrom('person_disabled').execute()
        // A session that was deleted comes back, since a new sign-in would take much of the test's time.
        await service.store.db
          .insertInto('session')
          .values(session)
          .onConflict((on) => on.doNothing())
          .execute()
        const given = begin ? await begin(carol, service) : body
        const before = await rowsBut(service.store, id)
        watch.after(route.includes(':slug') ? 'member' : 'session', () => watch.run(text.replace('PERSON', id)))
        const answer = await sends(carol, service, route, given)
        expect([route, what, answer.status, answer.body.error?.code]).toEqual([route, what, status, code])
        expect([route, what, watch.due]).toEqual([route, what, false])
        expect(await rowsBut(service.store, id)).toEqual(before)
      }
    }
  })

  test.each([
    ['removed', 404, [200, 200]],
    ['demoted', 403, [200, 200]],
    ['signed out', 401, [401, 401]],
  ])('requests that a person started before being %s change nothing', async (how, refused, own) => {
    const { watch, service, ada } = await start()
    const carol = await service.person('Carol', 'north', 'admin')
    const begin = (method: string, path: string, body: unknown) =>
      begins({ watch, service, who: carol }, method, path, body)
    const inFlight = [
      await begin('POST', `${w}/agents`, { name: 'made-late' }),
      await begin('POST', `${w}/invitations`, { email: 'again@example.org', role: 'admin' }),
      await begin('PATCH', w, { name: 'Renamed' }),
      await begin('POST', `${w}/blueprints`, await bundle()),
      await begin('PATCH', '/api/web/me', { name: 'Somebody else' }),
      await begin('POST', '/api/web/password', { current: password, next: 'another good password' }),
    ]
    const { members } = (await ada.get<Members>(`${w}/members`)).body
    const member = `${w}/members/${members.find(({ name }) => name === 'Carol')?.id}`
    if (how === 'removed') expect((await ada.send('DELETE', member)).status).toBe(200)
    else if (how === 'demoted') expect((await ada.send('PATCH', member, { role: 'member' })).status).toBe(200)
    else {
      const elsewhere = await service.signedIn('carol@example.org')
      expect((await elsewhere.send('DELETE', '/api/web/sessions')).status).toBe(200)
    }
    const before = await rowsOf(service.store)
    const answers: number[] = []
    for (const request of inFlight) answers.push(await request.complete())
    expect(answers).toEqual([refused, refused, refused, refused, ...own])
    const after = await rowsOf(service.store)
    for (const table of ['agent', 'invitation', 'blueprint', 'blueprint_version', 'workspace', 'member'])
      expect([table, after[table]]).toEqual([table, before[table]])
    if (how === 'signed out') expect(after).toEqual(before)
  })

  test('a session that ended accepts no invitation', async () => {
    const { watch, service, ada } = await start()
    await service.workspace('south')
    const carol = await service.person('Carol', 'south', 'admin')
    const asked = { email: 'carol@example.org', role: 'admin' }
    const { url } = (await ada.send<{ url: string }>('POST', `${w}/invitations`, asked)).body
    const { session } = await rowsOf(service.store)
    const path = url.replace(/.*\/invitation\//, '/api/web/invitations/')
    // The session is deleted right after the route has read it, so only the transaction that accepts the invitation can
    // notice.
    watch.after('session', () =>
      watch.run(`delete from session where "userId" in (select id from "user" where email = 'carol@example.org')`),
    )
    expect((await carol.send('POST', path, {})).status).toBe(401)
    expect(session).toHaveLength(2)
    expect((await ada.get<Members>(`${w}/members`)).body.members).toHaveLength(1)
  })
})

/** All stored rows, except the membership and the sessions of one person. */
async function rowsBut(store: Store, personId: string) {
  const { member = [], session = [], ...rows } = await rowsOf(store)
  const left = (all: unknown[]) => all.filter((row) => (row as { userId: string }).userId !== personId)
  return { ...rows, member: left(member), session: left(session) }
}

/** Sends a request without its last byte; resolves when the service's guards have looked up the sender's rights. */
async function begins(
  { watch, service, who }: { watch: Watched; service: Service; who: Browser },
  method: string,
  path: string,
  body: unknown,
) {
  const zip = body instanceof Uint8Array
  const bytes = zip ? body : Buffer.from(JSON.stringify(body))
  const { host, port } = new URL(service.origin)
  const socket = connect(Number(port), '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  const ended = new Promise((resolve) => socket.on('close', resolve))
  const looked = new Promise<void>((resolve) => watch.after(path.startsWith(w) ? 'member' : 'session', resolve))
  const head = [
    ...[`${method} ${path} HTTP/1.1`, `host: ${host}`, `cookie: ${who.cookie}`, `origin: ${service.origin}`],
    ...[`content-type: application/${zip ? 'zip' : 'json'}`, `content-length: ${bytes.length}`, 'connection: close'],
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  socket.write(bytes.subarray(0, -1))
  await looked
  return {
    async complete(): Promise<number> {
      socket.write(bytes.subarray(-1))
      await ended
      return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])
    },
  }
}

describe('rights that change during a write, on PostgreSQL', () => {
  async function newSetup() {
    const service = await serve({ postgres: await openTestPostgres() })
    const north = await service.workspace('north')
    await service.person('Ada', 'north', 'admin')
    await service.person('Carol', 'north', 'admin')
    const { db } = service.store
    const member = await db
      .selectFrom('member')
      .innerJoin('user', 'user.id', 'member.userId')
      .innerJoin('session', 'session.userId', 'user.id')
      .select(['member.id as id', 'user.id as person', 'email', 'name', 'session.id as session'])
      .where('email', '=', 'carol@example.org')
      .executeTakeFirstOrThrow()
    const { person: id, email, name, session } = member
    const carol = { person: { id, email, name }, session: { id: session }, workspace: north }
    const makes = (before = async () => {}) =>
      changeAsMember(service, carol, 'admin', async ({ db, by, now }) => {
        await before()
        return createAgent({ db, by, now }, north, 'late')
      })
    const remove = (people: PeopleDeps = service) =>
      removeMember({ people, by: operator, now: service.now() }, north, { id: member.id })
    /** Resolves when a transaction waits for a lock. */
    const waits = () =>
      eventually('somebody waits for a lock', async () => {
        const { rows } = await sql`select 1 from pg_locks where not granted`.execute(db)
        expect(rows.length).toBeGreaterThan(0)
      })
    const agents = () => db.selectFrom('agent').select('name').execute()
    return { service, carol, makes, remove, waits, agents }
  }

  test('a removal waits for a write that started before it, so nothing is written after it is confirmed', async () => {
    const { makes, remove, waits, agents } = await newSetup()
    const gate = Promise.withResolvers<void>()
    const began = Promise.withResolvers<void>()
    const write = makes(() => {
      began.resolve()
      return gate.promise
    })
    await began.promise
    const order: string[] = []
    const removal = remove().then(() => order.push('removed'))
    await waits()
    expect(order).toEqual([])
    gate.resolve()
    await write.then(() => order.push('written'))
    await removal
    expect(order).toEqual(['written', 'removed'])
    expect(await agents()).toHaveLength(1)
  })

  test('a write waits for a removal that started before it, and then changes nothing', async () => {
    const { service, makes, remove, waits, agents } = await newSetup()
    const gate = Promise.withResolvers<void>()
    const began = Promise.withResolvers<void>()
    const removal = transaction(service.store.db, async (trx) => {
      await remove({ ...service, store: { ...service.store, db: trx } })
      began.resolve()
      await gate.promise
    })
    await began.promise
    const write = makes().catch((error: unknown) => error)
    await waits()
    gate.resolve()
    await removal
    expect(await write).toMatchObject({ code: 'workspace_unknown' })
    expect(await agents()).toEqual([])
  })

  test('a write also respects a demotion and a sign-out that started before it', async () => {
    const { service, carol, makes, waits, agents } = await newSetup()
    const { id } = carol.person
    for (const [change, code] of [
      [
        (trx: Trx) => trx.updateTable('member').set({ role: 'member' }).where('userId', '=', id).execute(),
        'not_allowed',
      ],
      [(trx: Trx) => trx.deleteFrom('session').where('userId', '=', id).execute(), 'sign_in_needed'],
    ] as const) {
      const gate = Promise.withResolvers<void>()
      const began = Promise.withResolvers<void>()
      const ends = transaction(service.store.db, async (trx) => {
        await change(trx)
        began.resolve()
        await gate.promise
      })
      await began.promise
      const write = makes().catch((error: unknown) => error)
      await waits()
      gate.resolve()
      await ends
      expect(await write).toMatchObject({ code })
    }
    expect(await agents()).toEqual([])
  })

  test('when two admins remove each other at the same time, one remains', async () => {
    const { service, carol, remove } = await newSetup()
    const { db } = service.store
    const ada = await db
      .selectFrom('member')
      .innerJoin('user', 'user.id', 'member.userId')
      .innerJoin('session', 'session.userId', 'user.id')
      .select(['member.id', 'user.id as person', 'email', 'name', 'session.id as session'])
      .where('email', '=', 'ada@example.org')
      .executeTakeFirstOrThrow()
    const who = { person: { ...ada, id: ada.person }, session: { id: ada.session }, workspace: carol.workspace }
    const both = await Promise.allSettled([
      changeAsMember(service, who, 'admin', ({ people }) => remove(people)),
      changeAsMember(service, carol, 'admin', ({ people, by, now }) =>
        removeMember({ people, by, now }, carol.workspace, ada),
      ),
    ])
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await db.selectFrom('member').select('id').execute()).toHaveLength(1)
  })
})
