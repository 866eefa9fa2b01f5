/**
 * Tests that no step of a rollout of many agents pauses in a transaction. SQLite has one connection: while a
 * transaction pauses, reports wait for all of it.
 */
import { StatementSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import type { NewRollout } from '@svc/api'
import { expect, test, vi } from 'vitest'
import { newFleet } from '../../../testing/fleet.ts'
import { reporting } from '../../../testing/reporting.ts'
import { testLive } from '../../../testing/service.ts'
import { closing, openTestSqlite } from '../../../testing/stores.ts'
import { newTestWorkspace } from '../../../testing/test-workspace.ts'
import { addVersion } from '../../../testing/wishes.ts'
import type { Store } from '../../platform/db/open.ts'
import { type RunInTransaction, transaction } from '../../platform/db/transaction.ts'
import { rolloutPage } from '../../web/queries/rollouts.ts'
import { advanceNow, advanceRollouts } from './advance.ts'
import { previewRollout } from './plan.ts'
import { cancelRollout, continueRollout, pauseRollout, startRollout } from './store.ts'

const open = closing(openTestSqlite)

/** The number of agents: more than are planned, added, judged or withdrawn in one piece. */
const agents = 260
const by = { id: null, name: 'Ada' }
const wanted: NewRollout = { kind: 'blueprint', blueprint: 'triage', version: '1.1.0', waves: ['100%'] }

async function start(count = agents) {
  const store = (await open()) as Extract<Store, { engine: 'sqlite' }>
  const w = await newTestWorkspace(store, { people: false })
  for (const version of ['1.0.0', '1.1.0']) await addVersion(w, 'triage', version)
  const fleet = await newFleet(w, count, 'triage')
  const write: RunInTransaction = (work) => transaction(store.db, work)
  const context = () => ({ db: write, by, now: w.clock.now() })
  const begin = async (end: string[] = []) => {
    const made = await startRollout(context(), w.workspace, { ...wanted, end })
    if (!made.ok) throw new Error(made.message)
    return made.value.id
  }
  const advance = () => advanceRollouts(store.db, w.clock.now())
  const states = async (id: string) => {
    const rows = await store.db.selectFrom('rollout_agent').select('state').where('rollout_id', '=', id).execute()
    const counts: Record<string, number> = {}
    for (const { state } of rows) counts[state] = (counts[state] ?? 0) + 1
    return counts
  }
  return { ...w, store, w, fleet, write, context, begin, advance, states }
}
type Started = Awaited<ReturnType<typeof start>>

/** The turns of the event loop until `work` has ended, and those of them in which a transaction was open. */
async function turnsOf({ store }: Started, work: () => Promise<unknown>): Promise<{ all: number; inside: number }> {
  const turns = { all: 0, inside: 0 }
  let ended = false
  const done = work().finally(() => {
    ended = true
  })
  while (!ended) {
    await turn()
    turns.all++
    if (store.sqlite.isTransaction) turns.inside++
  }
  await done
  return turns
}

interface Row {
  step: string
  /** Prepares the step, and returns it. */
  of: (s: Started) => Promise<() => Promise<unknown>>
  /** The states of the agents of the newest rollout after the step. */
  leaves?: Record<string, number>
  /** True for a step that writes so little that it may be over before many turns have looked. */
  isShort?: boolean
}

const table: Row[] = [
  { step: 'preview', of: async (s) => () => previewRollout(s.write, s.workspace, wanted, s.clock.now()) },
  { step: 'start', of: async (s) => () => s.begin(), leaves: { untouched: agents } },
  {
    step: 'start, and end another',
    of: async (s) => {
      const other = await s.begin()
      await s.advance()
      return () => s.begin([other])
    },
    leaves: { untouched: agents },
  },
  {
    step: 'wish',
    of: async (s) => {
      await s.begin()
      return s.advance
    },
    leaves: { wished: agents },
  },
  {
    step: 'judge',
    of: async (s) => {
      await s.begin()
      await s.advance()
      await s.fleet.pass(2)
      return s.advance
    },
    leaves: { kept: agents },
  },
  {
    step: 'pause',
    of: async (s) => {
      const id = await s.begin()
      await s.advance()
      return () => pauseRollout(s.context(), s.workspace, id)
    },
    leaves: { untouched: agents },
  },
  {
    step: 'resume',
    of: async (s) => {
      const id = await s.begin()
      await pauseRollout(s.context(), s.workspace, id)
      return () => continueRollout(s.context(), s.workspace, id)
    },
    isShort: true,
  },
  {
    step: 'cancel, and withdraw',
    of: async (s) => {
      const id = await s.begin()
      await s.advance()
      return () => cancelRollout(s.context(), s.workspace, id, true)
    },
    leaves: { untouched: agents },
  },
]

test.each(table)('$step: no transaction pauses', async ({ of, leaves, isShort }) => {
  const s = await start()
  const step = await of(s)
  const { all, inside } = await turnsOf(s, step)
  expect(inside).toBe(0)
  if (!isShort) expect(all).toBeGreaterThan(3)
  const newest = await s.store.db.selectFrom('rollout').select('id').orderBy('id', 'desc').executeTakeFirst()
  if (leaves && newest) expect(await s.states(newest.id)).toEqual(leaves)
})

test('a plan reads at most a thousand agents at once, also those of another rollout', async () => {
  const s = await start(1200)
  await s.begin()
  const all = vi.spyOn(StatementSync.prototype, 'all')
  await previewRollout(s.write, s.workspace, wanted, s.clock.now())
  // The ids of all agents are small, so they are read at once.
  const sizes = all.mock.results.map(({ value }) => (value as unknown[][]).filter((row) => row.length > 1).length)
  all.mockRestore()
  expect(sizes.reduce((a, b) => a + b)).toBeGreaterThanOrEqual(2 * 1200)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1000)
})

