import { expect, test } from 'vitest'
import { type ReportingParts, reporting } from '../../../testing/reporting.ts'
import { onBothEngines } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestAgent, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { addVersion, ofBlueprint, serveRelease } from '../../../testing/wishes.ts'
import { deleteVersion } from '../blueprints/store.ts'
import { advanceRollouts } from '../rollouts/advance.ts'
import { cancelRollout, startRollout } from '../rollouts/store.ts'
import { noteRunning, outageBetween, readOutages } from './away.ts'
import { wishesIn } from './kept.ts'
import { wishMany } from './many.ts'
import { noteFetched, wishBlueprint, wishRuntime } from './store.ts'
import { countTrials, grantWaiting } from './trials.ts'

const runtime = { runtime: { version: '1.0.0' } }
const place = ({ id, workspaceId }: TestAgent) => ({ id, workspace_id: workspaceId })
const press = (w: TestWorkspace, agent: TestAgent) =>
  wishRuntime({ db: w.store.db, by: w.admin, now: w.clock.now() }, place(agent))
const events = async (w: TestWorkspace, kind: 'wished' | 'fetched') =>
  (await w.store.db.selectFrom('update_event').select('agent_id').where('kind', '=', kind).execute()).length
const wishes = async (w: TestWorkspace, { id }: TestAgent) => {
  const row = await w.store.db.selectFrom('agent').select('wishes').where('id', '=', id).executeTakeFirstOrThrow()
  return wishesIn(row.wishes)
}

const filter = async <T>(all: readonly T[], holds: (one: T) => Promise<boolean>) => {
  const held = await Promise.all(all.map(holds))
  return all.filter((_, i) => held[i])
}

