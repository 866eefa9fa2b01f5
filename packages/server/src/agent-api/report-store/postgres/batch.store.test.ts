/** Tests guarantees of the report path that concern only PostgreSQL. */
import type pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../../../../../testing/eventually.ts'
import { reporting, submission } from '../../../../testing/reporting.ts'
import { newPostgresDatabase } from '../../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../../../testing/test-workspace.ts'
import { openPostgres } from '../../../platform/db/open.ts'
import { CommitUnknown, type Submission } from '../rows.ts'

let pool: pg.Pool
let w: TestWorkspace

beforeEach(async () => {
  const store = openPostgres(await newPostgresDatabase())
  if (store.engine === 'postgres') pool = store.pool
  w = await newTestWorkspace(store)
})
afterEach(() => w.store.close())

const fleet = async (size: number) => {
  const agents = []
  for (let i = 0; i < size; i++) agents.push(await w.addAgent(`agent-${i}`))
  return agents
}
const parts = (n: number) => ({
  state: { level: n % 2 ? 'ok' : 'warn', detail: `the ${n}th` },
  runs: [0, 1, 2].map((i) => ({ id: `run-${i}`, started: 1000 + i, cost_usd: n / 100 })),
})

test('a batch costs as many statements as a single report', async () => {
  const { store, deliveries } = reporting(w)
  const agents = await fleet(40)
  const send = (batch: Submission[]) => store(batch, w.clock.now(), deliveries.age)
  const batch = (size: number, n: number) => agents.slice(0, size).map((agent) => submission(w, parts(n), { agent }))
  for (let n = 0; n < 2; n++) await send(batch(40, n))
  const executed = async () =>
    (await pool.query('select sum(generic_plans + custom_plans) as times from pg_prepared_statements')).rows[0].times
  const [before] = [await executed(), await send(batch(1, 2))]
  const [one] = [await executed(), await send(batch(40, 3))]
  expect(one - before).toBeGreaterThan(5)
  expect((await executed()) - one).toBe(one - before)
})

test('a statement is planned once on a connection, whatever the size of the batch', async () => {
  const { store, deliveries } = reporting(w)
  const agents = await fleet(12)
  for (const [n, size] of [1, 12, 1, 1, 1, 1, 1, 3].entries()) {
    const batch = agents.slice(0, size).map((agent) => submission(w, parts(n), { agent }))
    await store(batch, w.clock.now(), deliveries.age)
  }
  const planned = `select name, custom_plans from pg_prepared_statements where name like 'report_%' and custom_plans > 0`
  expect((await pool.query(planned)).rows).toEqual([])
  const used = `select sum(generic_plans) as times from pg_prepared_statements where name like 'report_%'`
  expect((await pool.query(used)).rows[0].times).toBeGreaterThan(8 * 5)
})

test('no report scans a whole table, not even when statements were planned before there were rows', async () => {
  const { store, deliveries } = reporting(w)
  const send = (n: number) => store([submission(w, parts(n))], w.clock.now(), deliveries.age)
  for (let n = 0; n < 8; n++) await send(n)
  await pool.query(
    `insert into run (agent_id, id, place, first_seen, body)
    select $1, 'old-' || i, i, i, '{}' from generate_series(1, 1500) i`,
    [w.agent.id],
  )
  const tables = ['agent', 'agent_report', 'run', 'usage_day', 'command', 'workspace_product', 'release']
  const scans = async () => {
    await pool.query('select pg_stat_force_next_flush()')
    await pool.query('select 1')
    const asked = 'select relname, seq_scan from pg_stat_user_tables where relname = any($1) order by relname'
    return (await pool.query(asked, [tables])).rows
  }
  const before = await scans()
  expect(before).toHaveLength(tables.length)
  for (let n = 8; n < 12; n++) await send(n)
  expect(await scans()).toEqual(before)
})

/**
 * Cuts the connection of a batch that waits for a row. The query `locked` locks that row in another session. Returns
 * the batch's error.
 */
async function cutWhileWaitingFor(locked: string): Promise<unknown> {
  const { store, deliveries, report } = reporting(w)
  await report(parts(0))
  const other = await pool.connect()
  try {
    await other.query('begin')
    await other.query(locked, [w.agent.id])
    const outcome = store([submission(w, parts(1))], w.clock.now(), deliveries.age).catch((error) => error)
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    await eventually('the batch waits and is cut', async () => expect((await pool.query(cut)).rowCount).toBe(1), {
      everyMs: 20,
    })
    return await outcome
  } finally {
    await other.query('rollback')
    other.release()
    const kept = await w.store.db.selectFrom('agent_report').select('detail').execute()
    expect(kept).toEqual([{ detail: 'the 0th' }])
  }
}

test('when a connection is cut while a batch is read, nothing was stored and the batch may be retried', async () => {
  const error = await cutWhileWaitingFor('select 1 from agent where id = $1 for update')
  expect(error).toBeInstanceOf(Error)
  expect(error).not.toBeInstanceOf(CommitUnknown)
})

test('when a connection is cut after the commit was sent, it is unknown whether it happened (D1)', async () => {
  expect(await cutWhileWaitingFor('select 1 from agent_report where agent_id = $1 for update')).toBeInstanceOf(
    CommitUnknown,
  )
})
