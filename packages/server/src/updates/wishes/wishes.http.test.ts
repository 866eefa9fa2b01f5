import type {
  AgentPage,
  AgentUpdates,
  AuditEntry,
  BlueprintPage,
  Fleet,
  RuntimeOverview,
  UpdateEvent,
  WishResult,
} from '@svc/api'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { type Service, serve } from '../../../testing/page/service.ts'
import { report, startService } from '../../../testing/service.ts'
import { openTestSqlite } from '../../../testing/stores.ts'
import { newTestWorkspace } from '../../../testing/test-workspace.ts'
import { addVersion, ofBlueprint, serveRelease } from '../../../testing/wishes.ts'
import { wishRuntime } from './store.ts'

const north = '/api/web/w/north'
const ok = { outcome: 'ok', message: 'installed' }
const running = (version: string, applied: object = ok) => ({ agent: { version }, applied: { version, ...applied } })
const runtime = (version: string, applied?: object) => ({ runtime: { version, ...(applied && { applied }) } })

async function start() {
  const service = await serve({ tick: 20 })
  const workspace = await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const clock = { now: service.now, pass: service.pass }
  const place = { store: service.store, clock, workspace } as const
  const agent = async (name: string, version = '1.0.0') => {
    const made = await service.agent(workspace, name)
    await ofBlueprint(place, made.agent, 'triage', version)
    return made
  }
  const mail = await agent('mail')
  await addVersion(place, 'triage', '1.1.0')
  return { service, ann, place, mail, agent, release: (version: string) => serveRelease(place, version) }
}

const updates = async (ann: Awaited<ReturnType<Service['person']>>, name = 'mail') =>
  (await ann.get<AgentPage>(`${north}/agents/${name}`)).body.updates

test('a version named on the page is offered to the agent, and the page shows its outcome', async () => {
  const { service, ann, mail } = await start()
  await service.reports(mail.token, running('1.0.0'))
  expect(await updates(ann)).toMatchObject({
    blueprint: { running: '1.0.0', wish: null, state: 'none', versions: ['1.1.0', '1.0.0'] },
  })
  const wished = await ann.send<AgentUpdates>('PUT', `${north}/agents/mail/wishes/blueprint`, { version: '1.1.0' })
  expect(wished.body.blueprint).toMatchObject({ wish: { version: '1.1.0', wishedBy: 'Ann' }, state: 'waiting' })
  const answer = await service.reports(mail.token, running('1.0.0'))
  expect(answer.desired).toEqual({ blueprint: 'triage', version: '1.1.0' })
  expect((await updates(ann)).blueprint).toMatchObject({ state: 'offered' })
  const bundle = await fetch(`${service.origin}/api/agent/v1/bundle/1.1.0`, {
    headers: { authorization: `Bearer ${mail.token}` },
  })
  expect(bundle.status).toBe(200)
  await bundle.arrayBuffer()
  await eventually('the page says that the version is tried', async () =>
    expect((await updates(ann)).blueprint?.state).toBe('trying'),
  )
  await service.reports(mail.token, running('1.1.0', { outcome: 'ok', message: '1.0.0 -> 1.1.0' }))
  expect((await updates(ann)).blueprint).toMatchObject({
    state: 'kept',
    running: '1.1.0',
    previous: '1.0.0',
    applied: { outcome: 'ok', message: '1.0.0 -> 1.1.0' },
  })
  const timeline = (await ann.get<UpdateEvent[]>(`${north}/agents/mail/updates`)).body
  expect(timeline.map(({ kind, by }) => [kind, by])).toEqual([
    ['kept', null],
    ['fetched', null],
    ['offered', null],
    ['wished', 'Ann'],
  ])
  const back = await ann.send<AgentUpdates>('PUT', `${north}/agents/mail/wishes/blueprint`, { version: '1.0.0' })
  expect(back.body.blueprint).toMatchObject({ state: 'waiting', wish: { version: '1.0.0' } })
  const cleared = await ann.send<AgentUpdates>('DELETE', `${north}/agents/mail/wishes/blueprint`)
  expect(cleared.body.blueprint).toMatchObject({ state: 'none', wish: null })
  const audit = (await ann.get<AuditEntry[]>(`${north}/activity?limit=10`)).body
  expect(audit.filter(({ actor }) => actor === 'Ann').map(({ action, details }) => [action, details.version])).toEqual([
    ['wish.withdrawn', '1.0.0'],
    ['wish.made', '1.0.0'],
    ['wish.made', '1.1.0'],
  ])
})

