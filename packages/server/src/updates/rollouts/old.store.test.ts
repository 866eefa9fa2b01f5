/** Tests the list of rollouts, and how long they are kept. */
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { testLive } from '../../../testing/service.ts'
import { onBothEngines } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { addVersion, ofBlueprint } from '../../../testing/wishes.ts'
import { createSweeper } from '../../service/sweeper/sweeper.ts'
import { readRollouts, rolloutPage } from '../../web/queries/rollouts.ts'
import { cancelRollout, startRollout } from './store.ts'

const by = { id: null, name: 'Ada' }
const day = 86_400

onBothEngines('rollouts', (open) => {
  const start = async (agents = 1) => {
    const w = await newTestWorkspace(await open(), { people: false })
    await addVersion(w, 'triage', '1.1.0')
    await ofBlueprint(w, w.agent, 'triage', '1.0.0')
    for (let i = 1; i < agents; i++) await ofBlueprint(w, await w.addAgent(`a${i}`), 'triage', '1.0.0')
    return w
  }
  const begin = async (w: TestWorkspace) => {
    const wanted = { kind: 'blueprint', blueprint: 'triage', version: '1.1.0' } as const
    const made = await startRollout({ db: w.store.db, by, now: w.clock.now() }, w.workspace, wanted)
    if (!made.ok) throw new Error(made.message)
    return made.value.id
  }
  const cancel = (w: TestWorkspace, id: string) =>
    cancelRollout({ db: w.store.db, by, now: w.clock.now() }, w.workspace, id, true)
  const sweeper = (w: TestWorkspace) => {
    const needs = { store: w.store, live: testLive(), log: pino({ level: 'silent' }), now: w.clock.now }
    return createSweeper(needs, () => undefined)
  }
  const piece = async (w: TestWorkspace, limit: number, before?: string) => {
    const { rows, more } = await readRollouts(w.store.db, w.workspace, { limit, before }, w.clock.now())
    return { ids: rows.map(({ id }) => id), more }
  }

  test('rollouts are listed in pages, newest first, each exactly once while more are started', async () => {
    const w = await start()
    const ids: string[] = []
    for (let i = 0; i < 5; i++) {
      ids.unshift(await begin(w))
      await cancel(w, ids[0] as string)
    }
    expect(await piece(w, 5)).toEqual({ ids, more: false })
    const first = await piece(w, 2)
    expect(first).toEqual({ ids: ids.slice(0, 2), more: true })
    await begin(w)
    const second = await piece(w, 2, first.ids.at(-1))
    expect(second).toEqual({ ids: ids.slice(2, 4), more: true })
    await w.store.db
      .deleteFrom('rollout')
      .where('id', '=', second.ids[1] as string)
      .execute()
    expect(await piece(w, 2, second.ids.at(-1))).toEqual({ ids: ids.slice(4), more: false })
  })

  test('rollouts and their agents are erased 400 days after their end, even by several nodes at once; one that has not ended stays', async () => {
    const w = await start(260)
    const old = await begin(w)
    w.clock.pass(day)
    await cancel(w, old)
    const young = await begin(w)
    w.clock.pass(10)
    await cancel(w, young)
    w.clock.pass(399 * day - 10)
    const open = await begin(w)
    await w.store.db.updateTable('rollout').set({ state: 'halted', changed_at: 0 }).where('id', '=', open).execute()
    await sweeper(w).sweep()
    expect((await piece(w, 9)).ids).toEqual([open, young, old])
    w.clock.pass(day)
    await Promise.all([sweeper(w).sweep(), sweeper(w).sweep(), sweeper(w).sweep()])
    expect((await piece(w, 9)).ids).toEqual([open, young])
    w.clock.pass(10)
    await sweeper(w).sweep()
    expect((await piece(w, 9)).ids).toEqual([open])
    const left = await w.store.db.selectFrom('rollout_agent').select('rollout_id').distinct().execute()
    expect(left).toEqual([{ rollout_id: open }])
    expect(await rolloutPage(w.store.db, w.workspace, old, w.clock.now())).toBeUndefined()
  })
})
