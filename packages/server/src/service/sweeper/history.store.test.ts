import { expect, test } from 'vitest'
import { reporting } from '../../../testing/reporting.ts'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { otherModels } from '../../fleet/reports/usage-names.ts'
import { dayNumber } from '../../platform/limits/units.ts'
import { boundHistories, minKeptCommands } from './history.ts'

const dayMs = 86_400_000
const many = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i))

onEveryEngine('the history of an agent', (open) => {
  const today = (w: TestWorkspace) => dayNumber(w.clock.now())
  const usage = (w: TestWorkspace) =>
    w.store.db.selectFrom('usage_day').selectAll().orderBy('day').orderBy('model').execute()
  const addUsage = async (w: TestWorkspace, days: readonly number[], names: number) => {
    const sums = { runs: 1, cost_micro: 10, output_tokens: 5 }
    for (const day of days) {
      const rows = ['', ...many(names, (i) => `m${i}`)].map((model) => ({ agent_id: w.agent.id, day, model, ...sums }))
      await w.store.db.insertInto('usage_day').values(rows).execute()
    }
  }

  test('daily sums are erased after 400 days, and no earlier', async () => {
    const w = await newTestWorkspace(await open())
    await addUsage(w, [today(w) - 401, today(w) - 400], 1)
    await boundHistories(w.store.db, '', w.clock.now())
    expect((await usage(w)).map(({ day, model }) => [today(w) - day, model])).toEqual([
      [400, ''],
      [400, 'm0'],
    ])
  })

  test('an agent keeps about 10,000 rows: the models of its oldest days are folded into one, and no cost is lost', async () => {
    const w = await newTestWorkspace(await open())
    await addUsage(
      w,
      many(60, (i) => today(w) - i),
      200,
    )
    await boundHistories(w.store.db, '', w.clock.now())
    const rows = await usage(w)
    expect(rows.length).toBeLessThanOrEqual(10_000)
    expect(rows.length).toBeGreaterThan(9_500)
    expect(rows.slice(0, 2)).toMatchObject([
      { day: today(w) - 59, model: '', cost_micro: 10 },
      { day: today(w) - 59, model: otherModels, runs: 200, cost_micro: 2000 },
    ])
    expect(rows.reduce((sum, { cost_micro }) => sum + cost_micro, 0)).toBe(60 * 201 * 10)
    await boundHistories(w.store.db, '', w.clock.now())
    expect(await usage(w)).toEqual(rows)
  })

  test('of more than 5,000 level changes, the newest 4,000 stay, and the worst of each day before them', async () => {
    const w = await newTestWorkspace(await open())
    const first = (today(w) - 10) * dayMs
    const changes = many(6000, (i) => ({
      agent_id: w.agent.id,
      at: first + i * 60_000,
      level: i === 700 ? 'bad' : i % 2 === 0 ? 'ok' : 'warn',
      label: `${i}`,
    })) as { agent_id: string; at: number; level: 'ok' | 'warn' | 'bad'; label: string }[]
    for (let i = 0; i < changes.length; i += 1000)
      await w.store.db
        .insertInto('level_change')
        .values(changes.slice(i, i + 1000))
        .execute()
    await boundHistories(w.store.db, '', w.clock.now())
    const kept = await w.store.db.selectFrom('level_change').select(['at', 'label']).orderBy('seq').execute()
    const labels = kept.map(({ label }) => label)
    // The newest 4,000 changes start with change 2,000, within the second day. Of the first day only its worst change,
    // 700, is kept. The second day starts with change 1,440; its first change to "warn" is 1,441.
    expect(labels.slice(0, 4)).toEqual(['700', '1441', '2000', '2001'])
    expect(labels).toHaveLength(4002)
    expect(kept.slice(0, 2).map(({ at }) => at - first)).toEqual([0, dayMs])
    await boundHistories(w.store.db, '', w.clock.now())
    expect(await w.store.db.selectFrom('level_change').select(['at', 'label']).orderBy('seq').execute()).toEqual(kept)
  })

  test('an agent keeps the newest 5,000 times offline', async () => {
    const w = await newTestWorkspace(await open())
    const times = many(5001, (i) => ({
      agent_id: w.agent.id,
      from_at: w.clock.now() - i * 2000,
      until_at: w.clock.now() - i * 2000 + 1000,
    }))
    for (let i = 0; i < times.length; i += 1000)
      await w.store.db
        .insertInto('agent_offline')
        .values(times.slice(i, i + 1000))
        .execute()
    await boundHistories(w.store.db, '', w.clock.now())
    const kept = await w.store.db.selectFrom('agent_offline').select('from_at').orderBy('from_at').execute()
    expect([kept.length, kept[0]]).toEqual([5000, { from_at: w.clock.now() - 4999 * 2000 }])
  })

  test('the first report of an agent that reported at an earlier version is its oldest level change', async () => {
    const w = await newTestWorkspace(await open())
    await reporting(w).report({ state: { level: 'ok' } })
    w.clock.pass(30)
    await reporting(w).report({ state: { level: 'bad' } })
    await w.store.db.updateTable('agent').set({ first_report_at: null }).execute()
    await boundHistories(w.store.db, '', w.clock.now())
    const agent = await w.store.db.selectFrom('agent').select('first_report_at').executeTakeFirst()
    expect(agent).toEqual({ first_report_at: w.clock.now() - 30_000 })
  })

  test('somebody who sends and cancels commands without end does not push out what another person sent', async () => {
    const w = await newTestWorkspace(await open())
    const commands = many(minKeptCommands + 6, (i) => ({
      ...{ id: `c${String(i).padStart(5, '0')}`, agent_id: w.agent.id, type: 'pause' as const },
      ...{ payload: '{}', state: 'cancelled' as const, created_at: 1 + i, created_by_name: 'x' },
      created_by: i < 2 ? w.admin.id : null,
    }))
    for (let i = 0; i < commands.length; i += 500)
      await w.store.db
        .insertInto('command')
        .values(commands.slice(i, i + 500))
        .execute()
    await boundHistories(w.store.db, '', w.clock.now())
    const left = await w.store.db.selectFrom('command').select('id').orderBy('id').execute()
    expect(left.map(({ id }) => id)).toEqual(commands.filter((_, i) => i < 2 || i >= 8).map(({ id }) => id))
  })

  test('a pause that an earlier version saw without a change of level is noted once, from the last report on', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    await report({ state: { level: 'info', label: 'Idle' } })
    await report({ state: { level: 'info', label: 'Paused' } })
    // An earlier version writes a row for the first report only.
    await w.store.db.deleteFrom('level_change').where('label', '=', 'Paused').execute()
    await w.store.db.updateTable('level_change').set({ paused: null }).execute()
    const kept = () => w.store.db.selectFrom('level_change').select(['label', 'paused', 'at']).orderBy('seq').execute()
    const [at, paused] = [w.clock.now(), (await kept()).map((row) => ({ ...row, paused: null }))]
    w.clock.pass(10)
    for (let i = 0; i < 2; i++) await boundHistories(w.store.db, '', w.clock.now())
    expect(await kept()).toEqual([...paused, { label: 'Paused', paused: 1, at }])
    await report({ state: { level: 'info', label: 'Idle' } })
    await boundHistories(w.store.db, '', w.clock.now())
    expect((await kept()).slice(2)).toEqual([{ label: 'Idle', paused: 0, at: w.clock.now() }])
  })

  test('agents are processed in turns, a few at a time, and then from the start again', async () => {
    const w = await newTestWorkspace(await open())
    const agents = [w.agent, ...(await Promise.all(many(29, (i) => w.addAgent(`agent-${i}`))))]
    const ids = agents.map(({ id }) => id).sort()
    const after = await boundHistories(w.store.db, '', w.clock.now())
    expect(after).toBe(ids[24])
    expect(await boundHistories(w.store.db, after, w.clock.now())).toBe('')
  })
})
