/** Tests the deletion of a workspace over all tables of the database, on both engines. */
import type { TableMetadata } from 'kysely'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { reporting } from '../../../testing/reporting.ts'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { createLookup } from '../../agent-api/reports/lookup.ts'
import { dueChannels } from '../../deliveries/store.ts'
import { addProduct } from '../../fleet/products/store.ts'
import type { Db, Store } from '../../platform/db/open.ts'
import { deleteWorkspace, deletionCounts } from './delete.ts'
import { eraseDeletedWorkspaces, tablesOfAgents, tablesOfWorkspaces } from './erase.ts'
import { findRole, findWorkspace, listWorkspaces } from './store.ts'

/**
 * The tables of people and of the service, whose rows belong to no workspace. Every other table is filled here and has
 * to be erased with a workspace, so a new table either is erased or has a name in this list.
 */
const ofNoWorkspace = [
  ...['account', 'account_mail', 'counted_send', 'email_confirmation', 'first_half', 'link', 'onboarding'],
  ...[
    'person_disabled',
    'person_operator',
    'passkey',
    'passkey_challenge',
    'oidc_connection',
    'oidc_callback',
    'recovery_code',
    'session',
    'session_proof',
    'sign_in',
    'totp',
    'user',
  ],
  ...['verification', 'wrong_code', 'code_try'],
  ...['agreed', 'alert_lease', 'factor_node', 'kysely_migration', 'kysely_migration_lock', 'node_mark', 'product'],
  ...['release', 'service_away', 'service_back', 'service_backup', 'service_beat'],
]
/** These tables refer to no other of the tables that are filled here, so they are filled first. */
const parents = ['blueprint', 'blueprint_version', 'rollout', 'action', 'bot', 'alert_channel']
const made = ['agent', 'agent_report', 'member', 'workspace', 'workspace_deleted', 'workspace_product']

/** The tables whose rows belong to a workspace, as the schema has them, those that others refer to first. */
async function tablesThatBelong({ db }: Store): Promise<TableMetadata[]> {
  const tables = await db.introspection.getTables()
  const rank = ({ name }: TableMetadata) => parents.indexOf(name) + 1 || 99
  return tables.filter(({ name }) => !ofNoWorkspace.includes(name)).sort((a, b) => rank(a) - rank(b))
}

/**
 * Writes rows of this workspace into every table whose rows belong to a workspace: one or, for each table, the number
 * that `rowsOf` says. A table whose key allows only one row has one.
 */
async function fill(
  w: TestWorkspace,
  tables: readonly TableMetadata[],
  rowsOf: (table: string) => number = () => 1,
): Promise<void> {
  const { db } = w.store
  const named: Record<string, unknown> = {
    ...{ workspace_id: w.workspace.id, workspaceId: w.workspace.id, scope: w.workspace.id, agent_id: w.agent.id },
    ...{ product_id: 'tasks', person_id: null, userId: w.admin.id, inviterId: w.admin.id },
    ...{ created_by: null, enabled: 1, owner: '', 'alert_delivery.state': 'waiting', 'alert_delivery.due_at': 1 },
  }
  const idOf = (table: string) => `${table} of ${w.workspace.id}`
  for (const parent of parents) named[`${parent.replace('alert_', '')}_id`] = idOf(parent)
  for (const { name: table, columns } of tables.filter(({ name }) => !made.includes(name))) {
    const seq = columns.some(({ name }) => name === 'seq') ? await nextSeq(db, table) : 0
    const rowAt = (i: number) => {
      const row: Record<string, unknown> = {}
      for (const { name, dataType, isNullable, isAutoIncrementing } of columns) {
        if (isAutoIncrementing) continue
        if (name === 'seq') row[name] = seq + i
        else if (`${table}.${name}` in named) row[name] = named[`${table}.${name}`]
        else if (name in named) row[name] = named[name]
        else if (isNullable && name !== 'id') row[name] = null
        else row[name] = anyOf(dataType.toLowerCase(), i === 0 ? idOf(table) : `${idOf(table)} ${i}`)
      }
      return row
    }
    const rows = Array.from({ length: rowsOf(table) }, (_, i) => rowAt(i))
    const atOnce = 500
    for (let from = 0; from < rows.length; from += atOnce)
      await db
        .insertInto(table as 'run')
        .values(rows.slice(from, from + atOnce) as never)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
  }
}

function anyOf(dataType: string, text: string): unknown {
  if (/text|char/.test(dataType)) return text
  if (/bytea|blob/.test(dataType)) return Buffer.from('bytes')
  return /time|date/.test(dataType) ? new Date(1) : 1
}

async function nextSeq(db: Db, table: string): Promise<number> {
  const { rows } = await sql<{
    next: number
  }>`select coalesce(max(seq), 0) + 1 as next from ${sql.table(table)}`.execute(db)
  return Number(rows[0]?.next)
}

/** The number of rows of each of these tables, in one statement. */
async function sizesOf({ db }: Store, tables: readonly { name: string }[]): Promise<Record<string, number>> {
  const counts = tables.map(({ name }) => sql`(select count(*) from ${sql.table(name)}) as ${sql.ref(name)}`)
  const { rows } = await sql<Record<string, unknown>>`select ${sql.join(counts)}`.execute(db)
  return Object.fromEntries(Object.entries(rows[0] ?? {}).map(([name, count]) => [name, Number(count)]))
}

/** The rows of all tables that contain one of these texts, by table. */
async function rowsWith({ db }: Store, texts: readonly string[]): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  for (const { name } of await db.introspection.getTables()) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db)
    const some = rows.map((row) => JSON.stringify(row)).filter((row) => texts.some((text) => row.includes(text)))
    if (some.length > 0) found[name] = some.sort()
  }
  return found
}

