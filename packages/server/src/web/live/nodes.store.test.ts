import type pg from 'pg'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { serve } from '../../../testing/page/service.ts'
import { streamOf } from '../../../testing/page/stream.ts'
import { once } from '../../../testing/postgres.ts'
import { newServiceHome } from '../../../testing/service-process.ts'
import { newPostgresDatabase } from '../../../testing/stores.ts'
import { openPostgres, type Store } from '../../platform/db/open.ts'
import { isAnyNodeRunning } from '../../platform/nodes.ts'
import { announcer } from './announce.ts'
import { createLive } from './hub.ts'

/** Starts two nodes of the service on one PostgreSQL. */
async function twoNodes() {
  const url = await newPostgresDatabase()
  const stores = [openPostgres(url), openPostgres(url)] as const
  const [first, second] = [await serve({ postgres: stores[0] }), await serve({ postgres: stores[1] })]
  const north = await first.workspace('north')
  const { agent, token } = await first.agent(north, 'mail')
  return { url, stores, first, second, agent, token, ann: await first.person('Ann', 'north', 'admin') }
}
const events = '/api/web/w/north/events'
/** The tests poll rarely, since several of them may run at the same time. */
const patience = { everyMs: 300 }

test('a node that starts sees that another one runs, until that one ends (PostgreSQL)', async () => {
  const url = await newPostgresDatabase()
  const [ours, theirs] = [openPostgres(url), openPostgres(url)]
  const runs = () => isAnyNodeRunning(ours.db)
  expect(await runs()).toBe(false)
  const live = createLive({ store: theirs, log: pino({ level: 'silent' }), now: Date.now })
  await eventually('the other node is seen', async () => expect(await runs()).toBe(true), patience)
  await live.close()
  await eventually('it is seen no longer', async () => expect(await runs()).toBe(false), patience)
  for (const store of [ours, theirs]) await store.close()
})

test('a report to one node appears on a page that is open on another (PostgreSQL)', async () => {
  const { first, second, token, ann } = await twoNodes()
  const stream = await streamOf(first.origin + events, ann.cookie)
  const arrives = async () => {
    await second.reports(token, { state: { level: 'warn', label: 'from the other node' } })
    expect(stream.text()).toContain('from the other node')
  }
  await eventually('a report to one node is on the stream of the other', arrives, patience)
  await second.reports(token, { state: { level: 'bad', label: 'the next' } })
  const frame = await stream.frame((f) => f.rows.some(({ label }) => label === 'the next'))
  expect(frame.rows).toMatchObject([{ name: 'mail', level: 'bad' }])
})

test('an agent watched through one node is asked by the other to report quickly, until nobody watches it (PostgreSQL)', async () => {
  const { first, second, token, ann } = await twoNodes()
  const stream = await streamOf(`${first.origin}${events}?agent=mail`, ann.cookie)
  const interval = async () => (await second.reports(token, {})).interval
  await eventually('the agent is asked to hurry', async () => expect(await interval()).toBe(5), patience)
  stream.close()
  await eventually('the agent need not hurry', async () => expect(await interval()).toBe(30), patience)
})

test('an agent is asked to report quickly when one of several other nodes watches it (PostgreSQL)', async () => {
  const { stores, second, agent, token } = await twoNodes()
  const { pool } = stores[0] as Extract<Store, { engine: 'postgres' }>
  await eventually('both nodes listen', async () => expect(await listening(stores[0])).toBe(2), patience)
  const interval = async () => (await second.reports(token, {})).interval
  expect(await interval(), 'nobody looks at it').toBe(30)
  const nodes = ['another agent', agent.id].map((looksAt) => ({
    looksAt,
    node: announcer(pool, { node: `a node that watches ${looksAt}` }),
  }))
  const asked = async () => {
    // The nodes announce again and again which agent is watched, because such announcements are forgotten after some
    // time.
    for (const { looksAt, node } of nodes) node.watched([looksAt])
    return interval()
  }
  await eventually('the agent is asked to hurry', async () => expect(await asked()).toBe(5), patience)
  for (const { node } of nodes) await node.close()
})