test("a rolled back version is shown with the agent's own words, on its page and in the fleet", async () => {
  const { service, ann, mail } = await start()
  await service.reports(mail.token, running('1.0.0'))
  await ann.send('PUT', `${north}/agents/mail/wishes/blueprint`, { version: '1.1.0' })
  await service.reports(mail.token, running('1.0.0'))
  await service.reports(
    mail.token,
    running('1.0.0', { outcome: 'rolled_back', message: '1.0.0 -> 1.1.0: it said bad' }),
  )
  expect((await updates(ann)).blueprint).toMatchObject({
    state: 'rolled_back',
    hold: { version: '1.1.0', outcome: 'rolled_back', message: '1.0.0 -> 1.1.0: it said bad' },
  })
  const fleet = (await ann.get<Fleet>(`${north}/fleet`)).body
  expect(fleet.rows[0]?.updates).toMatchObject({ wished: '1.1.0', wishState: 'rolled_back', blueprint: 'triage' })
  const page = (await ann.get<BlueprintPage>(`${north}/blueprints/triage`)).body
  expect(page.agents).toMatchObject([{ name: 'mail', running: '1.0.0', wished: '1.1.0', wishState: 'rolled_back' }])
  expect(page.versions.map(({ version, wished }) => [version, wished])).toEqual([
    ['1.1.0', ['mail']],
    ['1.0.0', []],
  ])
})

test('a wished version cannot be deleted, and a version that is not here cannot be wished', async () => {
  const { ann, service, place } = await start()
  await ann.send('PUT', `${north}/agents/mail/wishes/blueprint`, { version: '1.1.0' })
  const deleted = await ann.send('DELETE', `${north}/blueprints/triage/versions/1.1.0`)
  expect(deleted).toMatchObject({ status: 409, body: { error: { code: 'version_in_use' } } })
  for (const version of ['9.9.9', '../../etc', '']) {
    const refused = await ann.send('PUT', `${north}/agents/mail/wishes/blueprint`, { version })
    expect(refused).toMatchObject({ status: 404, body: { error: { code: 'version_unknown' } } })
  }
  await service.agent(place.workspace, 'by-hand')
  const byHand = await ann.send('PUT', `${north}/agents/by-hand/wishes/blueprint`, { version: '1.1.0' })
  expect(byHand).toMatchObject({ status: 409, body: { error: { code: 'no_blueprint' } } })
})

test('each of the five refusals of a runtime update has its own sentence, for one agent and among many; another build lifts a hold (3.4)', async () => {
  const { service, ann, mail, agent, release, place } = await start()
  const press = (name = 'mail') => ann.send('POST', `${north}/agents/${name}/wishes/runtime`)
  const refusal = (code: string) => ({ status: 409, body: { error: { code, message: expect.stringMatching(/\w/) } } })
  expect(await press()).toMatchObject(refusal('runtime_not_served'))
  await release('2.0.0')
  expect(await press()).toMatchObject(refusal('runtime_too_old'))
  await service.reports(mail.token, runtime('2.0.0'))
  expect(await press()).toMatchObject(refusal('runtime_up_to_date'))
  await service.reports(mail.token, { runtime: { version: '1.0.0', pinned: '1.0.0' } })
  expect(await press()).toMatchObject(refusal('runtime_pinned'))
  expect((await updates(ann)).runtime).toMatchObject({ pinned: '1.0.0', press: { ok: false, code: 'runtime_pinned' } })
  await service.reports(mail.token, runtime('1.0.0'))
  expect(await press()).toMatchObject({ status: 200, body: { runtime: { state: 'waiting' } } })
  expect(await service.reports(mail.token, runtime('1.0.0'))).toMatchObject({ runtime_desired: '2.0.0' })
  await service.reports(mail.token, runtime('1.0.0', { version: '1.0.0', outcome: 'failed', message: 'no ssh-keygen' }))
  expect(await press()).toMatchObject(refusal('runtime_version_held'))
  expect((await updates(ann)).runtime).toMatchObject({ state: 'failed', hold: { message: 'no ssh-keygen' } })
  const inFleet = async () => (await ann.get<Fleet>(`${north}/fleet`)).body.rows[0]?.updates
  expect(await inFleet()).toMatchObject({ runtimeHeld: true, runtimeWishState: 'failed' })

  await serveRelease(place, '2.0.0', false)
  expect((await updates(ann)).runtime).toMatchObject({
    served: { signed: false },
    says: '2.0.0 is served, but not signed: runtimes refuse it.',
  })
  // The fleet shows that the hold is lifted although the agent has not reported again.
  await eventually('the fleet shows neither a hold nor a wish', async () =>
    expect(await inFleet()).toMatchObject({ runtimeHeld: false, runtimeWishState: 'none' }),
  )
  await release('2.0.0')
  await service.reports(mail.token, runtime('1.0.0', { version: '1.0.0', outcome: 'failed', message: 'no ssh-keygen' }))
  expect(await press()).toMatchObject({ status: 200 })
  await service.reports(mail.token, runtime('1.0.0', { version: '1.0.0', outcome: 'failed', message: 'again' }))

  const fresh = await agent('fresh')
  await service.reports(fresh.token, runtime('1.0.0'))
  const many = { kind: 'runtime', agents: ['mail', 'fresh', 'nobody', 'fresh'] }
  const results = (await ann.send<WishResult[]>('POST', `${north}/wishes`, many)).body
  expect(results.map(({ agent: name, ok: done, code }) => [name, done, code])).toEqual([
    ['mail', false, 'runtime_version_held'],
    ['fresh', true, null],
    ['nobody', false, 'agent_unknown'],
  ])
  const lifted = await ann.send<AgentUpdates>('DELETE', `${north}/agents/mail/holds/runtime`)
  expect(lifted.body.runtime).toMatchObject({ hold: null, press: { ok: true } })
  const overview = (await ann.get<RuntimeOverview>(`${north}/runtime`)).body
  expect(overview).toMatchObject({
    served: { version: '2.0.0', signed: true },
    running: [{ version: '1.0.0', agents: 2 }],
    wished: 1,
    held: 0,
    trials: { most: 5, now: 1 },
  })
})

