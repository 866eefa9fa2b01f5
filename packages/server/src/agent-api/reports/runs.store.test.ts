import { expect, test } from 'vitest'
import { reporting, submission } from '../../../testing/reporting.ts'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace, testStart } from '../../../testing/test-workspace.ts'
import { agentPage } from '../../web/queries/agent.ts'
import { fleetRows } from '../../web/queries/fleet-rows.ts'
import { usagePerDay, usageSums } from '../../web/queries/usage.ts'

const noon = testStart / 1000
const many = (count: number, run: (i: number) => object) => Array.from({ length: count }, (_, i) => run(i))
const today = Math.floor(testStart / 86_400_000)

onEveryEngine('runs of a report', (open) => {
  const ids = async ({ store }: TestWorkspace) =>
    (await store.db.selectFrom('run').select('id').orderBy('place').orderBy('seq').execute()).map(({ id }) => id)
  const usage = async ({ store, agent }: TestWorkspace) =>
    (await usageSums(store.db, agent))
      .map(
        ({ day, model, runs, costMicro, outputTokens }) => [day - today, model, runs, costMicro, outputTokens] as const,
      )
      .sort(([day, model], [other, second]) => day - other || (model < second ? -1 : 1))

  test('a run whose id comes again is replaced completely and keeps its place (2.2, D10, D11)', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    await report({ runs: [{ id: 'a', started: noon - 60, status: 'running', kind: 'mail', cost_usd: 0.5 }] })
    await report({ runs: [{ id: 'b', started: noon - 30 }] })
    await report({ runs: [{ id: 'a', started: noon - 5, ended: noon, status: 'done' }] })
    expect(await ids(w)).toEqual(['a', 'b'])
    const row = await w.store.db.selectFrom('run').selectAll().where('id', '=', 'a').executeTakeFirstOrThrow()
    expect(row).toMatchObject({ status: 'done', kind: null, cost_micro: null, ended: noon, place: (noon - 60) * 1000 })
    expect(JSON.parse(row.body)).toEqual({ id: 'a', started: noon - 5, ended: noon, status: 'done' })
  })

  test('ids are compared byte by byte', async () => {
    const w = await newTestWorkspace(await open())
    await reporting(w).report({ runs: [{ id: 'a' }, { id: 'A' }, { id: 'ä' }, { id: 'a\u0308' }, { id: 'a ' }] })
    expect((await ids(w)).length).toBe(5)
  })

  test('a run without a start, or with one more than a day ahead, is placed where it was first seen (D10)', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    await report({ runs: [{ id: 'none' }, { id: 'zero', started: 0 }, { id: 'far', started: noon + 86_401 }] })
    await report({
      runs: [
        { id: 'soon', started: noon + 86_400 },
        { id: 'old', started: 1 },
      ],
    })
    const rows = await w.store.db.selectFrom('run').select(['id', 'place']).execute()
    expect(Object.fromEntries(rows.map(({ id, place }) => [id, place - testStart]))).toEqual({
      none: 0,
      zero: 0,
      far: 0,
      soon: 86_400_000,
      old: 1000 - testStart,
    })
  })

  test('the newest 2000 are kept after each commit, by start and then by first sight (I8)', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    for (let part = 0; part < 4; part++) {
      await report({ runs: many(500, (i) => ({ id: `n${part}-${i}`, started: noon - 10_000 + part * 500 + i })) })
    }
    await report({ runs: [{ id: 'older', started: 5 }] })
    expect(await ids(w)).not.toContain('older')
    await report({
      runs: [
        { id: 'newer', started: noon },
        { id: 'tie', started: noon - 10_000 + 1 },
      ],
    })
    const kept = await ids(w)
    expect(kept.length).toBe(2000)
    // The three lowest runs were n0-0, n0-1 and "tie"; "tie" has the same time as n0-1 but was seen later. Two runs had
    // to go, so "tie" stays.
    expect(kept.slice(0, 2)).toEqual(['tie', 'n0-2'])
    expect(kept.at(-1)).toBe('newer')
    const { runs_kept } = await w.store.db.selectFrom('agent_report').select('runs_kept').executeTakeFirstOrThrow()
    expect(runs_kept).toBe(2000)
  })

  test('daily sums hold cost, runs and tokens by model, and a run that is sent again adds only its difference', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    const yesterday = noon - 86_400
    await report({
      runs: [
        { id: 'a', started: noon, cost_usd: 0.25, output_tokens: 10, models: { large: 0.2, small: 0.05 } },
        { id: 'b', started: yesterday, cost_usd: 1, output_tokens: 5 },
      ],
    })
    await report({ runs: [{ id: 'a', started: noon, cost_usd: 0.5, output_tokens: 30, models: { large: 0.5 } }] })
    expect(await usage(w)).toEqual([
      [-1, '', 1, 1_000_000, 5],
      [0, '', 1, 500_000, 30],
      [0, 'large', 1, 500_000, 0],
      [0, 'small', 0, 0, 0],
    ])
  })

  test('the fleet and the chart show the same daily sums, however many days have one', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    for (let day = 11; day >= 0; day--) {
      await report({ runs: [{ id: `r${day}`, started: noon - day * 86_400, cost_usd: 1 + day, models: { large: 1 } }] })
      const row = (await fleetRows(w.store.db, w.workspace.id, today)).get(w.agent.id)
      const days = await usagePerDay(w.store.db, w.agent, 30, testStart)
      const costs = Array.from({ length: 12 - day }, (_, i) => 12 - i)
      expect(days.slice(18, 30 - day).map(({ cost, runs, models }) => [cost, runs, { ...models }])).toEqual(
        costs.map((cost) => [cost, 1, { large: 1 }]),
      )
      expect(row?.cost30).toBe(costs.reduce((total, cost) => total + cost, 0))
      expect(row?.costToday).toBe(day === 0 ? 1 : null)
    }
    const agent = await w.store.db
      .selectFrom('agent')
      .selectAll()
      .where('id', '=', w.agent.id)
      .executeTakeFirstOrThrow()
    expect((await agentPage(w.store.db, agent, 'admin', testStart)).runs.models).toEqual(['large'])
  })

  test('a run that names only the cost of its models costs their sum', async () => {
    const w = await newTestWorkspace(await open())
    await reporting(w).report({ runs: [{ id: 'a', started: noon, models: { large: 0.2, small: 0.05 } }] })
    expect((await usage(w))[0]).toEqual([0, '', 1, 250_000, 0])
  })

  test('sums stay when their runs are trimmed; a run that does not survive its own commit is not counted', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    for (let part = 0; part < 4; part++) {
      await report({
        runs: many(500, (i) => ({ id: `n${part}-${i}`, started: noon - 5000 + 500 * part + i, cost_usd: 0.01 })),
      })
    }
    await report({ runs: many(100, (i) => ({ id: `late-${i}`, started: noon + 60, cost_usd: 0.01 })) })
    for (let again = 0; again < 3; again++)
      await report({ runs: [{ id: 'n0-0', started: noon - 5000, cost_usd: 0.01 }] })
    expect(await usage(w)).toEqual([[0, '', 2100, 21_000_000, 0]])
  })

  test('huge numbers stay readable: no sum exceeds what a page can add up', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    const huge = { cost_usd: 1e308, output_tokens: Number.MAX_SAFE_INTEGER, models: { x: 1e300 } }
    for (let i = 0; i < 3; i++) await report({ runs: many(500, (n) => ({ id: `${i}-${n}`, started: noon, ...huge })) })
    for (const [, , , cost, tokens] of await usage(w)) {
      expect(cost).toBeLessThanOrEqual(1e12)
      expect(tokens).toBeLessThanOrEqual(1e12)
    }
  })

  test('the rows of the first eight runs of a report are remembered, so that many agents need little memory', async () => {
    const w = await newTestWorkspace(await open())
    const { store } = reporting(w)
    const rowNumbers = { agent: 0, report: 0, runs: [] as number[] }
    const sent = { ...submission(w, { runs: many(12, (i) => ({ id: `r${i}`, started: noon })) }), rowNumbers }
    for (let i = 0; i < 2; i++) await store([sent], w.clock.now(), () => undefined)
    const rows = await w.store.db.selectFrom('run').select('seq').orderBy('seq').limit(8).execute()
    expect(rowNumbers.runs).toEqual(w.store.engine === 'sqlite' ? rows.map(({ seq }) => seq) : [])
  })

  test('a report in which no run changed writes none of them again', async () => {
    const w = await newTestWorkspace(await open())
    const { decide } = reporting(w)
    const runs = many(3, (i) => ({ id: `r${i}`, started: noon - i, cost_usd: 0.1 }))
    await decide({ runs })
    const again = await decide({ runs: [{ ...runs[0], status: 'done' }, runs[1], runs[2]] })
    expect(again).toMatchObject({
      ok: true,
      write: { newRuns: [], trimmed: [], usage: [], changedRuns: [{ id: 'r0' }] },
    })
  })
})
