import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { asAnotherRequest } from '../../../testing/beside.ts'
import { reporting, submission } from '../../../testing/reporting.ts'
import { offering } from '../../../testing/service.ts'
import { onBothEngines } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { accountTables } from '../../people/accounts/auth.ts'
import { migrate } from '../../platform/db/migrate.ts'
import type { Db, Store } from '../../platform/db/open.ts'
import { hashToken, newToken } from '../../platform/tokens.ts'
import { usageSums } from '../../web/queries/usage.ts'
import { openReportStore } from '../open.ts'
import { CommitUnknown, type ReportStore } from '../report-store/rows.ts'
import { createBatcher } from './batch.ts'
import { createMetrics } from './metrics.ts'
import { decideReport } from './rules.ts'

const batching = (w: TestWorkspace, store: ReportStore = openReportStore(w.store, decideReport)) => {
  const failures: unknown[] = []
  const metrics = createMetrics()
  const batcher = createBatcher({
    store,
    metrics,
    now: w.clock.now,
    age: () => undefined,
    committed: () => {},
    failed: (error) => failures.push(error),
    parallel: w.store.engine === 'sqlite' ? 1 : 2,
  })
  return { ...batcher, metrics, failures }
}

/**
 * Waits until the batch is blocked by a lock that the transaction `trx` holds. On SQLite `trx` has the only connection,
 * which blocks the batch in any case.
 */
async function batchWaits(trx: Db, { engine }: Store): Promise<void> {
  if (engine === 'sqlite') return
  await eventually('the batch waits for the lock', async () => {
    // Otherwise PostgreSQL would give the same answer until the transaction ends.
    await sql`select pg_stat_clear_snapshot()`.execute(trx)
    const waiting = sql<{ count: number }>`select count(*) as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    const { rows } = await waiting.execute(trx)
    expect(rows[0]?.count).toBe(1)
  })
}

onBothEngines('group commit', (open) => {
  test('reports that arrive together are committed together, and two of the same agent one after the other', async () => {
    const w = await newTestWorkspace(await open())
    const { submit, metrics, settled } = batching(w)
    const agents = await Promise.all(Array.from({ length: 40 }, (_, i) => w.addAgent(`a${i}`)))
    const all = [...agents, w.agent, w.agent].map((agent, i) =>
      submit(submission(w, { state: { level: 'ok', label: `${i}` } }, { agent })),
    )
    expect((await Promise.all(all)).every(({ ok }) => ok)).toBe(true)
    await settled()
    expect(metrics.batches).toBe(2)
    const last = w.store.db.selectFrom('agent_report').select('label').where('agent_id', '=', w.agent.id)
    expect(await last.executeTakeFirst()).toEqual({ label: '41' })
  })

  test("a batch never runs inside somebody else's open transaction", async () => {
    const w = await newTestWorkspace(await open())
    const { submit } = batching(w)
    let answered: Promise<unknown> | undefined
    const undone = w.store.db.transaction().execute(async (trx) => {
      await trx.updateTable('agent').set({ name: 'renamed' }).where('name', '=', 'nobody').execute()
      answered = asAnotherRequest(() => submit(submission(w, { state: { level: 'ok' } })))
      for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
      await new Promise((resolve) => setTimeout(resolve, 5))
      throw new Error('undo')
    })
    await expect(undone).rejects.toThrow('undo')
    expect(await answered).toMatchObject({ ok: true })
    expect((await w.store.db.selectFrom('agent_report').select('level').execute()).length).toBe(1)
  })

  test('a batch waits for a token rotation in progress, and the old token stores nothing after it (I7)', async () => {
    const w = await newTestWorkspace(await open())
    const { submit, metrics } = batching(w)
    const rotated = w.store.db.transaction().execute(async (trx) => {
      await trx
        .updateTable('agent')
        .set({ token_hash: hashToken(newToken('agent')) })
        .where('id', '=', w.agent.id)
        .execute()
      const answer = asAnotherRequest(() => submit(submission(w, { state: { level: 'ok' } })))
      await eventually('the report is in a batch', () => expect(metrics.inBatches).toBe(1))
      await batchWaits(trx, w.store)
      return { answer }
    })
    expect(await (await rotated).answer).toEqual({ ok: false, code: 'token_unknown' })
  })

  test('two nodes that store the same run at the same time count it once', async () => {
    const w = await newTestWorkspace(await open())
    const nodes = [reporting(w), reporting(w)]
    for (let round = 0; round < 20; round++) {
      const runs = (cost_usd: number) => [{ id: `r${round}`, started: 1_790_000_000 + round, cost_usd }]
      await Promise.all(nodes.map((node, i) => node.report({ runs: runs(i + 1) })))
    }
    const stored = await w.store.db.selectFrom('run').select('cost_micro').execute()
    const sum = stored.reduce((total, run) => total + (run.cost_micro ?? 0), 0)
    expect(await usageSums(w.store.db, w.agent)).toMatchObject([{ runs: 20, costMicro: sum }])
    const { runs_kept } = await w.store.db.selectFrom('agent_report').select('runs_kept').executeTakeFirstOrThrow()
    expect(runs_kept).toBe(20)
  })

  test('a report that breaks does not take the others of its batch with it', async () => {
    const w = await newTestWorkspace(await open())
    const real = openReportStore(w.store, decideReport)
    const other = await w.addAgent('other')
    const breaks: ReportStore = async (batch, now, age) => {
      if (batch.some(({ agentId }) => agentId === other.id)) throw new Error('a fault of ours')
      return real(batch, now, age)
    }
    const { submit, failures } = batching(w, breaks)
    const [bad, good] = await Promise.all([submit(submission(w, {}, { agent: other })), submit(submission(w, {}))])
    expect(bad).toEqual({ ok: false, code: 'unavailable' })
    expect(good).toMatchObject({ ok: true })
    expect(failures.length).toBe(2)
  })

  test('when it is unknown whether the commit happened, no command is delivered, now or later (D1)', async () => {
    const w = await newTestWorkspace(await open())
    const r = reporting(w)
    await r.report(offering)
    const { id } = await r.press('run_now')
    const real = openReportStore(w.store, decideReport)
    const lost: ReportStore = async (batch, now, age) => {
      await real(batch, now, age)
      throw new CommitUnknown(new Error('the connection broke'))
    }
    expect(await batching(w, lost).submit(submission(w, offering))).toEqual({ ok: false, code: 'unavailable' })
    expect(await r.report(offering)).toEqual([])
    expect(await r.command(id)).toMatchObject({ state: 'delivered' })
  })

  test('several nodes may migrate the store at the same time', async () => {
    const store = await open()
    if (store.engine === 'sqlite') await migrate(store, accountTables(store))
    else
      await Promise.all([
        migrate(store, accountTables(store)),
        migrate(store, accountTables(store)),
        migrate(store, accountTables(store)),
      ])
    expect(await store.db.selectFrom('agent').selectAll().execute()).toEqual([])
  })
})