onBothEngines('wishes that nodes race for', (open) => {
  const start = async (count: number) => {
    const w = await newTestWorkspace(await open(), { people: false })
    await serveRelease(w, '2.0.0')
    const r = reporting(w)
    const agents = [w.agent]
    for (let i = 1; i < count; i++) agents.push(await w.addAgent(`a${i}`))
    for (const agent of agents) await r.report(runtime, { agent })
    return { w, r, agents }
  }

  test('two identical requests at the same time make one wish', async () => {
    const { w } = await start(1)
    const pressed = await Promise.all(Array.from({ length: 6 }, () => press(w, w.agent)))
    expect(pressed.map((one) => one.ok && one.value.made).filter((made) => made)).toEqual([true])
    expect(await events(w, 'wished')).toBe(1)
  })

  const waits = async (w: TestWorkspace, agent: TestAgent) => {
    const { runtime: wish } = await wishes(w, agent)
    return wish !== undefined && wish.grantedAt === undefined
  }
  /** Starts a rollout of the runtime to all agents in one wave. */
  const rollOut = async (w: TestWorkspace, nodes = 1) => {
    const wanted = { kind: 'runtime', waves: ['100%'] } as const
    const by = { id: null, name: 'Ada' }
    const made = await startRollout({ db: w.store.db, by, now: w.clock.now() }, w.workspace, {
      ...wanted,
      waves: ['100%'],
    })
    await Promise.all(Array.from({ length: nodes }, () => advanceRollouts(w.store.db, w.clock.now())))
    if (!made.ok) throw new Error(made.message)
    return made.value.id
  }
  const offeredTo = async (r: ReportingParts, agents: readonly TestAgent[]) => {
    const decided = await Promise.all(agents.map((agent) => r.decide(runtime, { agent })))
    return agents.filter((_, i) => decided[i]?.ok && decided[i].answer.runtime_desired !== undefined)
  }

  test('a request is in the next answer of every agent, however many agents it is for (2.7)', async () => {
    const { w, r, agents } = await start(16)
    await Promise.all(agents.slice(0, 8).map((agent) => press(w, agent)))
    const names = agents.slice(8).map(({ name }) => name)
    const { results } = await wishMany({ db: w.store.db, by: w.admin, now: 1 }, w.workspace, {
      kind: 'runtime',
      agents: names,
    })
    expect(results.every(({ ok }) => ok)).toBe(true)
    expect(await offeredTo(r, agents)).toEqual(agents)
  })

  test('a rollout never exceeds the number of simultaneous trials, whichever nodes advance it', async () => {
    const { w, r, agents } = await start(16)
    await rollOut(w, 4)
    expect(await countTrials(w.store.db, w.workspace.id, w.clock.now())).toEqual({ max: 5, busy: 5 })
    const granted = await Promise.all([0, 1].map(() => grantWaiting(w.store.db, w.clock.now())))
    expect(granted.flat()).toEqual([])
    expect((await offeredTo(r, agents)).length).toBe(5)
  })

  test('a request for an agent that is queued in a rollout is in its next answer, even if the rollout ends first', async () => {
    const { w, r, agents } = await start(7)
    const id = await rollOut(w)
    const waiting = await filter(agents, (agent) => waits(w, agent))
    expect(waiting.length).toBe(2)
    expect(await offeredTo(r, waiting)).toEqual([])
    const [agent] = waiting as [TestAgent]
    const before = (await wishes(w, agent)).runtime
    expect(await press(w, agent)).toMatchObject({ ok: true, value: { made: true } })
    expect(await press(w, agent)).toMatchObject({ ok: true, value: { made: false } })
    expect((await wishes(w, agent)).runtime).toMatchObject({ at: before?.at, mark: before?.mark ?? null })
    await cancelRollout({ db: w.store.db, by: w.admin, now: w.clock.now() }, w.workspace, id, false)
    expect(await offeredTo(r, waiting)).toEqual([agent])
  })

  test('a rollout waits while as many requested updates are on trial as it may start', async () => {
    const { w, r, agents } = await start(8)
    for (const agent of agents.slice(0, 6)) await press(w, agent)
    await rollOut(w)
    expect(await countTrials(w.store.db, w.workspace.id, w.clock.now())).toEqual({ max: 5, busy: 6 })
    await grantWaiting(w.store.db, w.clock.now())
    expect(await offeredTo(r, agents)).toEqual(agents.slice(0, 6))
  })

  test('a request that an earlier version of the service left without a trial place is in the next answer', async () => {
    const { w, r, agents } = await start(1)
    await press(w, w.agent)
    const { runtime: wish } = await wishes(w, w.agent)
    const { grantedAt: _, ...stored } = wish ?? {}
    const columns = { wishes: JSON.stringify({ runtime: stored }), runtime_granted_at: null }
    await w.store.db.updateTable('agent').set(columns).execute()
    expect(await offeredTo(r, agents)).toEqual(agents)
  })

  test('the trial place of an agent that went offline goes to one that reports', async () => {
    const { w, r, agents } = await start(7)
    await rollOut(w)
    const [talks] = (await filter(agents, (agent) => waits(w, agent))) as [TestAgent]
    w.clock.pass(180)
    await r.report(runtime, { agent: talks })
    expect(await grantWaiting(w.store.db, w.clock.now())).toMatchObject([{ id: talks.id }])
    expect(await offeredTo(r, [talks])).toEqual([talks])
  })

  test('a trial place is free again when a trial took far too long', async () => {
    const { w, r, agents } = await start(6)
    await rollOut(w)
    await offeredTo(r, agents)
    w.clock.pass(1201)
    expect(await countTrials(w.store.db, w.workspace.id, w.clock.now())).toEqual({ max: 5, busy: 0 })
  })

  test('in any order of events, an answer never wishes another runtime than the served one (I11)', async () => {
    const { w, agents } = await start(3)
    const nodes = [reporting(w), reporting(w)]
    for (let round = 1; round <= 12; round++) {
      const answers = await Promise.all([
        serveRelease(w, `2.0.${round}`).then(() => []),
        ...agents.map((agent) => press(w, agent).then(() => [])),
        ...agents.map(async (agent, i) => {
          const decision = await nodes[i % 2]?.decide(runtime, { agent })
          return decision?.ok ? [decision.answer] : []
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
        deleteVersion({ db: w.store.db, by: w.admin, now: w.clock.now() }, w.workspace, { name: 'triage', version }),
        wishBlueprint({ db: w.store.db, by: w.admin, now: w.clock.now() }, place(agents[0] as TestAgent), { version }),
      ])
      expect([deleted.ok, wished.ok].filter((ok) => ok)).toEqual([true])
    }
  })

  test('two nodes that advance a rollout at the same time wish the version once, and halt it once', async () => {
    const { w, r, agents } = await start(5)
    for (const agent of agents) await ofBlueprint(w, agent, 'triage', '1.0.0')
    await addVersion(w, 'triage', '1.1.0')
    const wanted = { kind: 'blueprint', blueprint: 'triage', version: '1.1.0', waves: ['100%'] } as const
    const by = { id: null, name: 'Ada' }
    const made = await startRollout({ db: w.store.db, by, now: w.clock.now() }, w.workspace, {
      ...wanted,
      waves: ['100%'],
    })
    expect(made.ok).toBe(true)
    await Promise.all(Array.from({ length: 4 }, () => advanceRollouts(w.store.db, w.clock.now())))
    expect(await events(w, 'wished')).toBe(5)
    await wishBlueprint({ db: w.store.db, by: w.admin, now: w.clock.now() }, place(w.agent), { version: '1.1.0' })
    await Promise.all([0, 1, 2].map(() => noteFetched(w.store.db, w.agent, w.clock.now())))
    expect(await events(w, 'fetched')).toBe(1)
    const back = { version: '1.0.0', outcome: 'rolled_back', message: '1.0.0 -> 1.1.0: it said bad' }
    await r.report({ applied: back })
    await Promise.all(Array.from({ length: 4 }, () => advanceRollouts(w.store.db, w.clock.now())))
    const halted = w.store.db.selectFrom('audit').select('details').where('action', '=', 'rollout.halted')
    expect(await halted.execute()).toMatchObject([{ details: expect.stringContaining('it said bad') }])
  })

  test('an outage of the service is recorded once, whichever node is back first', async () => {
    const { w } = await start(1)
    const { db } = w.store
    const from = w.clock.now()
    await Promise.all([0, 1].map(() => noteRunning(db, w.clock.now())))
    w.clock.pass(25)
    await noteRunning(db, w.clock.now())
    expect(await readOutages(db, 0)).toEqual([])
    w.clock.pass(600)
    await Promise.all([0, 1, 2].map(() => noteRunning(db, w.clock.now())))
    const away = { from: from + 25_000, to: from + 625_000 }
    expect(await readOutages(db, 0)).toEqual([away])
    expect(outageBetween([away], from + 100_000, from + 400_000)).toEqual(away)
    expect(outageBetween([away], from, from + 25_000)).toBeUndefined()
    expect(outageBetween([away], from + 625_000, from + 900_000)).toBeUndefined()
    const kept = async (at: number) => {
      await noteRunning(db, at)
      return (await readOutages(db, 0))[0]
    }
    expect(await kept(away.to + 400 * 86_400_000)).toEqual(away)
    expect(await kept(away.to + 400 * 86_400_000 + 10_001)).not.toEqual(away)
  })
})
