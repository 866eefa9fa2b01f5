import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { onBothEngines } from '../../testing/stores.ts'
import { newTestWorkspace } from '../../testing/test-workspace.ts'
import { expireAfterLoss } from '../fleet/commands/store.ts'
import { renewAccess } from '../operator/backup/renew.ts'
import { healthOf } from '../service/ops/health.ts'
import type { Store } from './db/open.ts'
import { startMarks, undecidedLoss } from './marks.ts'

onBothEngines('a database that went back', (open) => {
  /** Starts a node with a data folder of its own, which outlives the node. */
  function newNode(store: Store, clock: { at: number }) {
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-marks-'))
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
    const log = { error: vi.fn(), debug: vi.fn() }
    const start = () => startMarks({ store, dataDir, log, onLoss: expireAfterLoss, now: () => clock.at })
    return { log, start }
  }

  /** Makes the rows of the nodes as they were before the last commits. */
  const goBack = (store: Store, by: number, at: number) =>
    store.db
      .updateTable('node_mark')
      .set((eb) => ({ count: eb('count', '-', by), at }))
      .execute()

  test('is noticed by a node that runs: in the log, in the health and for the operator, once', async () => {
    const store = await open()
    const clock = { at: 10_000 }
    const { log, start } = newNode(store, clock)
    const marks = await start()
    onTestFinished(() => marks.stop())
    clock.at = 20_000
    await marks.count()
    expect([log.error.mock.calls, await undecidedLoss(store.db)]).toEqual([[], undefined])
    await goBack(store, 1, 10_000)
    clock.at = 21_000
    await marks.count()
    await marks.count()
    expect(log.error.mock.calls).toEqual([
      [{ from: 10_000, until: 20_000, node: expect.any(String) }, expect.stringContaining('went back')],
    ])
    expect(await undecidedLoss(store.db)).toEqual({ from: 10_000, until: 20_000, noticedAt: 21_000 })
    expect(await healthOf(store, Date.now)()).toEqual({
      ok: true,
      warning: expect.stringContaining('1970-01-01T00:00:10.000Z'),
    })
  })

  test('is noticed by a node that was restarted in between', async () => {
    const store = await open()
    const clock = { at: 10_000 }
    const { log, start } = newNode(store, clock)
    await (await start()).stop()
    await (await start()).stop()
    expect(log.error).not.toHaveBeenCalled()
    await goBack(store, 1, 9_000)
    const marks = await start()
    onTestFinished(() => marks.stop())
    expect(await undecidedLoss(store.db)).toMatchObject({ from: 9_000, until: 10_000 })
  })

  test('expires the queued commands, which may have been delivered before', async () => {
    const store = await open()
    const w = await newTestWorkspace(store)
    const { start } = newNode(store, { at: w.clock.now() })
    const marks = await start()
    onTestFinished(() => marks.stop())
    await store.db.insertInto('command').values(queued(w.agent.id, w.clock.now())).execute()
    await marks.count()
    const states = () => store.db.selectFrom('command').select(['state', 'due_at']).execute()
    expect(await states()).toMatchObject([{ state: 'queued' }])
    await goBack(store, 2, w.clock.now())
    await marks.count()
    expect(await states()).toEqual([{ state: 'expired', due_at: null }])
  })

  test('raises no alarm after a restore that renewed all access', async () => {
    const store = await open()
    const clock = { at: 10_000 }
    const { log, start } = newNode(store, clock)
    await (await start()).stop()
    await goBack(store, 1, 9_000)
    await renewAccess(store.db, { now: clock.at })
    const marks = await start()
    onTestFinished(() => marks.stop())
    expect([log.error.mock.calls, await undecidedLoss(store.db)]).toEqual([[], undefined])
  })
})

const queued = (agent_id: string, now: number) => ({
  ...{ id: 'c1', agent_id, type: 'pause' as const, payload: '{}', state: 'queued' as const, created_at: now },
  ...{ created_by: null, created_by_name: 'Ada', delivered_at: null, failed_at: null, answered_at: null },
  ...{ message: null, due_at: now + 600_000 },
})
