import type { QueryId, RootOperationNode } from 'kysely'
import { expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { reporting } from '../../../testing/reporting.ts'
import { onBothEngines } from '../../../testing/stores.ts'
import { newTestWorkspace } from '../../../testing/test-workspace.ts'
import type { Db, Store } from '../../platform/db/open.ts'
import { fleetCache } from './fleet.ts'

/** A number of agents for which an answer does not wait for costs. */
const many = 1_001

/** A database that notes the tables that are read from. */
function noting(db: Db): { db: Db; read: () => string[] } {
  let read: string[] = []
  const noted = db.withPlugin({
    transformQuery({ node }: { node: RootOperationNode; queryId: QueryId }) {
      const [from] = 'from' in node ? (node.from?.froms ?? []) : []
      const name = JSON.stringify(from).match(/"identifier":\{"kind":"IdentifierNode","name":"(\w+)"/)?.[1]
      if (name !== undefined) read.push(name)
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  })
  return {
    db: noted,
    read() {
      const all = read
      read = []
      return all
    },
  }
}

/** Makes an agent that reports costs, and `others` that never reported; one row of costs is of an earlier day. */
async function start(store: Store, others = 0) {
  const w = await newTestWorkspace(store)
  const { report } = reporting(w)
  const costs = (usd: number) => ({ runs: [{ id: `r${usd}`, started: w.clock.now() / 1000, cost_usd: usd }] })
  await report(costs(2))
  const one = await store.db.selectFrom('agent').selectAll().where('id', '=', w.agent.id).executeTakeFirstOrThrow()
  const rows = Array.from({ length: others }, (_, i) => ({ ...one, id: `id-${i}`, name: `a-${i}`, token_hash: `${i}` }))
  for (let i = 0; i < rows.length; i += 500)
    await store.db
      .insertInto('agent')
      .values(rows.slice(i, i + 500))
      .execute()
  const day = Math.floor(w.clock.now() / 86_400_000) - 1
  const earlier = { agent_id: w.agent.id, day, model: '', runs: 1, cost_micro: 500_000, output_tokens: 1 }
  await store.db.insertInto('usage_day').values(earlier).execute()
  const noted = noting(store.db)
  const costsRead: string[] = []
  const cache = fleetCache({
    db: noted.db,
    engine: store.engine,
    now: w.clock.now,
    costsRead: (id) => costsRead.push(id),
    costsFailed: (error) => {
      throw error
    },
  })
  return {
    w,
    cache,
    costsRead,
    tables: noted.read,
    /** Sends a report of the agent, which the cache learns about as from the service. */
    report: async (usd: number) => {
      await report(costs(usd))
      cache.reported(w.workspace.id, w.agent.id)
    },
    rows: () => cache.readRows(w.workspace.id),
    read: () => cache.read(w.workspace.id),
    own: (all: ReadonlyMap<string, { costToday: number | null; cost30: number | null }>) => {
      const { costToday, cost30 } = all.get(w.agent.id) ?? {}
      return { costToday, cost30 }
    },
  }
}

onBothEngines('the cached fleet', (open) => {
  test('of many agents is answered before their costs are read, which are announced', async () => {
    const { w, rows, own, costsRead } = await start(await open(), many)
    const first = await rows()
    expect(first.costsPending).toBe(true)
    expect(first.rows.size).toBe(many + 1)
    expect(own(first.rows)).toEqual({ costToday: null, cost30: null })
    expect((await rows()).costsPending).toBe(true)
    await eventually('the costs are announced', () => expect(costsRead).toEqual([w.workspace.id]))
    const second = await rows()
    expect([second.costsPending, own(second.rows)]).toEqual([false, { costToday: 2, cost30: 2.5 }])
    w.clock.pass(6 * 60)
    // The cache forgets a fleet that nobody reads.
    expect((await rows()).costsPending).toBe(true)
    await eventually('the costs are announced again', () => expect(costsRead).toHaveLength(2))
  })

  test('has the costs of a report that came while all costs were read for the first time', async () => {
    const { rows, read, report, own, costsRead } = await start(await open(), many)
    expect((await rows()).costsPending).toBe(true)
    await report(3)
    expect((await rows()).rows.size).toBe(many + 1)
    await report(4)
    expect(own(await read())).toEqual({ costToday: 9, cost30: 9.5 })
    await eventually('the costs are announced', () => expect(costsRead).toHaveLength(1))
    await report(5)
    expect(own((await rows()).rows)).toEqual({ costToday: 14, cost30: 14.5 })
  })

  test('of few agents has its costs at once', async () => {
    const { rows, own, costsRead } = await start(await open())
    const { rows: all, costsPending } = await rows()
    expect([costsPending, own(all), costsRead]).toEqual([false, { costToday: 2, cost30: 2.5 }, []])
  })

  test('reads costs again only of agents that reported, and of all every five minutes', async () => {
    const { w, cache, read, report, tables, own } = await start(await open())
    const whole = async () => {
      cache.listChanged(w.workspace.id)
      tables()
      const all = await read()
      return [tables().includes('usage_day'), own(all)]
    }
    await read()
    expect(await whole()).toEqual([false, { costToday: 2, cost30: 2.5 }])
    await report(3)
    expect(await whole()).toEqual([true, { costToday: 5, cost30: 5.5 }])
    w.clock.pass(299)
    expect((await whole())[0]).toBe(false)
    w.clock.pass(2)
    expect((await whole())[0]).toBe(true)
  })

  test('reads only alerts when alerts changed, and nothing when nothing changed', async () => {
    const { w, cache, read, tables } = await start(await open())
    await read()
    tables()
    await read()
    expect(tables()).toEqual([])
    cache.alertsChanged(w.workspace.id)
    await read()
    expect(tables()).toEqual(['alert'])
  })

  test('reads one agent again after its report, and a deleted one is gone', async () => {
    const { w, cache, read, report, tables } = await start(await open(), 3)
    const before = await read()
    const others = [...before.values()].filter(({ name }) => name !== w.agent.name)
    await report(1)
    tables()
    const after = await read()
    expect(tables()).toEqual(['usage_day', 'agent', 'release', 'agent_tag'])
    expect([...after.values()].filter((row) => others.includes(row))).toHaveLength(3)
    await w.store.db.deleteFrom('agent').where('id', '=', 'id-1').execute()
    cache.listChanged(w.workspace.id)
    expect((await read()).size).toBe(3)
  })

  test('reads all rows again after a failure', async () => {
    const { w, read, report, own } = await start(await open())
    const { schema } = w.store.db
    const hidden = () => schema.alterTable('usage_day').renameTo('usage_gone').execute()
    const shown = () => schema.alterTable('usage_gone').renameTo('usage_day').execute()
    await hidden()
    await expect(read()).rejects.toThrow()
    await shown()
    expect(own(await read())).toEqual({ costToday: 2, cost30: 2.5 })
    await report(3)
    await hidden()
    await expect(read()).rejects.toThrow()
    await shown()
    expect(own(await read())).toEqual({ costToday: 5, cost30: 5.5 })
  })
})
