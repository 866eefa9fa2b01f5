import { expect, test } from 'vitest'
import { reporting } from '../../../testing/reporting.ts'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestAgent, type TestWorkspace, testStart } from '../../../testing/test-workspace.ts'
import { dayMs, dayNumber } from '../../platform/limits/units.ts'
import { eraseOldSums } from '../../service/sweeper/rounds.ts'
import { deleteAgent } from '../agents/store.ts'
import { maxModelsPerDay, otherModels, usageDays } from './usage-names.ts'

const noon = testStart / 1000
const today = dayNumber(testStart)
const by = { id: null, name: 'operator' }
const many = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i))

onEveryEngine('the sums of deleted agents', (open) => {
  const kept = async ({ store }: TestWorkspace) =>
    (await store.db.selectFrom('usage_deleted').selectAll().orderBy('day').orderBy('model').execute()).map((row) => [
      row.day - today,
      row.model,
      row.runs,
      row.cost_micro,
      row.output_tokens,
      row.began,
      row.ended,
    ])
  const remove = ({ store, clock }: TestWorkspace, agent: TestAgent) =>
    deleteAgent({ db: store.db, by, now: clock.now() }, agent)
  const run = (id: string, models: Record<string, number>, started = noon) => ({
    id,
    started,
    models,
    output_tokens: 7,
  })

  test('are those in the table and those that wait with the last report, added up over agents', async () => {
    const w = await newTestWorkspace(await open())
    const other = await w.addAgent('other')
    const { report } = reporting(w)
    const old = { agent_id: w.agent.id, day: today - 2, runs: 4, cost_micro: 900, output_tokens: 50 }
    await w.store.db
      .insertInto('usage_day')
      .values([
        { ...old, model: '' },
        { ...old, model: 'big' },
      ])
      .execute()
    await report({ runs: [run('a', { big: 2, small: 1 }), run('b', { big: 1 })] })
    await report({ runs: [run('c', { small: 3 }, noon - dayMs / 1000)] }, { agent: other })
    expect(await kept(w)).toEqual([])
    await remove(w, w.agent)
    expect(await kept(w)).toEqual([
      [-2, '', 4, 900, 50, 1, 0],
      [-2, 'big', 4, 900, 50, 0, 0],
      [0, '', 2, 4_000_000, 14, 0, 1],
      [0, 'big', 2, 3_000_000, 0, 0, 0],
      [0, 'small', 1, 1_000_000, 0, 0, 0],
    ])
    await report({ runs: [run('d', { big: 1 })] }, { agent: other })
    await remove(w, other)
    expect((await kept(w)).slice(2)).toEqual([
      [-1, '', 1, 3_000_000, 7, 1, 0],
      [-1, 'small', 1, 3_000_000, 0, 0, 0],
      [0, '', 3, 5_000_000, 21, 0, 2],
      [0, 'big', 3, 4_000_000, 0, 0, 0],
      [0, 'small', 1, 1_000_000, 0, 0, 0],
    ])
  })

  test('are none of an agent that never cost anything, and stay as they are when the deletion fails', async () => {
    const w = await newTestWorkspace(await open())
    const quiet = await w.addAgent('quiet')
    await remove(w, quiet)
    expect(await remove(w, quiet)).toMatchObject({ ok: false, code: 'agent_unknown' })
    await reporting(w).report({ runs: [run('a', { big: 1 })] })
    const failing = w.store.db.transaction().execute(async (trx) => {
      await deleteAgent({ db: trx, by, now: w.clock.now() }, w.agent)
      throw new Error('the disk is full')
    })
    await expect(failing).rejects.toThrow('the disk is full')
    expect(await kept(w)).toEqual([])
  })

  test('name at most 200 models a day, whatever all agents together used, and no cost is lost', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    const agents = [w.agent, await w.addAgent('two'), await w.addAgent('three')]
    for (const [i, agent] of agents.entries()) {
      await report(
        { runs: many(3, (k) => run(`${k}`, Object.fromEntries(many(50, (n) => [`m${i}-${k}-${n}`, 0.01])))) },
        { agent },
      )
      await remove(w, agent)
    }
    const rows = await kept(w)
    expect(rows).toHaveLength(maxModelsPerDay + 2)
    expect(rows.find(([, model]) => model === otherModels)?.slice(2, 4)).toEqual([250, 2_500_000])
    expect(rows.reduce((sum, [, , , cost]) => sum + Number(cost), 0)).toBe(2 * 4_500_000)
  })

  test('are erased after 400 days, and no earlier', async () => {
    const w = await newTestWorkspace(await open())
    await reporting(w).report({ runs: [run('a', { big: 1 })] })
    await remove(w, w.agent)
    await eraseOldSums(w.store.db, w.clock.now() + usageDays * dayMs)
    expect(await kept(w)).toHaveLength(2)
    const sum = { workspace_id: w.workspace.id, runs: 1, cost_micro: 1, output_tokens: 0, began: 0, ended: 0 }
    for (const day of [today - 1, today - 2])
      await w.store.db
        .insertInto('usage_deleted')
        .values(many(600, (i) => ({ ...sum, day, model: `m${i}` })))
        .execute()
    await eraseOldSums(w.store.db, w.clock.now() + usageDays * dayMs)
    expect(await kept(w)).toHaveLength(2)
    await eraseOldSums(w.store.db, w.clock.now() + (usageDays + 1) * dayMs)
    expect(await kept(w)).toEqual([])
  })
})
