import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { reporting } from '../../../testing/reporting.ts'
import { offering, testLive } from '../../../testing/service.ts'
import { onBothEngines } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import type { MonotonicAge } from '../../fleet/commands/deliveries.ts'
import { createSweeper } from './sweeper.ts'

const node = (w: TestWorkspace, age: MonotonicAge = () => undefined) => {
  const live = testLive()
  const log = pino({ level: 'silent' })
  return { live, ...createSweeper({ store: w.store, live, log, now: w.clock.now }, age) }
}

onBothEngines('the sweeper', (open) => {
  test('the sweeper times out commands that were not fetched or not answered, and updates the pages once (D2)', async () => {
    const w = await newTestWorkspace(await open())
    const { report, press, command } = reporting(w)
    await report(offering)
    const delivered = await press('pause')
    await report(offering)
    w.clock.pass(100)
    const queued = await press('resume')
    const sweeper = node(w)
    w.clock.pass(500)
    await sweeper.sweep()
    expect(await command(delivered.id)).toMatchObject({ state: 'failed', failed_at: w.clock.now(), due_at: null })
    expect(await command(queued.id)).toMatchObject({ state: 'queued' })
    w.clock.pass(100)
    await sweeper.sweep()
    await sweeper.sweep()
    expect(await command(queued.id)).toMatchObject({ state: 'expired' })
    expect(sweeper.live.heard.length).toBe(2)
  })

  test('commands that this process delivered a moment ago by the monotonic clock are left alone (D20)', async () => {
    const w = await newTestWorkspace(await open())
    const { report, press, command, deliveries, monotonic } = reporting(w)
    await report(offering)
    const { id } = await press('pause')
    await report(offering)
    w.clock.pass(86_400)
    const sweeper = node(w, deliveries.age)
    await sweeper.sweep()
    expect(await command(id)).toMatchObject({ state: 'delivered' })
    monotonic.pass(601)
    w.clock.pass(601)
    await sweeper.sweep()
    expect(await command(id)).toMatchObject({ state: 'failed' })
  })

  test('several nodes at once do each piece of work once', async () => {
    const w = await newTestWorkspace(await open())
    const { report, press } = reporting(w)
    await report(offering)
    for (let i = 1; i <= 50; i++) await press('set', { every: i })
    w.clock.pass(600)
    const nodes = [node(w), node(w), node(w)]
    await Promise.all(nodes.map((one) => one.sweep()))
    const states = await w.store.db.selectFrom('command').select('state').execute()
    expect(states.map(({ state }) => state)).toEqual(Array(50).fill('expired'))
    expect(nodes.flatMap(({ live }) => live.heard).length).toBeGreaterThanOrEqual(1)
  })

  test('states are erased after 400 days, except the level at the beginning of that time', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    const levels = async () =>
      (await w.store.db.selectFrom('level_change').select('level').orderBy('seq').execute()).map(({ level }) => level)
    const offline = async () => (await w.store.db.selectFrom('agent_offline').select('until_at').execute()).length
    for (const level of ['ok', 'warn', 'bad']) {
      await report({ state: { level } })
      w.clock.pass(86_400)
    }
    w.clock.pass(398 * 86_400 - 1)
    await node(w).sweep()
    expect([await levels(), await offline()]).toEqual([['ok', 'warn', 'bad'], 2])
    w.clock.pass(1)
    await node(w).sweep()
    expect([await levels(), await offline()]).toEqual([['warn', 'bad'], 1])
  })

  test('the sweeper erases expired logs, and records that this node runs', async () => {
    const w = await newTestWorkspace(await open())
    const { db } = w.store
    const { report, press } = reporting(w)
    await report(offering)
    const expires_at = w.clock.now() + 60_000
    for (const [i, type] of (['pause', 'resume'] as const).entries()) {
      const { id } = await press(type)
      const log = { id: `log ${i}`, agent_id: w.agent.id, command_id: id, name: 'work', text: 'a line', bytes: 6 }
      await db
        .insertInto('log')
        .values({ ...log, received_at: w.clock.now(), expires_at: expires_at + i })
        .execute()
    }
    const left = async () => (await db.selectFrom('log').select('id').orderBy('id').execute()).map(({ id }) => id)
    const { sweep } = node(w)
    await sweep()
    expect(await left()).toEqual(['log 0', 'log 1'])
    w.clock.pass(60)
    await sweep()
    expect(await left()).toEqual(['log 1'])
    expect(await db.selectFrom('service_beat').select('at').execute()).toEqual([{ at: w.clock.now() }])
  })

  test('expired sessions, and links a day after their end, are erased once a day', async () => {
    const w = await newTestWorkspace(await open())
    const { db, engine } = w.store
    const at = (days: number) => w.clock.now() + days * 86_400_000
    const date = (days: number) => (engine === 'sqlite' ? new Date(at(days)).toISOString() : new Date(at(days)))
    const person = await sql<{ id: string }>`select id from ${sql.table('user')} limit 1`.execute(db)
    const session = (token: string, days: number) =>
      sql`insert into session (id, token, ${sql.ref('userId')}, ${sql.ref('expiresAt')}, ${sql.ref('createdAt')}, ${sql.ref('updatedAt')})
        values (${token}, ${token}, ${person.rows[0]?.id}, ${date(days)}, ${date(-20)}, ${date(-20)})`.execute(db)
    await session('over', -0.1)
    await session('good', 1.5)
    const link = { purpose: 'sign_in', person_id: null, created_at: at(-3) } as const
    await db
      .insertInto('link')
      .values([
        { ...link, hash: 'used', used_at: at(-1.1), expires_at: at(9) },
        { ...link, hash: 'used today', used_at: at(-0.1), expires_at: at(9) },
        ...Array.from({ length: 600 }, (_, i) => ({
          ...{ ...link, hash: `over ${i}`, used_at: null, expires_at: at(-1.1) },
        })),
        { ...link, hash: 'good', used_at: null, expires_at: at(0.5) },
      ])
      .execute()
    const kept = async () => {
      const sessions = await sql<{ id: string }>`select id from session order by id`.execute(db)
      const links = await db.selectFrom('link').select('hash').orderBy('hash').execute()
      return [sessions.rows.map(({ id }) => id), links.map(({ hash }) => hash)]
    }
    const { sweep } = node(w)
    await sweep()
    expect(await kept()).toEqual([['good'], ['good', 'used today']])
    w.clock.pass(86_399)
    await sweep()
    expect(await kept()).toEqual([['good'], ['good', 'used today']])
    w.clock.pass(86_400)
    await sweep()
    expect(await kept()).toEqual([[], []])
  })
})