test('one request for many agents is one line of the activity, and so is its withdrawal', async () => {
  const { service, ann, mail, agent } = await start()
  const other = await agent('other')
  for (const { token } of [mail, other]) await service.reports(token, running('1.0.0'))
  const wish = { kind: 'blueprint', blueprint: 'triage', agents: ['mail', 'other'] }
  const made = await ann.send<WishResult[]>('POST', `${north}/wishes`, { ...wish, version: '1.1.0' })
  expect(made.body.every(({ ok: done }) => done)).toBe(true)
  expect((await updates(ann, 'other')).blueprint?.wish).toMatchObject({ version: '1.1.0', wishedBy: 'Ann' })
  await ann.send('POST', `${north}/wishes`, { ...wish, version: null })
  expect((await updates(ann, 'other')).blueprint?.wish).toBeNull()
  const foreign = await ann.send<WishResult[]>('POST', `${north}/wishes`, {
    ...wish,
    blueprint: 'else',
    version: '1.1.0',
  })
  expect(foreign.body.map(({ code }) => code)).toEqual(['other_blueprint', 'other_blueprint'])
  const audit = (await ann.get<AuditEntry[]>(`${north}/activity?limit=4`)).body
  expect(audit.slice(0, 2)).toMatchObject([
    { action: 'wish.withdrawn', subject: '2 agents' },
    { action: 'wish.made', subject: '2 agents', details: { agents: ['mail', 'other'], version: '1.1.0' } },
  ])
})

test('after a signal to stop, the service offers no new wishes', async () => {
  const w = await newTestWorkspace(await openTestSqlite())
  const service = await startService(w.store, { now: w.clock.now })
  onTestFinished(async () => {
    await service.stop()
    await w.store.close()
  })
  await serveRelease(w, '2.0.0')
  await report(service, w.agent.token, runtime('1.0.0'))
  await wishRuntime(
    { db: w.store.db, by: w.admin, now: w.clock.now() },
    { id: w.agent.id, workspace_id: w.workspace.id },
  )
  service.drain()
  expect(await report(service, w.agent.token, runtime('1.0.0'))).not.toHaveProperty('runtime_desired')
})

const fleet = async (count: number) => {
  const { service, ann, agent, release } = await start()
  await release('2.0.0')
  const agents = await Promise.all(Array.from({ length: count }, (_, i) => agent(`a${i}`)))
  for (const { token } of agents) await service.reports(token, runtime('1.0.0'))
  const offered = async () => {
    const answers = await Promise.all(agents.map(({ token }) => service.reports(token, runtime('1.0.0'))))
    return answers.map(({ runtime_desired }) => runtime_desired !== undefined)
  }
  const trials = async () => (await ann.get<RuntimeOverview>(`${north}/runtime`)).body.trials
  return { service, ann, agents, names: agents.map(({ agent: { name } }) => name), offered, trials }
}

test('a request for many agents is in the next answer of each of them (2.7)', async () => {
  const { ann, names, offered, trials } = await fleet(7)
  await ann.send('POST', `${north}/wishes`, { kind: 'runtime', agents: names })
  const pressed = (await ann.get<AuditEntry[]>(`${north}/activity?limit=1`)).body
  expect(pressed).toMatchObject([{ action: 'wish.made', subject: '7 agents', details: { version: '2.0.0' } }])
  expect(await offered()).toEqual(names.map(() => true))
  expect(await trials()).toEqual({ most: 5, now: 7 })
})

test('a rollout has a limited number of runtimes on trial at once; a free place goes to an agent that waits', async () => {
  const { service, ann, agents, names, offered, trials } = await fleet(7)
  const wave = { kind: 'runtime', agents: names, waves: ['100%'], watchSeconds: 60 }
  expect((await ann.send('POST', `${north}/rollouts`, wave)).status).toBe(201)
  const first = await offered()
  expect(first.filter((yes) => yes).length).toBe(5)
  expect(await trials()).toEqual({ most: 5, now: 5 })
  await service.sweeps()
  expect(await offered()).toEqual(first)
  const waiting = agents[first.indexOf(false)]?.agent.name ?? ''
  expect((await updates(ann, waiting)).runtime).toMatchObject({ state: 'queued', wish: { offeredAt: null } })
  const done = agents[first.indexOf(true)]
  await service.reports(done?.token ?? '', runtime('2.0.0', { version: '2.0.0', outcome: 'ok', message: 'updated' }))
  await service.sweeps()
  expect((await updates(ann, waiting)).runtime).toMatchObject({ state: 'waiting' })
})
