import { expect, test } from 'vitest'
import { reporting, submission } from '../../../testing/reporting.ts'
import { onBothEngines } from '../../../testing/stores.ts'
import { newTestWorkspace } from '../../../testing/test-workspace.ts'
import { usageSums } from '../../web/queries/usage.ts'

onBothEngines('a batch that fails', (open) => {
  test('a batch that fails leaves nothing that the next one builds on', async () => {
    const w = await newTestWorkspace(await open())
    const r = reporting(w)
    await r.report({ runs: [{ id: 'a', started: 10, cost_usd: 1 }] })
    const bad = submission(w, { runs: [{ id: 'b', started: 20, cost_usd: 1 }] }, { agent: await w.addAgent('bad') })
    const good = submission(w, { runs: [{ id: 'a', started: 10, cost_usd: 2 }], state: { level: 'ok' } })
    const breaking = {
      ...bad,
      gone: () => {
        throw new Error('a fault in the middle')
      },
      report: { ...bad.report, acks: [] },
    }
    await w.store.db
      .insertInto('command')
      .values({
        id: 'c',
        agent_id: bad.agentId,
        type: 'pause',
        payload: '{}',
        state: 'queued',
        created_at: w.clock.now(),
        created_by: null,
        created_by_name: 'x',
        delivered_at: null,
        failed_at: null,
        answered_at: null,
        message: null,
        due_at: w.clock.now() + 1000,
      })
      .execute()
    await expect(r.store([good, breaking], w.clock.now(), r.deliveries.age)).rejects.toThrow('a fault in the middle')
    const row = () => w.store.db.selectFrom('run').select(['id', 'cost_micro']).orderBy('id').execute()
    expect(await row()).toEqual([{ id: 'a', cost_micro: 1_000_000 }])
    await r.report({ runs: [{ id: 'a', started: 10, cost_usd: 3 }], state: { level: 'ok' } })
    expect(await row()).toEqual([{ id: 'a', cost_micro: 3_000_000 }])
    expect(await usageSums(w.store.db, w.agent)).toMatchObject([{ model: '', costMicro: 3_000_000, runs: 1 }])
    expect((await w.store.db.selectFrom('level_change').selectAll().execute()).length).toBe(1)
  })

  test('runs that left the last report and come back are still the same runs', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    await report({ runs: [{ id: 'a', started: 10, cost_usd: 1 }] })
    await report({ runs: [{ id: 'b', started: 20 }] })
    await report({})
    await report({
      runs: [
        { id: 'a', started: 10, cost_usd: 2 },
        { id: 'b', started: 20, status: 'done' },
      ],
    })
    const rows = await w.store.db.selectFrom('run').select(['id', 'cost_micro', 'status']).orderBy('id').execute()
    expect(rows).toEqual([
      { id: 'a', cost_micro: 2_000_000, status: null },
      { id: 'b', cost_micro: null, status: 'done' },
    ])
    const kept = await w.store.db.selectFrom('agent_report').select('runs_kept').executeTakeFirstOrThrow()
    expect(kept.runs_kept).toBe(2)
  })
})
