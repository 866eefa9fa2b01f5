import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { reporting } from '../../../testing/reporting.ts'
import { newPostgresDatabase } from '../../../testing/stores.ts'
import { newTestWorkspace } from '../../../testing/test-workspace.ts'
import { listAlerts, listMutes, listRules } from '../../alerts/changes/listing.ts'
import { readBlockedRules } from '../../alerts/evaluation/evaluate.ts'
import { scopeOf } from '../../alerts/scope.ts'
import { insertAlert, knownAlerts } from '../../alerts/store.ts'
import { insertDelivery } from '../../deliveries/store.ts'
import { accountTables } from '../../people/accounts/auth.ts'
import { migrate } from './migrate.ts'
import { openEmbedded, openPostgres, type Store } from './open.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-migrate-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0

/** Each engine with a function that opens an empty database. */
const engines: [string, () => Promise<Store>][] = [
  ['SQLite', async () => openEmbedded(join(folder, `${files++}.db`))],
  ['PostgreSQL', async () => openPostgres(await newPostgresDatabase({ empty: true }))],
]

const indexesOf = async ({ db, engine }: Store): Promise<string[]> => {
  const names =
    engine === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'index' order by name`
      : sql<{ name: string }>`select indexname as name from pg_indexes where schemaname = 'public' order by 1`
  return (await names.execute(db)).rows.map(({ name }) => name)
}

describe.each(engines)('the tables (%s)', (_, open) => {
  test('are created next to those of another program, and a second start does not change them', async () => {
    const store = await open()
    await sql`create table something_else (id integer)`.execute(store.db)
    await migrate(store, accountTables(store))
    expect([...(await readBlockedRules(store.db, 0))]).toEqual([])
    await store.db.insertInto('agreed').values({ name: 'a', value: 'b' }).execute()
    await migrate(store, accountTables(store))
    expect(await store.db.selectFrom('agreed').select('value').where('name', '=', 'a').execute()).toEqual([
      { value: 'b' },
    ])
    await store.close()
  })

  test('of a newer version are not changed, and the error says so', async () => {
    const store = await open()
    await migrate(store, accountTables(store))
    await sql`insert into kysely_migration (name, timestamp) values ('999-later', '2027-01-01')`.execute(store.db)
    await expect(migrate(store, accountTables(store))).rejects.toThrow(
      'The database was upgraded by a newer version (999-later)',
    )
    await store.close()
  })

  test('are as before when an upgrade fails, and the next one succeeds', async () => {
    const store = await open()
    const tables = async () => (await store.db.introspection.getTables()).map(({ name }) => name).sort()
    await migrate(store, accountTables(store), '003-releases')
    // A later migration creates a table of this name, and fails after others have changed tables and created some.
    await sql`create table alert_channel (id integer)`.execute(store.db)
    const before = await tables()
    await expect(migrate(store, accountTables(store))).rejects.toThrow()
    expect(await tables()).toEqual(before)
    await sql`drop table alert_channel`.execute(store.db)
    await migrate(store, accountTables(store))
    await store.close()
  })

  test.each(['session_userId_idx', 'invitation_email_idx'])(
    'of accounts have all their indexes when the first start fails at %s, and the next one succeeds',
    async (index) => {
      const whole = await open()
      await migrate(whole, accountTables(whole))
      const store = await open()
      await sql`create table something_else (id integer)`.execute(store.db)
      await sql`create index ${sql.id(index)} on something_else (id)`.execute(store.db)
      await expect(migrate(store, accountTables(store))).rejects.toThrow()
      expect((await store.db.introspection.getTables()).map(({ name }) => name)).toEqual(['something_else'])
      await sql`drop table something_else`.execute(store.db)
      await migrate(store, accountTables(store))
      expect(await indexesOf(store)).toEqual(await indexesOf(whole))
      await store.close()
      await whole.close()
    },
  )

  test('of an earlier build of 0.2.0 lose what alerts knew about reports, and the next report stores it again', async () => {
    const store = await open()
    await migrate(store, accountTables(store), '013-signs')
    const w = await newTestWorkspace(store)
    await sql`update agent set signs = ${'{"gauges":["disk"]}'}`.execute(store.db)
    await migrate(store, accountTables(store))
    const signs = async () => [
      (await sql<{ signs: string | null }>`select signs from agent`.execute(store.db)).rows[0]?.signs,
      (await sql<{ signs: string | null }>`select signs from agent_report`.execute(store.db)).rows[0]?.signs?.trimEnd(),
    ]
    expect(await signs()).toEqual([null, undefined])
    await reporting(w).decide({ gauges: [{ name: 'disk', used: 9, mark: 8 }] })
    expect(await signs()).toEqual([null, '{"gauges":["disk"]}'])
    await store.close()
  })

  test('of the version before keep the order of the messages that wait, and later ones come after them', async () => {
    const store = await open()
    await migrate(store, accountTables(store), '014-report-signs')
    const { workspace, clock } = await newTestWorkspace(store)
    const now = clock.now()
    const { db } = store
    await db
      .insertInto('alert_channel')
      .values({
        ...{ id: 'c', scope: workspace.id, workspace_id: workspace.id, owner: '', name: 'ops', kind: 'webhook' },
        ...{ format: 'single', enabled: 1, shown: '', sealed: '', created_at: now, created_by_name: 'Ada', dead: 0 },
        ...{ last_at: now },
      })
      .execute()
    const row = (id: string, state: 'waiting' | 'sent') =>
      ({ id, channel_id: 'c', kind: 'alert', changes: '[]', state, tries: 0, created_at: now, due_at: now }) as const
    await db
      .insertInto('alert_delivery')
      .values([row('3', 'waiting'), row('1', 'waiting'), row('2', 'sent')])
      .execute()
    await db.insertInto('service_beat').values({ id: 1, at: now }).execute()
    const shared = await sharedColumns(store)
    await migrate(store, accountTables(store))
    // A node of the version before joins the two tables, and names these columns without their table.
    expect(await sharedColumns(store)).toEqual(shared)
    // A node of the version before inserts a row without a number. Only PostgreSQL has several nodes.
    if (store.engine === 'postgres') await db.insertInto('alert_delivery').values(row('0', 'waiting')).execute()
    const { id } = await insertDelivery(db, 'c', { changes: '[]', due_at: now }, now)
    const waiting = await db
      .selectFrom('alert_delivery')
      .select('id')
      .where('state', '=', 'waiting')
      .orderBy('seq')
      .execute()
    expect(waiting.map((one) => one.id)).toEqual(['1', '3', ...(store.engine === 'postgres' ? ['0'] : []), id])
    expect(await db.selectFrom('alert_channel').select('works').execute()).toEqual([{ works: 1 }])
    // A node of the version before cannot word alerts of the new rules, so they wait until it is replaced.
    const toCome = ['disk', ...(store.engine === 'postgres' ? ['item', 'runaway'] : [])]
    expect([...(await readBlockedRules(db, now + 3_599_999))].toSorted()).toEqual(toCome)
    expect([...(await readBlockedRules(db, now + 3_600_000))]).toEqual([])
    await store.close()
  })

  test('of the version before no longer store the topics of ntfy unencrypted', async () => {
    const store = await open()
    await migrate(store, accountTables(store), '055-oidc-account')
    const { workspace } = await newTestWorkspace(store)
    const channel = (kind: 'ntfy' | 'webhook', shown: string) => ({
      ...{ id: shown, scope: workspace.id, workspace_id: workspace.id, owner: '', name: shown, kind, shown },
      ...{ format: 'single' as const, enabled: 1, sealed: `sealed ${shown}`, created_at: 1, created_by_name: 'Ada' },
      ...{ dead: 0 },
    })
    const topic = channel('ntfy', 'http://ntfy.example.org:8080/TOPIC?…')
    const hook = channel('webhook', 'https://example.org/hook')
    await store.db.insertInto('alert_channel').values([topic, hook]).execute()
    await migrate(store, accountTables(store))
    const rows = await store.db.selectFrom('alert_channel').select(['shown', 'sealed']).orderBy('kind').execute()
    expect(rows).toEqual([
      { shown: 'http://ntfy.example.org:8080/…', sealed: topic.sealed },
      { shown: hook.shown, sealed: hook.sealed },
    ])
  })

  test('of the version before keep their alerts, mutes and rules, and a node of that version still writes its own', async () => {
    const store = await open()
    const { db } = store
    await migrate(store, accountTables(store), '020-onboarding')
    const { workspace, agent, clock } = await newTestWorkspace(store)
    const now = clock.now()
    /** Inserts an alert as a node of the version before does; returns the number of inserted rows. */
    const insertsAsBefore = async (id: string, rule: string) => {
      const { numAffectedRows } =
        await sql`insert into alert (id, scope, workspace_id, rule, level, subject_kind, subject_id,
        subject_name, phase, phase_since, since, openings, opened_at, told, reminders, frozen, muted, version)
        values (${id}, ${workspace.id}, ${workspace.id}, ${rule}, 'bad', 'agent', ${agent.id}, ${agent.name}, 'open', ${now},
        ${now}, '[]', ${now}, 'open', 0, 0, 0, 1) on conflict do nothing`.execute(db)
      return Number(numAffectedRows)
    }
    expect(await insertsAsBefore('a', 'bad')).toBe(1)
    await sql`insert into alert_mute (id, scope, workspace_id, agent_id, from_at, created_at, created_by_name)
      values ('m', ${workspace.id}, ${workspace.id}, ${agent.id}, ${now}, ${now}, 'Ada')`.execute(db)
    await sql`insert into alert_rule (scope, workspace_id, rule, after_s)
      values (${workspace.id}, ${workspace.id}, 'bad', 7)`.execute(db)
    await db.insertInto('service_beat').values({ id: 1, at: now }).execute()
    await migrate(store, accountTables(store))
    expect(await listAlerts(db, workspace, { all: true, limit: 9 })).toMatchObject([
      { id: 'a', rule: 'bad', subject: { kind: 'agent', name: agent.name }, state: 'open' },
    ])
    expect(await listMutes(db, workspace)).toMatchObject([{ id: 'm', agent: agent.name, rule: null, item: null }])
    const rules = await listRules(db, workspace, 0)
    expect(rules.find(({ rule }) => rule === 'bad')).toMatchObject({ on: true, after: 7 })
    expect(rules.find(({ rule }) => rule === 'item')).toMatchObject({ on: true, after: 120, level: 'bad' })
    expect([await insertsAsBefore('b', 'bad'), await insertsAsBefore('c', 'process')]).toEqual([0, 1])
    const { current } = await knownAlerts(db, scopeOf(workspace), now)
    const [{ alert } = { alert: undefined }] = current
    if (!alert) throw new Error('There is no alert.')
    const opens = async (item: string) => {
      const about = { kind: 'agent', id: agent.id, name: agent.name, item } as const
      return (await insertAlert(db, { scope: scopeOf(workspace), rule: 'item', about }, alert, now))?.item
    }
    expect([await opens('Job a'), await opens('Job b'), await opens('Job a')]).toEqual(['Job a', 'Job b', undefined])
    // A node of the version before cannot word alerts of these rules. An embedded database has only one node.
    const toCome = store.engine === 'postgres' ? ['item', 'runaway'] : []
    expect([...(await readBlockedRules(db, now + 3_599_999))].toSorted()).toEqual(toCome)
    expect([...(await readBlockedRules(db, now + 3_600_000))]).toEqual([])
    await store.close()
  })
})

/** The names of columns that channels and their deliveries both have. */
async function sharedColumns({ db }: Store): Promise<string[]> {
  const tables = await db.introspection.getTables()
  const [channel = [], delivery = []] = ['alert_channel', 'alert_delivery'].map((wanted) =>
    tables.find(({ name }) => name === wanted)?.columns.map(({ name }) => name),
  )
  return channel.filter((name) => delivery.includes(name)).sort()
}

/** The tables in the order in which transactions of a node of the previous version lock their rows. */
const orders = [
  ['agent', 'command'],
  ['agent', 'level_change'],
  ['action', 'agent', 'command'],
  ['rollout', 'agent'],
]

test.each(orders)('an upgrade waits for a transaction that locks %s, %s', async (first, ...more) => {
  const store = openPostgres(await newPostgresDatabase({ empty: true }))
  if (store.engine !== 'postgres') throw new Error('This is PostgreSQL.')
  await migrate(store, accountTables(store), '041-tests')
  const client = await store.pool.connect()
  const lock = (table = '') => client.query(`select 1 from ${table} for update`)
  await client.query('begin')
  await lock(first)
  const upgraded = migrate(store, accountTables(store)).then(
    () => 'upgraded',
    ({ cause }) => String(cause),
  )
  const waiting = `select 1 from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())`
  while ((await client.query(waiting)).rows.length === 0) await sleep(10)
  for (const table of more) await lock(table)
  await client.query('commit')
  expect(await upgraded).toBe('upgraded')
  client.release()
  await store.close()
})
