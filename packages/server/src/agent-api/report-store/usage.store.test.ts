import { expect, test } from 'vitest'
import { reporting } from '../../../testing/reporting.ts'
import { onBothEngines } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace, testStart } from '../../../testing/test-workspace.ts'
import { maxModelsPerDay, otherModels } from '../../fleet/reports/usage-names.ts'
import { agentPage } from '../../web/queries/agent.ts'
import { usagePerDay, usageSums } from '../../web/queries/usage.ts'

const noon = testStart / 1000
const many = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i))
/** Makes runs with 50 models each and no model name twice, as if an agent put a date into the name of its model. */
const runsOf = (prefix: string, count: number, started = (_: number) => noon) =>
  many(count, (i) => ({
    id: `${prefix}-${i}`,
    started: started(i),
    models: Object.fromEntries(many(50, (k) => [`${prefix}-${i}-${k}`, 0.01])),
  }))

onBothEngines('models of a report', (open) => {
  const sums = async ({ store, agent }: TestWorkspace) => {
    const all = await usageSums(store.db, agent)
    const total = all.filter(({ model }) => model === '').reduce((sum, { costMicro }) => sum + costMicro, 0)
    const named = all.filter(({ model }) => model !== '')
    return { total, named, ofModels: named.reduce((sum, { costMicro }) => sum + costMicro, 0) }
  }

  test('a day has at most 200 names and one for the others, and no cost is lost', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    for (const prefix of ['a', 'b', 'c']) await report({ runs: runsOf(prefix, 100) })
    await report({ runs: [] })
    const { total, named, ofModels } = await sums(w)
    expect(named.length).toBe(maxModelsPerDay + 1)
    expect([total, ofModels]).toEqual([150_000_000, 150_000_000])
  })

  test('a run sent again with another cost changes the sum that its model is in', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    await report({ runs: runsOf('a', 10) })
    const again = runsOf('a', 10).map(({ models, ...run }) => {
      return { ...run, models: Object.fromEntries(Object.keys(models).map((name) => [name, 0.03])) }
    })
    await report({ runs: again })
    const { total, named, ofModels } = await sums(w)
    expect([total, ofModels]).toEqual([15_000_000, 15_000_000])
    expect(named.find(({ model }) => model === otherModels)?.costMicro).toBe(300 * 30_000)
  })

  test('one report adds to at most a thousand names, however many days its runs span', async () => {
    const w = await newTestWorkspace(await open())
    const { decide } = reporting(w)
    const decision = await decide({ runs: runsOf('a', 300, (i) => noon - i * 86_400) })
    expect(
      decision.ok && decision.write.usage.filter(({ model }) => model !== '' && model !== otherModels).length,
    ).toBe(1000)
    const { total, ofModels } = await sums(w)
    expect([total, ofModels]).toEqual([150_000_000, 150_000_000])
  })

  test('the page and the chart stay below 256 KB, whatever an agent has named', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    const wide = '\u{10ffff}'.repeat(90)
    for (let part = 0; part < 3; part++) {
      await report({
        runs: many(300, (i) => ({
          id: `${part}-${i}`,
          started: noon - i * 86_400,
          status: `${part}-${i}-${wide}`,
          log: `${part}-${i}-${wide}`,
          models: { [`${part}-${i}-${wide}`]: i + 1, [`${i}`]: 1 },
        })),
      })
    }
    const agent = await w.store.db
      .selectFrom('agent')
      .selectAll()
      .where('id', '=', w.agent.id)
      .executeTakeFirstOrThrow()
    const bytes = (answer: unknown) => Buffer.byteLength(JSON.stringify(answer))
    expect(bytes(await agentPage(w.store.db, agent, 'admin', testStart))).toBeLessThan(256 * 1024)
    const days = await usagePerDay(w.store.db, w.agent, 366, testStart)
    expect(bytes(days)).toBeLessThan(256 * 1024)
    const inAll = days.reduce((sum, { models }) => sum + Object.values(models).reduce((a, b) => a + b, 0), 0)
    expect(inAll).toBeCloseTo(3 * many(300, (i) => i + 2).reduce((a, b) => a + b, 0))
  })
})
