import { expect, test } from 'vitest'
import { reporting } from '../../testing/reporting.ts'
import { everyEngine } from '../../testing/stores.ts'
import { type TestAgent, type World, world } from '../../testing/world.ts'
import { deleteVersion } from '../blueprints/store.ts'
import { advanceRollouts } from '../rollouts/advance.ts'
import { createRollout } from '../rollouts/store.ts'
import { awayBetween, beat, timesAway } from './away.ts'
import { wishesIn } from './kept.ts'
import { noteFetched, pressRuntime, wishBlueprint } from './store.ts'
import { addVersion, ofBlueprint, serveRelease } from './testing.ts'
import { grantWaiting, trialsOf } from './trials.ts'

const runtime = { runtime: { version: '1.0.0' } }
const place = ({ id, workspaceId }: TestAgent) => ({ id, workspace_id: workspaceId })
const press = (w: World, agent: TestAgent) => pressRuntime(w.store.db, place(agent), w.admin, w.clock.now())
const events = async (w: World, kind: 'wished' | 'fetched') =>
  (await w.store.db.selectFrom('update_event').select('agent_id').where('kind', '=', kind).execute()).length
const wishes = async (w: World, { id }: TestAgent) => {
  const row = await w.store.db.selectFrom('agent').select('wishes').where('id', '=', id).executeTakeFirstOrThrow()
  return wishesIn(row.wishes)
}