test('a rollout asks as many agents as it may, and the rest afterwards', async () => {
  const s = await start()
  const id = await s.begin()
  const advance = (maxAgents?: number) =>
    advanceNow({ store: s.store, live: testLive() }, s.workspace, id, { now: s.clock.now(), maxAgents })
  expect(await advance(200)).toBe(true)
  expect(await s.states(id)).toEqual({ wished: 200, untouched: agents - 200 })
  expect((await rolloutPage(s.store.db, s.workspace, id, s.clock.now()))?.says).toBe(
    'Wave 1 of 1 is starting: 200 of 260 agents have the request.',
  )
  expect(await advance()).toBe(false)
  expect(await s.states(id)).toEqual({ wished: agents })
})

test('if a later step of a rollout fails, pages are notified of the steps before it', async () => {
  const s = await start()
  const id = await s.begin()
  const members = s.store.db.selectFrom('rollout_agent').select('agent_id').where('state', '=', 'untouched')
  const ids = (await members.orderBy('agent_id').execute()).map((member) => member.agent_id)
  s.store.sqlite.exec(`create trigger refused before update on rollout_agent
    when old.agent_id = '${ids[150]}' begin select raise(abort, 'refused'); end`)
  const live = testLive()
  await expect(advanceNow({ store: s.store, live }, s.workspace, id, { now: s.clock.now() })).rejects.toThrow('refused')
  const reported = live.heard.filter(({ what }) => what === 'reported').map(({ agentId }) => agentId)
  expect(reported).toEqual(ids.slice(0, 100))
})

test('a report that arrives while a rollout starts is answered before it has started', async () => {
  const s = await start()
  const order: string[] = []
  const { decide } = reporting(s.w)
  const started = s.begin().then(() => order.push('started'))
  await decide({})
  order.push('answered')
  await started
  expect(order).toEqual(['answered', 'started'])
})

/** Does something else before the transaction with this number. */
const before = (s: Started, number: number, otherwise: () => Promise<unknown>): RunInTransaction => {
  let count = 0
  return async (work) => {
    if (++count === number) await otherwise()
    return transaction(s.store.db, work)
  }
}

test('wishes that a kill left of a rollout that was paused or ended are withdrawn by the sweeper', async () => {
  const kill = () => Promise.reject(new Error('killed'))
  for (const [stop, states] of [
    [pauseRollout, ['paused']],
    [(context, workspace, id) => cancelRollout(context, workspace, id, false), ['cancelled']],
    // Somebody can end the rollout again, and then the wishes that were offered are withdrawn, too.
    [(context, workspace, id) => cancelRollout(context, workspace, id, true), ['paused']],
  ] as [typeof pauseRollout, string[]][]) {
    const s = await start()
    const id = await s.begin()
    await s.advance()
    await expect(stop({ ...s.context(), db: before(s, 3, kill) }, s.workspace, id)).rejects.toThrow('killed')
    expect(await s.states(id)).toEqual({ untouched: 100, wished: agents - 100 })
    await s.advance()
    expect(await s.states(id)).toEqual({ untouched: agents })
    const rollout = await s.store.db.selectFrom('rollout').select('state').where('id', '=', id).executeTakeFirst()
    expect([rollout?.state]).toEqual(states)
    const wishes = await s.store.db.selectFrom('agent').select('id').where('wished_version', 'is not', null).execute()
    expect(wishes).toEqual([])
  }
})

test('a halted rollout whose cancellation is killed can be continued, and does not halt again for the same failure', async () => {
  const s = await start()
  const { db } = s.store
  const id = await s.begin()
  await s.advance()
  const members = db.selectFrom('rollout_agent').where('rollout_id', '=', id)
  const failed = await members.select('agent_id').executeTakeFirstOrThrow()
  await db.updateTable('rollout_agent').set({ state: 'failed' }).where('agent_id', '=', failed.agent_id).execute()
  await s.advance()
  const seen = () => db.selectFrom('rollout').select(['state', 'wave', 'changed_at as changedAt']).executeTakeFirst()
  const expected = await seen()
  expect(expected?.state).toBe('halted')
  s.clock.pass(1)
  const kill = () => Promise.reject(new Error('killed'))
  const cancelled = cancelRollout({ ...s.context(), db: before(s, 2, kill) }, s.workspace, id, true)
  await expect(cancelled).rejects.toThrow('killed')
  expect(await continueRollout({ ...s.context(), expected }, s.workspace, id)).toMatchObject({ ok: true })
  await s.advance()
  expect((await seen())?.state).toBe('running')
})

test('a rollout that is resumed while its wishes are withdrawn keeps the rest of them', async () => {
  const s = await start()
  const id = await s.begin()
  await s.advance()
  const resume = () => continueRollout(s.context(), s.workspace, id)
  await pauseRollout({ ...s.context(), db: before(s, 3, resume) }, s.workspace, id)
  expect(await s.states(id)).toEqual({ untouched: 100, wished: agents - 100 })
})

test('a rollout that starts while another is planned takes its agents', async () => {
  const s = await start()
  const queries = 7
  for (let number = 2; number <= queries; number++) {
    const first: string[] = []
    const other = async () => first.push(await s.begin())
    const made = await startRollout({ ...s.context(), db: before(s, number, other) }, s.workspace, wanted)
    expect([number, first.length, made.ok]).toEqual([number, 1, false])
    await cancelRollout(s.context(), s.workspace, first[0] as string, true)
  }
})
