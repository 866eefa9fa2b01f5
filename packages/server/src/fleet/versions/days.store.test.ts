import { expect, test } from 'vitest'
import { reporting } from '../../../testing/reporting.ts'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace, testStart } from '../../../testing/test-workspace.ts'
import { ofBlueprint } from '../../../testing/wishes.ts'
import { newId } from '../../platform/ids.ts'
import { dayMs } from '../../platform/limits/units.ts'
import { piecesOf } from '../../platform/lists.ts'
import { eraseOldVersions } from '../../service/sweeper/rounds.ts'
import { countVersions, keptVersionDays, mostFrequent, readVersionDays, versionCounts } from './days.ts'

const date = (at: number) => new Date(at).toISOString().slice(0, 10)

onEveryEngine('agents by version and day', (open) => {
  const start = async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    await ofBlueprint(w, w.agent, 'triage', '1.0.0')
    const second = await w.addAgent('second')
    await ofBlueprint(w, second, 'triage', '1.0.0')
    await ofBlueprint(w, await w.addAgent('third'), 'reader', '2.0.0')
    await w.addAgent('by-hand')
    const count = () => countVersions(w.store.db, w.clock.now())
    const days = (asked: { days?: number; blueprint?: string } = {}) =>
      readVersionDays(w.store.db, w.workspace, { days: 90, ...asked }, w.clock.now())
    return { w, report, second, count, days }
  }

  test('a count of a day replaces the earlier one of that day, and agents without a blueprint are not counted', async () => {
    const { w, report, second, count, days } = await start()
    await count()
    await count()
    const first = { date: date(testStart), agents: { '1.0.0': 2 } }
    expect(await days()).toEqual({
      now: w.clock.now(),
      blueprint: 'triage',
      blueprints: ['triage', 'reader'],
      days: [first],
    })
    await report({ agent: { version: '1.1.0' }, applied: { version: '1.1.0', outcome: 'ok' } }, { agent: second })
    await count()
    expect((await days()).days).toEqual([{ ...first, agents: { '1.0.0': 1, '1.1.0': 1 } }])
    await report({ agent: { version: '1.1.0' }, applied: { version: '1.1.0', outcome: 'ok' } })
    w.clock.pass(dayMs / 1000)
    await count()
    expect((await days()).days.map(({ agents }) => agents)).toEqual([{ '1.0.0': 1, '1.1.0': 1 }, { '1.1.0': 2 }])
    expect((await days({ blueprint: 'reader' })).days.map(({ agents }) => agents)).toEqual([
      { '2.0.0': 1 },
      { '2.0.0': 1 },
    ])
    expect((await days({ days: 1 })).days).toHaveLength(1)
    expect((await days({ blueprint: 'none' })).blueprint).toBe('triage')
  })

  test('the agents of today are those of now, also before they are counted', async () => {
    const { w, report, days, count } = await start()
    const today = (agents: object) => ({ date: date(w.clock.now()), agents })
    expect(await days()).toMatchObject({ blueprint: 'triage', blueprints: ['triage', 'reader'] })
    expect((await days()).days).toEqual([today({ '1.0.0': 2 })])
    await count()
    const first = today({ '1.0.0': 2 })
    await report({ agent: { version: '1.1.0' }, applied: { version: '1.1.0', outcome: 'ok' } })
    expect((await days()).days).toEqual([today({ '1.0.0': 1, '1.1.0': 1 })])
    w.clock.pass(dayMs / 1000)
    expect((await days()).days).toEqual([first, today({ '1.0.0': 1, '1.1.0': 1 })])
  })

  test.each([1, 2, 3, 4, 5, 100])('%i agents in a statement are counted as all at once', async (atOnce) => {
    const { w } = await start()
    const counts = await versionCounts(w.store.db, w.workspace.id, atOnce)
    expect(counts.map(({ blueprint, version, agents }) => `${agents} ${blueprint} ${version}`).toSorted()).toEqual([
      '1 reader 2.0.0',
      '2 triage 1.0.0',
    ])
  })

  test('a count of a day goes with the last agents that had a blueprint', async () => {
    const { w, count, days } = await start()
    await count()
    await w.store.db.updateTable('agent').set({ blueprint: null }).execute()
    await count()
    w.clock.pass(dayMs / 1000)
    expect((await days()).days).toEqual([])
  })

  test('more counts than one statement takes are stored', async () => {
    const { w, count, days } = await start()
    const { db } = w.store
    const row = await db.selectFrom('agent').selectAll().where('id', '=', w.agent.id).executeTakeFirstOrThrow()
    const agents = Array.from({ length: 6600 }, (_, i) => ({
      ...{ ...row, id: newId(testStart + i), name: `agent-${i}`, token_hash: `hash-${i}`, blueprint: `kind-${i}` },
    }))
    for (const piece of piecesOf(agents, 250)) await db.insertInto('agent').values(piece).execute()
    await count()
    w.clock.pass(dayMs / 1000)
    const [yesterday, today] = (await days({ blueprint: 'kind-6599' })).days.map(({ agents }) => agents)
    expect([yesterday, today]).toEqual([{ '1.0.0': 1 }, { '1.0.0': 1 }])
  })

  test('counts beyond 400 days are erased', async () => {
    const { w, count } = await start()
    await count()
    const left = async () => (await w.store.db.selectFrom('version_day').select('day').execute()).length
    await eraseOldVersions(w.store.db, testStart + keptVersionDays * dayMs)
    expect(await left()).toBe(2)
    await eraseOldVersions(w.store.db, testStart + (keptVersionDays + 1) * dayMs)
    expect(await left()).toBe(0)
  })
})

test('versions beyond the most frequent are counted together', () => {
  const counts = Array.from({ length: 60 }, (_, i) => ({ blueprint: 'b', version: `1.${i}.0`, agents: i + 1 }))
  const kept = mostFrequent(counts)
  expect(kept).toHaveLength(51)
  expect(kept[0]).toMatchObject({ version: '1.59.0', agents: 60 })
  expect(kept.at(-1)).toEqual({ blueprint: 'b', version: '', agents: 55 })
  expect(mostFrequent([])).toEqual([])
})
