import type { RolloutPage } from '@svc/api'
import { expect, test } from 'vitest'
import { byLevel } from '../../../../../testing/level.ts'
import { type Fleet, newFleet } from '../../../testing/fleet.ts'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { addVersion, serveRelease } from '../../../testing/wishes.ts'
import { rolloutPage } from '../../web/queries/rollouts.ts'
import { readAttempts, wishesIn } from '../wishes/kept.ts'
import { wishMany } from '../wishes/many.ts'
import { liftHold } from '../wishes/store.ts'
import { continueRollout, startRollout } from './store.ts'

/** The number of agents in these tests. It is smaller on PostgreSQL, where fewer agents show the same in less time. */
const sizes = byLevel({ sqlite: 100, postgres: 50 }, { sqlite: 300, postgres: 100 }, { sqlite: 1000, postgres: 150 })
const fewer = 150

onEveryEngine('a fleet', (open) => {
  const start = async (max = 1000) => {
    const w = await newTestWorkspace(await open(), { people: false })
    await serveRelease(w, '2.0.0')
    const count = Math.min(max, sizes[w.store.engine])
    for (const version of ['1.0.0', '1.1.0']) await addVersion(w, 'triage', version)
    const fleet = await newFleet(w, count, 'triage')
    await fleet.pass(1)
    const begin = async (wanted: { kind: 'runtime' } | { kind: 'blueprint'; blueprint: string; version: string }) => {
      const agents = fleet.agents.map(({ name }) => name)
      const by = { id: null, name: 'Ada' }
      const made = await startRollout({ db: w.store.db, by, now: w.clock.now() }, w.workspace, {
        ...wanted,
        agents,
        watchSeconds: 60,
      })
      if (!made.ok) throw new Error(made.message)
      return made.value.id
    }
    const page = async (id: string) =>
      (await rolloutPage(w.store.db, w.workspace, id, w.clock.now())) as Omit<RolloutPage, 'canAct'>
    const is = (id: string, state: string) => async () => (await page(id)).state === state
    return { w, fleet, count, begin, page, is }
  }

  test('a fleet survives an outage in the middle of a rollout of the runtime, and no agent is left behind', async () => {
    const { w, fleet, count, begin, page, is } = await start()
    const places = Math.max(5, Math.ceil((count + 1) / 10))
    const id = await begin({ kind: 'runtime' })
    const third = () =>
      fleet.agents.filter(({ runtime, trial }) => runtime.version === '2.0.0' && !trial).length > count / 3
    await fleet.pass(100, { until: third })
    const onTrial = fleet.agents.filter(({ trial }) => trial)
    expect(onTrial.length).toBeGreaterThan(0)
    await fleet.pass(20, { away: true })
    expect(fleet.agents.filter(({ trial }) => trial)).toEqual([])
    await fleet.pass(200, { until: is(id, 'done') })

    const after = await page(id)
    expect(after).toMatchObject({ state: 'done', counts: { rolled_back: 0, failed: 0, untouched: 0, wished: 0 } })
    expect(after.counts.excused).toBe(onTrial.length)
    expect(after.counts.kept).toBe(count - onTrial.length)
    expect(after.agents.find(({ state }) => state === 'excused')?.reason).toMatch(/^The service was away from 2026-/)
    expect(fleet.maxOnTrial()).toBeLessThanOrEqual(places)
    await agrees(w, fleet)

    const back = fleet.agents.filter(({ runtime }) => runtime.version === '1.0.0')
    expect(back.map(({ name }) => name).sort()).toEqual(onTrial.map(({ name }) => name).sort())
    const by = { id: null, name: 'Ada' }
    const names = back.map(({ name }) => name)
    const press = () =>
      wishMany({ db: w.store.db, by, now: w.clock.now() }, w.workspace, { kind: 'runtime', agents: names })
    expect((await press()).results.every(({ code }) => code === 'runtime_version_held')).toBe(true)
    for (const agent of back)
      await liftHold({ db: w.store.db, by, now: w.clock.now() }, { id: agent.id, workspace_id: w.workspace.id })
    expect((await press()).results.every(({ ok }) => ok)).toBe(true)
  })

  test('a version that is bad on the first machine reaches no second one', async () => {
    const { w, fleet, begin, page } = await start(fewer)
    for (const agent of fleet.agents) agent.bad.add('1.1.0')
    const id = await begin({ kind: 'blueprint', blueprint: 'triage', version: '1.1.0' })
    await fleet.pass(10)
    expect(await page(id)).toMatchObject({ state: 'halted', wave: 1, counts: { rolled_back: 1 } })
    expect(fleet.agents.filter(({ named }) => named.has('1.1.0')).length).toBe(1)
    expect(fleet.agents.every(({ version }) => version === '1.0.0')).toBe(true)
    await agrees(w, fleet)
  })

  test('a version that is bad on a few agents halts in the wave where that shows, and resumes when a person says so', async () => {
    const { w, fleet, count, begin, page, is } = await start(fewer)
    const tenth = Math.ceil(count / 10)
    for (const agent of fleet.agents.slice(-3)) agent.bad.add('1.1.0')
    const id = await begin({ kind: 'blueprint', blueprint: 'triage', version: '1.1.0' })
    await fleet.pass(60, { until: is(id, 'halted') })
    expect(await page(id)).toMatchObject({ state: 'halted', wave: 3 })
    expect(fleet.agents.slice(0, tenth).every(({ version }) => version === '1.1.0')).toBe(true)
    const by = { id: null, name: 'Ada' }
    for (let i = 0; i < 4 && (await page(id)).state !== 'done' && (await page(id)).actions.continue.ok; i++) {
      await continueRollout({ db: w.store.db, by, now: w.clock.now() }, w.workspace, id)
      await fleet.pass(20, { until: async () => (await page(id)).state !== 'running' })
    }
    expect(await page(id)).toMatchObject({ counts: { kept: count - 3, rolled_back: 3 } })
    await agrees(w, fleet)
  })
})

/**
 * Checks that what the service stores about each simulated agent matches that agent, that no runtime wish is left, and
 * that each offered blueprint wish was carried out or put on hold.
 */
async function agrees(w: TestWorkspace, fleet: Fleet): Promise<void> {
  const rows = await w.store.db.selectFrom('agent').selectAll().execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  for (const agent of fleet.agents) {
    const row = byId.get(agent.id)
    const { applied, runtime } = readAttempts(row?.attempts ?? null)
    expect([agent.name, applied, runtime]).toEqual([agent.name, agent.applied, agent.runtime])
    const { runtime: wish, blueprint } = wishesIn(row?.wishes ?? null)
    expect(wish).toBeUndefined()
    if (blueprint?.offeredAt !== undefined) expect([agent.version, agent.hold]).toContain(blueprint.version)
  }
}
