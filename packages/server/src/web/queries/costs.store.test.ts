import { type CostSplit, type CostStep, history } from '@svc/api'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { byLevel } from '../../../../../testing/level.ts'
import { reporting } from '../../../testing/reporting.ts'
import { onBothEngines } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestAgent, type TestWorkspace, testStart } from '../../../testing/test-workspace.ts'
import { deleteAgent, renameAgent } from '../../fleet/agents/store.ts'
import { usageDays } from '../../fleet/reports/usage-names.ts'
import { dayNumber } from '../../platform/limits/units.ts'
import { boundHistories } from '../../service/sweeper/history.ts'
import { eraseOldSums } from '../../service/sweeper/rounds.ts'
import { startOfStep } from './cost-sums.ts'
import { costCsv, costPage, costRows, costRuns } from './costs.ts'
import { workspaceTurns } from './fleet.ts'

const noon = testStart / 1000
const today = dayNumber(testStart)
const by = { id: null, name: 'operator' }
const daySeconds = 86_400
const many = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i))
const splits: readonly (CostSplit | undefined)[] = [undefined, ...history.costSplits]
const asked = (per?: CostSplit, more: { by?: CostStep; from?: number; to?: number } = {}) =>
  ({ from: today - 29, to: today, by: 'day', per, ...more }) as const

interface KnownRun {
  agent: number
  id: string
  day: number
  models: Record<string, number>
  cost: number
  tokens: number
}

/** A step in the random history of a few agents. */
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      is: fc.constant('run' as const),
      agent: fc.nat(2),
      id: fc.nat(5).map(String),
      back: fc.nat(405),
      models: fc.dictionary(fc.constantFrom('big', 'small', 'other', '(deleted)', '__proto__x'), fc.nat(9)),
      beside: fc.nat(3),
      tokens: fc.nat(100),
    }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('delete' as const), agent: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('rename' as const), agent: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('sweep' as const), agent: fc.constant(0) }) },
)

