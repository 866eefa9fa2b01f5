/** Tests the deletion of a workspace over all tables of the database, on both engines. */
import type { TableMetadata } from 'kysely'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { reporting } from '../../../testing/reporting.ts'
import { everyEngine } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { createLookup } from '../../agent-api/reports/lookup.ts'
import { dueChannels } from '../../deliveries/store.ts'
import { addProduct } from '../../fleet/products/store.ts'
import type { Db, Store } from '../../platform/db/open.ts'
import { deleteWorkspace, goingWith } from './delete.ts'
import { eraseDeletedWorkspaces, tablesOfAgents, tablesOfWorkspaces } from './erase.ts'
import { findWorkspace, listWorkspaces, roleOf } from './store.ts'

/** The columns by which a row belongs to a workspace, directly or through another row. */
const belonging = [
  'workspace_id',
  'workspaceId',
  'scope',
  'agent_id',
  'channel_id',
  'blueprint_id',
  'rollout_id',
  'action_id',
  'bot_id',
]
/** These tables refer to no other of the tables that are filled here, so they are filled first. */
const parents = ['blueprint', 'blueprint_version', 'rollout', 'action', 'bot', 'alert_channel']
const made = ['agent', 'agent_report', 'member', 'workspace_deleted', 'workspace_product']

async function tablesThatBelong({ db }: Store): Promise<TableMetadata[]> {
  const tables = await db.introspection.getTables()
  const rank = ({ name }: TableMetadata) => parents.indexOf(name) + 1 || 99
  return tables
    .filter(({ name, columns }) => name !== 'account' && columns.some((column) => belonging.includes(column.name)))
    .sort((a, b) => rank(a) - rank(b))
}

/** Writes a row of this workspace into every table whose rows belong to a workspace. */
async function fill(w: TestWorkspace, tables: readonly TableMetadata[]): Promise<void> {
  const { db } = w.store
  const named: Record<string, unknown> = {
    ...{ workspace_id: w.workspace.id, workspaceId: w.workspace.id, scope: w.workspace.id, agent_id: w.agent.id },
    ...{ product_id: 'tasks', person_id: null, userId: w.admin.id, inviterId: w.admin.id },
    ...{ created_by: null, enabled: 1, owner: '', 'alert_delivery.state': 'waiting', 'alert_delivery.due_at': 1 },
  }
  const idOf = (table: string) => `${table} of ${w.workspace.id}`
  for (const parent of parents) named[`${parent.replace('alert_', '')}_id`] = idOf(parent)
  for (const { name: table, columns } of tables.filter(({ name }) => !made.includes(name))) {
    const row: Record<string, unknown> = {}
    for (const { name, dataType, isNullable, isAutoIncrementing } of columns) {
      if (isAutoIncrementing) continue
      if (name === 'seq') Object.assign(row, await nextSeq(db, table))
      else if (`${table}.${name}` in named) row[name] = named[`${table}.${name}`]
      else if (name in named) row[name] = named[name]
      else row[name] = isNullable && name !== 'id' ? null : anyOf(dataType.toLowerCase(), idOf(table))
    }
    await db
      .insertInto(table as 'run')
      .values(row as never)
      .execute()
  }
}

function anyOf(dataType: string, text: string): unknown {
  if (/text|char/.test(dataType)) return text
  if (/bytea|blob/.test(dataType)) return Buffer.from('bytes')
  return /time|date/.test(dataType) ? new Date(1) : 1
}

async function nextSeq(db: Db, table: string): Promise<object> {
  const { rows } = await sql<{
    next: number
  }>`select coalesce(max(seq), 0) + 1 as next from ${sql.table(table)}`.execute(db)
  return { seq: Number(rows[0]?.next) }
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

everyEngine('a deleted workspace', (open) => {
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
    expect(await goingWith(store.db, north.workspace)).toEqual({ agents: 1, runs: 450, logs: 1, people: 1 })
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
    expect(await roleOf(store.db, north.workspace.id, north.admin.id)).toBeUndefined()
    expect(await r.decide({})).toEqual({ ok: false, code: 'token_unknown' })
    expect(await createLookup(store).callerOf(`Bearer ${north.agent.token}`)).toBeUndefined()
    expect(await createLookup(store).callerOf(`Bearer ${south.agent.token}`)).toBeDefined()
    expect((await dueChannels(store, { node: 'a', now: north.clock.now() })).map(({ scope }) => scope)).toEqual([
      south.workspace.id,
    ])
    const line = await store.db.selectFrom('audit').selectAll().where('action', '=', 'workspace.deleted').execute()
    expect(line).toMatchObject([{ workspace_id: null, actor: 'Ada', subject: 'workspace north' }])
  })

  test('is erased from every table, some rows at a time, and nothing of another workspace is', async () => {
    const { store, north, south, tables, remove } = await start()
    const listed = [...tablesOfAgents, ...tablesOfWorkspaces].map(([table]) => String(table))
    expect(
      tables.map(({ name }) => name).filter((name) => !['agent', 'workspace_deleted', ...listed].includes(name)),
    ).toEqual([])
    const ofSouth = [south.workspace.id, south.agent.id]
    const before = await rowsWith(store, ofSouth)
    await remove()
    const left = async () => Object.keys(await rowsWith(store, [north.workspace.id, north.agent.id]))
    const runs = async () =>
      (await store.db.selectFrom('run').select('id').where('agent_id', '=', north.agent.id).execute()).length
    await eraseDeletedWorkspaces(store.db, 1)
    expect(await runs()).toBe(401)
    // Each call is a node that is killed after one transaction.
    for (let kills = 0; kills < 60; kills++) await Promise.all([1, 2].map(() => eraseDeletedWorkspaces(store.db, 1)))
    expect(await left()).toEqual([])
    expect(await rowsWith(store, ofSouth)).toEqual(before)
    await eraseDeletedWorkspaces(store.db)
    expect(await rowsWith(store, ofSouth)).toEqual(before)
  })
})
