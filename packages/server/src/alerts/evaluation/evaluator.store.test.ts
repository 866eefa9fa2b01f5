import { pino } from 'pino'
import { expect, test } from 'vitest'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { listMutes } from '../changes/listing.ts'
import { muteAlerts } from '../changes/muting.ts'
import { createEvaluator } from './evaluator.ts'
import type { ServiceFacts } from './service.ts'

const facts: ServiceFacts = { diskFree: 0.5, lastBackupAt: null, clockJump: null, evaluatedAt: null, wentBack: null }

onEveryEngine('the clock of alerts', (open) => {
  const silent = async () => {
    const w = await newTestWorkspace(await open())
    const received_at = w.clock.now() - 20 * 60_000
    const report = {
      agent_id: w.agent.id,
      received_at,
      controls: '[]',
      interval_s: 30,
      reporters: '',
      runs_kept: 0,
      body: '{}',
    }
    await w.store.db
      .insertInto('agent_report')
      .values(report as never)
      .execute()
    return w
  }
  const node = (w: TestWorkspace, name: string) =>
    createEvaluator({
      store: w.store,
      log: pino({ level: 'silent' }),
      now: w.clock.now,
      node: name,
      baseUrl: 'https://svc.example.org',
      service: async () => facts,
    })
  const alerts = (w: TestWorkspace) => w.store.db.selectFrom('alert').select(['rule', 'opened_at']).execute()

  test('the node with the lease evaluates every workspace, and another node takes over when it ends', async () => {
    const w = await silent()
    const [a, b] = [node(w, 'a'), node(w, 'b')]
    expect([await a.turn(), await b.turn()]).toEqual([true, false])
    expect(await alerts(w)).toEqual([{ rule: 'silent', opened_at: w.clock.now() }])
    await a.stop()
    expect(await b.turn()).toBe(true)
    await b.stop()
    expect(await alerts(w)).toHaveLength(1)
  })

  test('mutes end in a workspace without agents too', async () => {
    const w = await newTestWorkspace(await open())
    const ctx = { db: w.store.db, by: w.admin, role: 'admin' as const, now: w.clock.now() }
    for (const seconds of [60, null, 3600]) await muteAlerts(ctx, w.workspace, { seconds })
    await w.store.db.deleteFrom('agent').execute()
    w.clock.pass(120)
    const a = node(w, 'a')
    await a.turn()
    await a.stop()
    expect((await listMutes(w.store.db, w.workspace)).map(({ from, until }) => (until ?? 0) - from)).toEqual([3600_000])
  })

  test('a problem of the service itself is a separate alert', async () => {
    const w = await silent()
    const full = { ...facts, diskFree: 0.05 }
    const log = pino({ level: 'silent' })
    const parts = { store: w.store, log, now: w.clock.now, node: 'a', baseUrl: 'https://svc.example.org' }
    const a = createEvaluator({ ...parts, service: async () => full })
    await a.turn()
    const [alert] = await w.store.db.selectFrom('alert').selectAll().where('scope', '=', '@service').execute()
    expect(alert).toMatchObject({ rule: 'service', subject_id: 'disk', label: '5% is free', workspace_id: null })
    await a.stop()
  })

  test('the time of the last complete evaluation is stored', async () => {
    const w = await silent()
    const a = node(w, 'a')
    await a.turn()
    const lease = await w.store.db.selectFrom('alert_lease').select('turned_at').executeTakeFirst()
    expect(lease).toEqual({ turned_at: w.clock.now() })
    await a.stop()
  })
})