onBothEngines('the costs of a workspace', (open) => {
  const remove = ({ store, clock }: TestWorkspace, agent: TestAgent) =>
    deleteAgent({ db: store.db, by, now: clock.now() }, agent)
  /** Erases what is no longer kept, and folds the rare models of agents, as the sweeper does. */
  const sweep = async ({ store: { db }, clock }: TestWorkspace) => {
    await boundHistories(db, '', clock.now())
    await eraseOldSums(db, clock.now())
  }
  const rowsOf = (w: TestWorkspace, per?: CostSplit, more = {}) =>
    costRows(w.store.db, w.workspace, asked(per, more), w.clock.now())
  const csvOf = async (w: TestWorkspace, per?: CostSplit) => {
    let csv = ''
    for await (const piece of costCsv(w.store.db, w.workspace, asked(per), w.clock.now())) csv += piece
    return csv
  }

  test('have an agent once that is renamed while they are read', async () => {
    const w = await newTestWorkspace(await open(), { people: false })
    const { db } = w.store
    const agents = await Promise.all(many(300, (i) => w.addAgent(`agent-${i + 100}`)))
    const sum = { day: today, model: '', runs: 1, cost_micro: 1, output_tokens: 0 }
    await db
      .insertInto('usage_day')
      .values(agents.map(({ id }) => ({ ...sum, agent_id: id })))
      .execute()
    const turn = () => new Promise((done) => setImmediate(done))
    for (const [i, to] of [[0, 'zz'] as const, [299, 'aa'] as const])
      for (let turns = 0; turns < byLevel(3, 12, 12); turns++) {
        const reading = rowsOf(w)
        for (let n = 0; n < turns; n++) await turn()
        await renameAgent({ db, by, now: w.clock.now() }, agents[i] as TestAgent, `${to}-${turns}`)
        const [row] = await reading
        expect(row?.runs, `renamed to ${to} after ${turns} turns`).toBe(300)
        await renameAgent({ db, by, now: w.clock.now() }, agents[i] as TestAgent, `agent-${i + 100}-${turns}`)
      }
  })

  test('add up to all runs ever reported, whatever is corrected and deleted, and each split adds up to the same', {
    timeout: 300_000,
  }, async () => {
    const store = await open()
    let workspaces = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const w = await newTestWorkspace(store, { slug: `n-${workspaces++}`, people: false })
        const { report } = reporting(w)
        const names = new Map<number, TestAgent>()
        const runs = new Map<string, KnownRun>()
        let made = 0
        for (const one of steps) {
          const agent = names.get(one.agent) ?? (await w.addAgent(`agent-${made++}`))
          names.set(one.agent, agent)
          if (one.is === 'sweep') {
            await sweep(w)
          } else if (one.is === 'delete') {
            await remove(w, agent)
            names.delete(one.agent)
          } else if (one.is === 'rename') {
            await renameAgent({ db: w.store.db, by, now: w.clock.now() }, agent, `agent-${made++}`)
          } else {
            const key = `${agent.id} ${one.id}`
            const sum = Object.values(one.models).reduce((a, b) => a + b, 0)
            // A run keeps the day on which it was first reported, so a correction changes everything but that.
            const day = runs.get(key)?.day ?? today - one.back
            const { id, models, tokens } = one
            const run = { agent: one.agent, id, day, models, cost: sum + one.beside, tokens }
            runs.set(key, run)
            const started = noon - one.back * daySeconds
            await report({ runs: [{ id, started, models, cost_usd: run.cost, output_tokens: tokens }] }, { agent })
          }
        }
        const all = [...runs.values()].filter(({ day }) => day > today - usageDays)
        const [cost, tokens] = [
          all.reduce((sum, run) => sum + run.cost, 0),
          all.reduce((sum, run) => sum + run.tokens, 0),
        ]
        for (const per of splits)
          for (const step of history.costSteps) {
            const rows = await rowsOf(w, per, { by: step, from: today - usageDays + 1 })
            const starts = new Map<string, number>()
            for (const row of rows) starts.set(row.from, (starts.get(row.from) ?? 0) + row.cost)
            const expected = new Map<string, number>()
            for (const run of all) {
              const start = history.dayText(startOfStep(run.day, step))
              expected.set(start, (expected.get(start) ?? 0) + run.cost)
            }
            const paid = (sums: Map<string, number>) => [...sums].filter(([, sum]) => sum > 0).sort()
            expect(paid(starts)).toEqual(paid(expected))
            if (per === 'model') continue
            expect(rows.reduce((sum, row) => sum + (row.runs ?? 0), 0)).toBe(all.length)
            expect(rows.reduce((sum, row) => sum + (row.outputTokens ?? 0), 0)).toBe(tokens)
          }
        for (const per of splits) {
          const whole = asked(per, { from: today - usageDays + 1 })
          const page = await costPage(w.store.db, w.workspace, whole, w.clock.now())
          expect(page.total.cost).toBe(cost)
          expect(page.columns.reduce((sum, column) => sum + column.cost, 0)).toBe(cost)
          expect(page.names.reduce((sum, name) => sum + name.cost, 0) + page.others.cost).toBe(cost)
        }
      }),
      { numRuns: byLevel(8, 40, 200) },
    )
  })

  test('are refused in JSON if there are too many sums, which CSV still has', async () => {
    const w = await newTestWorkspace(await open(), { people: false })
    const { db } = w.store
    const [agents, days] = [await Promise.all(many(52, (i) => w.addAgent(`agent-${i}`))), 400]
    const sum = { model: '', runs: 1, cost_micro: 1, output_tokens: 0 }
    for (const { id } of agents)
      await db
        .insertInto('usage_day')
        .values(many(days, (back) => ({ ...sum, agent_id: id, day: today - back })))
        .execute()
    const all = { from: today - days + 1 }
    await expect(rowsOf(w, 'agent', all)).rejects.toMatchObject({ code: 'costs_too_many' })
    expect((await rowsOf(w, 'agent', { ...all, by: 'week' })).reduce((runs, row) => runs + (row.runs ?? 0), 0)).toBe(
      52 * 400,
    )
    let lines = 0
    for await (const piece of costCsv(db, w.workspace, asked('agent', all), w.clock.now()))
      lines += piece.split('\r\n').length - 1
    expect(lines).toBe(1 + 52 * 400)
  })

  test('list the twenty most expensive runs of seven days', async () => {
    const w = await newTestWorkspace(await open(), { people: false })
    const { report } = reporting(w)
    const all: [cost: number, agent: string][] = []
    for (let i = 0; i < 30; i++) {
      const agent = await w.addAgent(`agent-${i}`)
      const costs = many(3, (k) => 1 + ((i * 37 + k * 61) % 97))
      const old = { id: 'old', started: noon - 8 * daySeconds, cost_usd: 500 }
      const runs = costs.map((cost_usd, k) => ({ id: `${k}`, started: noon - k * 3 * daySeconds, cost_usd }))
      await report({ runs: [old, ...runs] }, { agent })
      for (const cost of costs) all.push([cost, agent.name])
    }
    const found = await costRuns(w.store.db, w.workspace, w.clock.now())
    const costs = all.map(([cost]) => cost).sort((a, b) => b - a)
    expect(found.map(({ cost }) => cost)).toEqual(costs.slice(0, 20))
    for (const { cost, agent } of found) expect(all).toContainEqual([cost, agent])
  })

  test('count sums that wait with a last report, and those that an agent with many models has in the table', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    const agents = [w.agent, await w.addAgent('many'), await w.addAgent('few')]
    for (const [i, agent] of agents.entries())
      for (let back = 0; back < 12; back++) {
        const models = Object.fromEntries(many(i === 1 ? 50 : 1, (n) => [`m${n}`, 2]))
        const runs = many(i === 1 ? 4 : 1, (k) => ({ id: `${back}-${k}`, started: noon - back * daySeconds, models }))
        await report({ runs: i === 1 ? runs.map((run, k) => renamed(run, k)) : runs }, { agent })
      }
    const rows = await rowsOf(w, 'model', { by: 'month' })
    expect(rows.reduce((sum, { cost }) => sum + cost, 0)).toBe(12 * (200 + 2) * 2)
    expect(rows.map(({ name }) => name)).toHaveLength(201)
    const perAgent = await rowsOf(w, 'agent', { by: 'month' })
    expect(perAgent.map(({ name, cost, runs }) => [name, cost, runs])).toEqual([
      ['many', 12 * 400, 48],
      ['few', 24, 12],
      ['mail-triage', 24, 12],
    ])
  })

  test('are read many agents at a time again after an agent with many models', async () => {
    const w = await newTestWorkspace(await open(), { people: false })
    const { db } = w.store
    const agents = await Promise.all(many(120, (i) => w.addAgent(`agent-${i + 100}`)))
    const [first] = agents
    const row = (agent: TestAgent | undefined, day: number, model: string) => ({
      ...{ agent_id: agent?.id ?? '', day, model, runs: 1, cost_micro: 1, output_tokens: 0 },
    })
    for (let back = 0; back < 12; back++)
      await db
        .insertInto('usage_day')
        .values(many(200, (i) => row(first, today - back, `m${i}`)))
        .execute()
    await db
      .insertInto('usage_day')
      .values(agents.slice(1).map((agent) => row(agent, today, '')))
      .execute()
    const turns = vi.spyOn(workspaceTurns, 'next')
    onTestFinished(() => turns.mockRestore())
    const rows = await rowsOf(w, 'model', { by: 'month' })
    expect(rows).toHaveLength(201)
    expect(turns.mock.calls.length).toBeLessThan(40)
  })

  test('of deleted agents keep their model, and a model that is called (deleted) is not taken for them', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    const other = await w.addAgent('other')
    await report({ runs: [{ id: 'a', started: noon, models: { '(deleted)': 3 }, cost_usd: 4 }] })
    await report({ runs: [{ id: 'a', started: noon, models: { big: 2 } }] }, { agent: other })
    await remove(w, other)
    const named = (rows: { name: string | null; cost: number }[]) => rows.map(({ name, cost }) => [name, cost])
    expect(named(await rowsOf(w, 'model'))).toEqual([
      ['(deleted)', 3],
      ['big', 2],
      [null, 1],
    ])
    expect(named(await rowsOf(w, 'agent'))).toEqual([
      ['mail-triage', 4],
      ['(deleted)', 2],
    ])
    expect(named(await rowsOf(w, 'blueprint'))).toEqual([
      [null, 4],
      ['(deleted)', 2],
    ])
    const page = (per: CostSplit) => costPage(w.store.db, w.workspace, asked(per), w.clock.now())
    expect((await page('model')).names).toMatchObject([
      { name: '(deleted)', deleted: false, runs: null },
      { name: 'big', deleted: false },
      { name: null, deleted: false },
    ])
    expect(await page('agent')).toMatchObject({
      total: { cost: 6, runs: 2 },
      names: [{ name: 'mail-triage' }, { name: '(deleted)', deleted: true, runs: 1 }],
      deletedAgents: 1,
      limit: null,
    })
    const before = await costPage(w.store.db, w.workspace, asked('agent', { to: today - 1 }), w.clock.now())
    expect(before).toMatchObject({ names: [], deletedAgents: 0, total: { cost: 0, runs: 0 } })
  })

  test('are none in a workspace without agents, and in a time that is long over or to come', async () => {
    const w = await newTestWorkspace(await open())
    await remove(w, w.agent)
    for (const per of splits) {
      expect(await rowsOf(w, per)).toEqual([])
      expect(await rowsOf(w, per, { from: -700_000, to: today - 500 })).toEqual([])
      expect(await rowsOf(w, per, { from: today + 10, to: today + 4_000_000 })).toEqual([])
      expect(await csvOf(w, per)).toBe('\ufeff"from","name","runs","cost_usd","output_tokens"\r\n')
    }
    const page = await costPage(
      w.store.db,
      w.workspace,
      asked('model', { to: today - 500, from: -700_000 }),
      w.clock.now(),
    )
    expect(page).toMatchObject({ columns: [], names: [], total: { cost: 0 } })
  })

  test('name 400 models with pictures, formulas and 200 characters without a formula in the CSV, and the page stays small', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    const names = many(400, (i) => `=${'\u{1f600}'.repeat(90)}${i}`.padEnd(200, '+').slice(0, 200))
    const agents = [w.agent, await w.addAgent('two')]
    for (const [i, agent] of agents.entries())
      await report(
        {
          runs: many(4, (k) => ({
            id: `${k}`,
            started: noon,
            models: Object.fromEntries(names.slice(i * 200 + k * 50, i * 200 + k * 50 + 50).map((name) => [name, 1])),
          })),
        },
        { agent },
      )
    const rows = await rowsOf(w, 'model')
    expect(new Set(rows.map(({ name }) => name))).toEqual(new Set(names))
    const lines = (await csvOf(w, 'model')).split('\r\n').slice(1, -1)
    expect(lines).toHaveLength(400)
    for (const line of lines) expect(line).toMatch(/^"2026-11-21","'=/)
    const page = await costPage(w.store.db, w.workspace, asked('model'), w.clock.now())
    expect(page.others.count).toBeGreaterThan(100)
    expect(page.names.length + page.others.count).toBe(400)
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(150_000)
  })
})