everyEngine('wishes that nodes race for', (open) => {
  const start = async (count: number) => {
    const w = await world(await open(), { people: false })
    await serveRelease(w, '2.0.0')
    const r = reporting(w)
    const agents = [w.agent]
    for (let i = 1; i < count; i++) agents.push(await w.addAgent(`a${i}`))
    for (const agent of agents) await r.report(runtime, { agent })
    return { w, r, agents }
  }

  test('the same press at the same time is one wish', async () => {
    const { w } = await start(1)
    const pressed = await Promise.all(Array.from({ length: 6 }, () => press(w, w.agent)))
    expect(pressed.map((one) => one.ok && one.value.made).filter((made) => made)).toEqual([true])
    expect(await events(w, 'wished')).toBe(1)
  })

  test('no two presses take the last place among the trials', async () => {
    const { w, r, agents } = await start(16)
    await Promise.all(agents.map((agent) => press(w, agent)))
    expect(await trialsOf(w.store.db, w.workspace.id, w.clock.now())).toEqual({ most: 5, busy: 5 })
    const granted = await Promise.all([0, 1].map(() => grantWaiting(w.store.db, w.clock.now())))
    expect(granted.flat()).toEqual([])
    const told = await Promise.all(agents.map((agent) => r.decide(runtime, { agent })))
    expect(told.filter((one) => one.ok && one.told.runtime_desired).length).toBe(5)
  })

  test('a place that a silent agent does not take goes to one that reports', async () => {
    const { w, r, agents } = await start(7)
    for (const agent of agents) await press(w, agent)
    const [talks] = (await Promise.all(agents.map(async (a) => ({ a, wish: (await wishes(w, a)).runtime })))).filter(
      ({ wish }) => wish?.grantedAt === undefined,
    )
    if (!talks) throw new Error('Nobody waits.')
    w.clock.pass(180)
    await r.report(runtime, { agent: talks.a })
    expect(await grantWaiting(w.store.db, w.clock.now())).toMatchObject([{ id: talks.a.id }])
    expect(await r.decide(runtime, { agent: talks.a })).toMatchObject({ told: { runtime_desired: '2.0.0' } })
  })

  test('a place is free again when a trial took far too long', async () => {
    const { w, r, agents } = await start(6)
    for (const agent of agents) {
      await press(w, agent)
      await r.report(runtime, { agent })
    }
    w.clock.pass(1201)
    expect(await trialsOf(w.store.db, w.workspace.id, w.clock.now())).toEqual({ most: 5, busy: 0 })
  })

  test('whatever happens between, an answer never wishes another version than the served one (I11)', async () => {
    const { w, agents } = await start(3)
    const nodes = [reporting(w), reporting(w)]
    for (let round = 1; round <= 12; round++) {
      const answers = await Promise.all([
        serveRelease(w, `2.0.${round}`).then(() => []),
        ...agents.map((agent) => press(w, agent).then(() => [])),
        ...agents.map(async (agent, i) => {
          const decision = await nodes[i % 2]?.decide(runtime, { agent })
          return decision?.ok ? [decision.told] : []
        }),
      ])
      for (const { runtime: served, runtime_desired } of answers.flat()) {
        if (runtime_desired !== undefined) expect(runtime_desired).toBe(served?.version)
      }
    }
  })

  test('a version is deleted or wished, never both', async () => {
    const { w, agents } = await start(1)
    await ofBlueprint(w, w.agent, 'triage', '1.0.0')
    for (let round = 1; round <= 8; round++) {
      const version = `1.1.${round}`
      await addVersion(w, 'triage', version)
      const [deleted, wished] = await Promise.all([
        deleteVersion(w.store.db, w.workspace, { name: 'triage', version }, w.admin, w.clock.now()),
        wishBlueprint(w.store.db, place(agents[0] as TestAgent), { version }, w.admin, w.clock.now()),
      ])
      expect([deleted.ok, wished.ok].filter((ok) => ok)).toEqual([true])
    }
  })

  test('two nodes that take a rollout forward at the same time wish the version once, and halt it once', async () => {
    const { w, r, agents } = await start(5)
    for (const agent of agents) await ofBlueprint(w, agent, 'triage', '1.0.0')
    await addVersion(w, 'triage', '1.1.0')
    const wanted = { kind: 'blueprint', blueprint: 'triage', version: '1.1.0', waves: ['100%'] } as const
    const by = { id: null, name: 'Ada' }
    const made = await createRollout(w.store.db, w.workspace, { ...wanted, waves: ['100%'] }, by, w.clock.now())
    expect(made.ok).toBe(true)
    await Promise.all(Array.from({ length: 4 }, () => advanceRollouts(w.store.db, w.clock.now())))
    expect(await events(w, 'wished')).toBe(5)
    await wishBlueprint(w.store.db, place(w.agent), { version: '1.1.0' }, w.admin, w.clock.now())
    await Promise.all([0, 1, 2].map(() => noteFetched(w.store.db, w.agent, w.clock.now())))
    expect(await events(w, 'fetched')).toBe(1)
    const back = { version: '1.0.0', outcome: 'rolled_back', message: '1.0.0 -> 1.1.0: it said bad' }
    await r.report({ applied: back })
    await Promise.all(Array.from({ length: 4 }, () => advanceRollouts(w.store.db, w.clock.now())))
    const halted = w.store.db.selectFrom('audit').select('details').where('action', '=', 'rollout.halted')
    expect(await halted.execute()).toMatchObject([{ details: expect.stringContaining('it said bad') }])
  })

  test('when the service was away is written down once, whichever node is back first', async () => {
    const { w } = await start(1)
    const { db } = w.store
    const from = w.clock.now()
    await Promise.all([0, 1].map(() => beat(db, w.clock.now())))
    w.clock.pass(25)
    await beat(db, w.clock.now())
    expect(await timesAway(db, 0)).toEqual([])
    w.clock.pass(600)
    await Promise.all([0, 1, 2].map(() => beat(db, w.clock.now())))
    const away = { from: from + 25_000, to: from + 625_000 }
    expect(await timesAway(db, 0)).toEqual([away])
    expect(awayBetween([away], from + 100_000, from + 400_000)).toEqual(away)
    expect(awayBetween([away], from, from + 25_000)).toBeUndefined()
    expect(awayBetween([away], from + 625_000, from + 900_000)).toBeUndefined()
  })
})