/** The maximum number of rows of each table that one transaction may erase. */
const erasedAtOnce = new Map<string, number>([
  ...tablesOfWorkspaces.map(([table, atOnce]) => [table, atOnce] as const),
  ...tablesOfAgents.map(([table, atOnce]) => [table, atOnce] as const),
  ['agent', 20],
  ['workspace', 1],
  ['workspace_deleted', 1],
])

onEveryEngine('a deleted workspace', (open) => {
  const start = async () => {
    const store = await open()
    const north = await newTestWorkspace(store)
    const south = await newTestWorkspace(store, { slug: 'south', people: false })
    await addProduct({ db: store.db, by: north.admin, now: 1 }, { id: 'tasks', origin: 'https://tasks.example.org' })
    const tables = await tablesThatBelong(store)
    const r = reporting(north)
    await r.report({ runs: Array.from({ length: 450 }, (_, i) => ({ id: `r${i}` })) })
    await fill(north, tables)
    await fill({ ...south, admin: north.admin }, tables)
    const remove = () => deleteWorkspace({ db: store.db, by: north.admin, now: north.clock.now() }, north.workspace)
    return { store, north, south, tables, remove, r }
  }

  test('is unreadable at once: no name, no members, no token that fits, and no message that waits', async () => {
    const { store, north, south, remove, r } = await start()
    expect(await deletionCounts(store.db, north.workspace)).toEqual({ agents: 1, runs: 450, logs: 1, people: 1 })
    expect(await dueChannels(store, { node: 'a', now: north.clock.now() })).toHaveLength(2)
    expect(await remove()).toMatchObject({ ok: true })
    expect(await remove()).toMatchObject({ ok: false, code: 'workspace_unknown' })
    const { slug } = await store.db
      .selectFrom('workspace')
      .select('slug')
      .where('id', '=', north.workspace.id)
      .executeTakeFirstOrThrow()
    for (const name of ['north', slug]) expect(await findWorkspace(store.db, name)).toBeUndefined()
    expect((await listWorkspaces(store.db)).map((one) => one.slug)).toEqual(['south'])
    expect(await findRole(store.db, north.workspace.id, north.admin.id)).toBeUndefined()
    expect(await r.decide({})).toEqual({ ok: false, code: 'token_unknown' })
    expect(await createLookup(store).callerOf(`Bearer ${north.agent.token}`)).toBeUndefined()
    expect(await createLookup(store).callerOf(`Bearer ${south.agent.token}`)).toBeDefined()
    expect((await dueChannels(store, { node: 'a', now: north.clock.now() })).map(({ party }) => party)).toEqual([
      south.workspace.id,
    ])
    const line = await store.db.selectFrom('audit').selectAll().where('action', '=', 'workspace.deleted').execute()
    expect(line).toMatchObject([{ workspace_id: null, actor: 'Ada', subject: 'workspace north' }])
  })

  test('is erased from every table, some rows at a time, and nothing of another workspace is', async () => {
    const { store, north, south, tables, remove } = await start()
    expect(tables.map(({ name }) => name).filter((name) => !erasedAtOnce.has(name))).toEqual([])
    const ofSouth = [south.workspace.id, south.agent.id]
    const before = await rowsWith(store, ofSouth)
    await remove()
    const left = async () => Object.keys(await rowsWith(store, [north.workspace.id, north.agent.id]))
    const runs = async () =>
      (await store.db.selectFrom('run').select('id').where('agent_id', '=', north.agent.id).execute()).length
    await eraseDeletedWorkspaces(store.db, { steps: 1 })
    expect(await runs()).toBe(401)
    // Each call is a node that is killed after one transaction.
    for (let kills = 0; kills < 60; kills++)
      await Promise.all([1, 2].map(() => eraseDeletedWorkspaces(store.db, { steps: 1 })))
    expect(await left()).toEqual([])
    expect(await rowsWith(store, ofSouth)).toEqual(before)
    await eraseDeletedWorkspaces(store.db)
    expect(await rowsWith(store, ofSouth)).toEqual(before)
  })

  test('is erased from one table in a transaction, at most 500 rows, and no row goes by a cascade', async () => {
    const { store, north, tables, remove } = await start()
    expect(Math.max(...erasedAtOnce.values())).toBeLessThanOrEqual(500)
    // One row more than a transaction erases, so that a missing limit is noticed.
    await fill(north, tables, (table) => (erasedAtOnce.get(table) ?? 0) + 1)
    await remove()
    let before = await sizesOf(store, tables)
    const transactions: Record<string, number> = {}
    while ((before.workspace ?? 0) > 1) {
      await eraseDeletedWorkspaces(store.db, { steps: 1 })
      const after = await sizesOf(store, tables)
      const gone = Object.entries(before).filter(([table, count]) => count !== after[table])
      const expected = gone[0]?.[0] === 'workspace' ? ['workspace', 'workspace_deleted'] : [gone[0]?.[0]]
      expect(gone.map(([table]) => table).sort()).toEqual(expected)
      for (const [table, count] of gone) {
        expect(count - (after[table] ?? 0), table).toBeLessThanOrEqual(erasedAtOnce.get(table) ?? 0)
        transactions[table] = (transactions[table] ?? 0) + 1
      }
      before = after
    }
    expect(transactions).toMatchObject({ run: 11, log: 2, command: 2, blueprint_version: 2, agent: 1, audit: 2 })
  })
})