const renamed = <R extends { models: Record<string, number> }>(run: R, k: number): R => ({
  ...run,
  models: Object.fromEntries(Object.entries(run.models).map(([name, cost]) => [`${name}-${k}`, cost])),
})

describe('the time of a sum', () => {
  test.each([
    ['2026-11-22', 'day', '2026-11-22'],
    ['2026-11-22', 'week', '2026-11-16'],
    ['2026-11-23', 'week', '2026-11-23'],
    ['1970-01-01', 'week', '1969-12-29'],
    ['2024-02-29', 'month', '2024-02-01'],
    ['2026-01-01', 'week', '2025-12-29'],
  ] as const)('of %s by %s begins on %s', (day, step, start) => {
    expect(history.dayText(startOfStep(history.date(day, 'from'), step))).toBe(start)
  })

  test.each(['2026-02-30', '20260-01-01', '0000-00-00', 'yesterday', '2026-1-1', '', '2026-11-21T12:00Z', 1])(
    'is no date: %s',
    (text) => expect(() => history.date(text, 'from')).toThrow('from must be a date such as 2026-11-21'),
  )

  test('is 30 days up to today unless a day is named, and never ends before it begins', () => {
    expect(history.costPeriodOf({}, today)).toEqual({ from: today - 29, to: today })
    expect(history.costPeriodOf({ to: today - 40 }, today)).toEqual({ from: today - 69, to: today - 40 })
    expect(history.costPeriodOf({ from: today + 3 }, today)).toEqual({ from: today + 3, to: today + 3 })
    const reversed = { from: '2026-11-22', to: '2026-11-21' }
    expect(() => history.cost.input?.(reversed, '')).toThrow('from must not be after to')
    expect(() => history.cost.input?.({ by: 'year' }, '')).toThrow('by must be one of "day", "week", "month"')
  })
})