test('all agents that a node watches are known to the others, also more than one message holds (PostgreSQL)', async () => {
  const url = await newPostgresDatabase()
  const [ours, theirs] = [openPostgres(url), openPostgres(url)]
  const { pool } = theirs as Extract<Store, { engine: 'postgres' }>
  const live = createLive({ store: ours, log: pino({ level: 'silent' }), now: Date.now })
  const node = announcer(pool, { node: 'a node with many pages' })
  const ids = Array.from({ length: 400 }, (_, i) => String(i).padStart(36, 'x'))
  const watchedOnes = () => ids.filter(live.isWatched)
  const afterAnnouncing = async (watched: string[]) => {
    await eventually(
      'the set is known',
      async () => {
        node.watched(watched)
        expect(watchedOnes()).toEqual(watched)
      },
      patience,
    )
  }
  await afterAnnouncing(ids)
  await afterAnnouncing(ids.slice(0, 200))
  await afterAnnouncing([])
  await node.close()
  await live.close()
  for (const store of [ours, theirs]) await store.close()
})

/**
 * The connections on which nodes listen, by their last statement: a node listens, takes the lock by which others see
 * that it runs, and checks the connection every five seconds.
 */
const listeners = `from pg_stat_activity where datname = current_database()
  and query in ('listen svc_live', 'select pg_advisory_lock_shared($1)', 'select 1')`

test('after a cut connection, pages reload what another node announced meanwhile (PostgreSQL)', async () => {
  const { url, stores, first, second, token, ann } = await twoNodes()
  await eventually('both nodes listen', async () => expect(await listening(stores[0])).toBe(2), patience)
  const stream = await streamOf(first.origin + events, ann.cookie)
  await once(url, `select pg_terminate_backend(pid) ${listeners}`)
  await second.reports(token, { state: { level: 'bad', label: 'said to nobody' } })
  const frame = await stream.frame(({ more }) => more)
  expect(frame).toMatchObject({ list: true, more: true })
  await eventually('the first node has the report', async () => {
    const { body } = await ann.get<{ rows: object[] }>('/api/web/w/north/fleet')
    expect(body.rows).toMatchObject([{ label: 'said to nobody' }])
  })
  await eventually('both nodes listen', async () => expect(await listening(stores[0])).toBe(2), patience)
  await second.reports(token, { state: { level: 'ok', label: 'heard again' } })
  await stream.frame((f) => f.rows.some(({ label }) => label === 'heard again'))
})

async function listening(store: Store): Promise<number> {
  if (store.engine !== 'postgres') return 0
  return Number((await store.pool.query(`select count(*) as n ${listeners}`)).rows[0].n)
}

test('a later message makes up for one that could not be sent (PostgreSQL)', async () => {
  const { stores, first, agent, ann } = await twoNodes()
  if (stores[1].engine !== 'postgres') return
  const { pool } = stores[1]
  let cut = true
  const failing = {
    query: (...all: Parameters<typeof pool.query>) => (cut ? Promise.reject(new Error('cut')) : pool.query(...all)),
  } as unknown as pg.Pool
  const failures: unknown[] = []
  const others = announcer(failing, { node: 'a node' }, (error) => {
    failures.push(error)
    cut = false
  })
  await eventually('both nodes listen', async () => expect(await listening(stores[0])).toBe(2), patience)
  const stream = await streamOf(first.origin + events, ann.cookie)
  others.changed('some other workspace', agent.id)
  const frame = await stream.frame(({ more }) => more)
  expect(frame.list).toBe(true)
  expect(failures).toHaveLength(1)
  await others.close()
})

test("changes by the operator's command line appear on the pages of a running node (PostgreSQL)", async () => {
  const { url, stores, first, ann } = await twoNodes()
  await eventually('both nodes listen', async () => expect(await listening(stores[0])).toBe(2), patience)
  const stream = await streamOf(first.origin + events, ann.cookie)
  const home = await newServiceHome({ SVC_DATABASE_URL: url })
  await home.value(['agent', 'create', 'north/second'])
  await stream.frame(({ list }) => list)
  const { body } = await ann.get<{ rows: { name: string }[] }>('/api/web/w/north/fleet')
  expect(body.rows.map(({ name }) => name)).toEqual(['mail', 'second'])
})
