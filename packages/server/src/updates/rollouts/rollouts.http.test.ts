import type { AgentPage, AuditEntry, Fleet, Members, RolloutPage, RolloutPreview, Rollouts } from '@svc/api'
import { expect, test } from 'vitest'
import { operator, password, type Service, serve, value } from '../../../testing/page/service.ts'
import { addVersion, ofBlueprint, serveRelease } from '../../../testing/wishes.ts'
import { disablePerson } from '../../people/workspaces/people.ts'

const north = '/api/web/w/north'
type Browser = Awaited<ReturnType<Service['person']>>

/** Starts a service with a workspace that has agents a1 to aN of one blueprint. The test decides what they report. */
async function start(count: number) {
  const service = await serve({ tick: 20 })
  const workspace = await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const place = { store: service.store, clock: { now: service.now, pass: service.pass }, workspace }
  await addVersion(place, 'triage', '1.1.0')
  const agents: Agent[] = []
  for (let i = 1; i <= count; i++) {
    const { agent, token } = await service.agent(workspace, `a${i}`)
    await ofBlueprint(place, agent, 'triage', '1.0.0')
    agents.push(newAgent(service, agent.name, token))
  }
  const all = async () => {
    for (const agent of agents) await agent.reports()
    await service.sweeps()
  }
  await all()
  return { service, ann, place, agents, all }
}

function newAgent(service: Service, name: string, token: string) {
  const applied = { version: '1.0.0', outcome: 'ok', message: 'installed' }
  const agent = { name, applied, level: 'ok', offered: undefined as string | undefined, reports }
  return agent
  async function reports() {
    const state = { level: agent.level }
    const { desired } = await service.reports(token, { applied: agent.applied, state })
    agent.offered = desired?.version
  }
}
type Agent = ReturnType<typeof newAgent>
const keeps = (agent: Agent, version = '1.1.0') => {
  agent.applied = { version, outcome: 'ok', message: `to ${version}` }
}
const rollsBack = (agent: Agent) => {
  agent.applied = { version: '1.0.0', outcome: 'rolled_back', message: '1.0.0 -> 1.1.0: it said bad' }
}
const named = { kind: 'blueprint', blueprint: 'triage', version: '1.1.0' }
const begin = async (ann: Browser, more: object = {}) =>
  (await ann.send<RolloutPage>('POST', `${north}/rollouts`, { ...named, watchSeconds: 60, ...more })).body
const page = async (ann: Browser, { id }: { id: string }) =>
  (await ann.get<RolloutPage>(`${north}/rollouts/${id}`)).body
/** A sign-in is a proof for ten minutes, and these tests let more time pass. */
const proves = async (person: Browser) =>
  expect((await person.send('POST', '/api/web/proof', { password })).status).toBe(200)
const continues = async (person: Browser, { id }: { id: string }, body?: object) => {
  await proves(person)
  return person.send<RolloutPage>('POST', `${north}/rollouts/${id}/continue`, body)
}
const offeredTo = (agents: Agent[]) => agents.filter((agent) => agent.offered === '1.1.0').map(({ name }) => name)

test('a wave is watched for a week at most', async () => {
  const { ann } = await start(1)
  expect(await begin(ann, { watchSeconds: 604_800 })).toMatchObject({ state: 'running' })
})

test('a version reaches one agent, then some, then all; each wave starts after the one before was watched', async () => {
  const { service, ann, agents, all } = await start(12)
  const rollout = await begin(ann)
  expect(rollout).toMatchObject({ state: 'running', wave: 1, waves: 3, upTo: ['1', '10%', '100%'] })
  await all()
  expect(offeredTo(agents)).toEqual(['a1'])
  expect((await page(ann, rollout)).says).toBe('Wave 1 of 3 is waiting for a1.')
  for (const agent of agents.slice(0, 1)) keeps(agent)
  await all()
  expect(await page(ann, rollout)).toMatchObject({
    says: 'Wave 1 of 3 is complete and is watched for 1 minute, then the next wave starts.',
    nextAt: expect.any(Number),
  })
  expect(offeredTo(agents)).toEqual(['a1'])
  service.pass(61)
  await all()
  await all()
  expect(offeredTo(agents)).toEqual(['a1', 'a2'])
  for (const agent of agents.slice(0, 2)) keeps(agent)
  await all()
  service.pass(61)
  await all()
  await all()
  expect(offeredTo(agents).length).toBe(12)
  for (const agent of agents) keeps(agent)
  await all()
  expect(await page(ann, rollout)).toMatchObject({
    says: 'Wave 3 of 3 is complete and is watched for 1 minute, then the rollout is done.',
    nextAt: expect.any(Number),
  })
  service.pass(61)
  await all()
  expect(await page(ann, rollout)).toMatchObject({
    state: 'done',
    counts: { kept: 12 },
    says: 'Done: 12 agents run the version.',
    actions: { cancel: { ok: false, code: 'rollout_over' } },
  })
  const audit = (await ann.get<AuditEntry[]>(`${north}/activity?limit=2`)).body
  expect(audit).toMatchObject([
    { action: 'rollout.done', actor: 'service', subject: 'blueprint triage@1.1.0' },
    { action: 'rollout.started', actor: 'Ann', details: { agents: 12 } },
  ])
})

test('a rollback halts a rollout: no further agent is offered the version until a person resumes it', async () => {
  const { service, ann, agents, all } = await start(4)
  const [first, second] = agents as [Agent, Agent]
  const rollout = await begin(ann, { waves: ['1', '3'] })
  await all()
  rollsBack(first)
  await all()
  expect(await page(ann, rollout)).toMatchObject({
    state: 'halted',
    why: 'On a1 1.1.0 was rolled back: 1.0.0 -> 1.1.0: it said bad',
    says: expect.stringContaining('it said bad. The rollout halted by itself. No further agents get'),
    counts: { rolled_back: 1, untouched: 3 },
    actions: { pause: { ok: false }, continue: { ok: true }, cancel: { ok: true } },
  })
  expect((await ann.get<Fleet>(`${north}/fleet`)).body.standing).toMatchObject({ halted: 1, rolledBack: 1 })
  service.pass(3600)
  await all()
  expect(offeredTo(agents)).toEqual(['a1'])
  expect((await ann.send('POST', `${north}/rollouts/${rollout.id}/pause`)).status).toBe(409)
  await continues(ann, rollout)
  expect(await page(ann, rollout)).toMatchObject({ state: 'waiting', why: 'No agent of this wave kept the version.' })
  await continues(ann, rollout)
  await all()
  expect(offeredTo(agents)).toEqual(['a1', 'a2', 'a3'])
  keeps(second)
  await all()
  expect((await page(ann, rollout)).says).toBe('Wave 2 of 3 is waiting for a3.')
  const cancelled = await ann.send<RolloutPage>('POST', `${north}/rollouts/${rollout.id}/cancel`, { withdraw: true })
  expect(cancelled.body).toMatchObject({
    state: 'cancelled',
    why: 'By Ann.',
    stays: '1 agent runs 1.1.0 and keeps it, 2 agents were not affected.',
  })
  await all()
  expect(offeredTo(agents)).toEqual(['a1', 'a2'])
})

test('a halted rollout whose agents all have an outcome has nothing to continue, and can be ended', async () => {
  const { ann, agents, all } = await start(2)
  const rollout = await begin(ann, { waves: ['100%'] })
  await all()
  rollsBack(agents[0] as Agent)
  keeps(agents[1] as Agent)
  await all()
  expect(await page(ann, rollout)).toMatchObject({
    state: 'halted',
    says: expect.stringMatching(
      /it said bad\. The rollout halted by itself\. All of its agents have an outcome: nothing is left/,
    ),
    counts: { rolled_back: 1, kept: 1 },
    actions: { continue: { ok: false, code: 'rollout_not_running' }, cancel: { ok: true } },
  })
  expect(await continues(ann, rollout)).toMatchObject({
    status: 409,
    body: { error: { code: 'rollout_not_running', message: expect.stringContaining('nothing is left to continue') } },
  })
  expect(await ann.send('POST', `${north}/rollouts/${rollout.id}/cancel`, {})).toMatchObject({
    status: 200,
    body: { state: 'cancelled' },
  })
})

test('an act on a rollout that has changed since the person saw it is refused, and changes nothing', async () => {
  const { ann, agents, all } = await start(4)
  const rollout = await begin(ann, { waves: ['1', '2', '3'] })
  const running = { expected: { state: 'running', wave: 1 } }
  const changed = (now: string) => ({
    status: 409,
    body: {
      error: {
        code: 'rollout_changed',
        message: `Nothing was changed: the rollout was running in wave 1, and is now ${now}.`,
      },
    },
  })
  const acts = (what: string, body: object) => ann.send('POST', `${north}/rollouts/${rollout.id}/${what}`, body)
  await all()
  rollsBack(agents[0] as Agent)
  await all()
  expect(await continues(ann, rollout, running)).toMatchObject(changed('halted in wave 1'))
  expect(await acts('now', running)).toMatchObject(changed('halted in wave 1'))
  for (const withdraw of [true, false])
    expect(await acts('cancel', { withdraw, ...running })).toMatchObject(changed('halted in wave 1'))
  expect(await page(ann, rollout)).toMatchObject({ state: 'halted', wave: 1, counts: { rolled_back: 1, untouched: 3 } })

  expect(await continues(ann, rollout, { expected: { state: 'halted', wave: 1 } })).toMatchObject({ status: 200 })
  const waiting = { expected: { state: 'waiting', wave: 1 } }
  expect(await continues(ann, rollout, waiting)).toMatchObject({ status: 200, body: { state: 'running', wave: 2 } })
  for (const stale of [running, waiting]) expect(await continues(ann, rollout, stale)).toMatchObject({ status: 409 })
  expect(await continues(ann, rollout, running)).toMatchObject(changed('running in wave 2'))
  expect(await page(ann, rollout)).toMatchObject({ state: 'running', wave: 2 })
  expect(await continues(ann, rollout)).toMatchObject({ status: 200, body: { wave: 3 } })
  const expected = { state: 'running', wave: 3 }
  expect(await acts('cancel', { withdraw: true, expected })).toMatchObject({
    status: 200,
    body: { state: 'cancelled' },
  })
})

test('a second halt in the same wave is not the one that a person saw', async () => {
  const { ann, agents, all } = await start(3)
  const rollout = await begin(ann, { waves: ['100%'] })
  await all()
  rollsBack(agents[0] as Agent)
  await all()
  const { state, wave, changedAt } = await page(ann, rollout)
  const first = { expected: { state, wave, changedAt } }
  expect(await continues(ann, rollout, first)).toMatchObject({ status: 200, body: { state: 'running', wave: 1 } })
  await all()
  rollsBack(agents[1] as Agent)
  await all()
  expect(await page(ann, rollout)).toMatchObject({ state: 'halted', wave: 1, why: expect.stringMatching(/^On a2 /) })
  const refused = {
    status: 409,
    body: { error: { code: 'rollout_changed', message: expect.stringContaining('has halted again since') } },
  }
  expect(await continues(ann, rollout, first)).toMatchObject(refused)
  expect(await ann.send('POST', `${north}/rollouts/${rollout.id}/cancel`, { withdraw: true, ...first })).toMatchObject(
    refused,
  )
  // A page of the version before names no time.
  expect(await continues(ann, rollout, { expected: { state, wave } })).toMatchObject({ status: 200 })
})

test('a list of rollouts in one state finds those behind newer ones', async () => {
  const { ann, agents, all } = await start(2)
  const halted = await begin(ann, { agents: ['a1'] })
  await all()
  rollsBack(agents[0] as Agent)
  await all()
  const newer = await begin(ann, { agents: ['a2'] })
  const ids = async (query: string) =>
    (await ann.get<Rollouts>(`${north}/rollouts${query}`)).body.rows.map(({ id }) => id)
  expect(await ids('?limit=1')).toEqual([newer.id])
  expect(await ids('?limit=1&state=halted')).toEqual([halted.id])
  expect(await ids('?state=no-state')).toEqual([newer.id, halted.id])
})

test('agents of an unfinished rollout are left out with its name, and a new rollout can end it in the same press', async () => {
  const { service, ann, place, agents, all } = await start(3)
  const old = await begin(ann, { waves: ['1'] })
  await all()
  rollsBack(agents[0] as Agent)
  await all()
  await addVersion(place, 'triage', '1.2.0')
  const wanted = { ...named, version: '1.2.0', waves: ['100%'] }
  const preview = (more: object = {}) =>
    ann.send<RolloutPreview>('POST', `${north}/rollouts/preview`, { ...wanted, ...more })
  expect((await preview()).body).toMatchObject({
    waves: [],
    leftOut: ['a1', 'a2', 'a3'].map((agent) => ({
      agent,
      code: 'in_rollout',
      message: 'Already in another unfinished rollout, of triage 1.1.0 (halted).',
      rollout: old.id,
    })),
    blockedBy: [{ id: old.id, kind: 'blueprint', blueprint: 'triage', version: '1.1.0', state: 'halted' }],
  })
  expect((await preview({ end: [old.id] })).body).toMatchObject({
    waves: [{ agents: ['a1', 'a2', 'a3'] }],
    blockedBy: [],
  })
  const press = (more: object) => ann.send<RolloutPage>('POST', `${north}/rollouts`, { ...wanted, ...more })
  expect(await press({})).toMatchObject({ status: 409, body: { error: { code: 'rollout_empty' } } })
  expect(await press({ end: ['none'] })).toMatchObject({ status: 404, body: { error: { code: 'rollout_unknown' } } })
  expect(await press({ end: [old.id], agents: ['nobody'] })).toMatchObject({ status: 409 })
  expect(await page(ann, old)).toMatchObject({ state: 'halted' })

  const free = { agents: ['a1', 'a4'], waves: ['100%'] }
  const { agent } = await service.agent(place.workspace, 'a4')
  await ofBlueprint(place, agent, 'triage', '1.0.0')
  const beside = (await press(free)).body
  expect(beside.agents.map(({ agent, leftOutFor }) => [agent, leftOutFor])).toEqual([
    ['a4', null],
    ['a1', old.id],
  ])

  expect(await press({ end: [old.id] })).toMatchObject({
    status: 201,
    body: { state: 'running', counts: { wished: 3 } },
  })
  expect(await page(ann, old)).toMatchObject({ state: 'cancelled', why: 'By Ann.' })
  await all()
  expect(agents.map(({ offered }) => offered)).toEqual(['1.2.0', '1.2.0', '1.2.0'])
  const audit = (await ann.get<AuditEntry[]>(`${north}/activity?limit=2`)).body
  expect(audit.map(({ action }) => action)).toEqual(['rollout.started', 'rollout.cancelled'])
})

test('each agent without an outcome says what it waits for', async () => {
  const { service, ann, place, agents, all } = await start(4)
  const [first] = agents as [Agent]
  const waits = async (rollout: RolloutPage) =>
    Object.fromEntries((await page(ann, rollout)).agents.map(({ agent, waits }) => [agent, waits]))
  const one = await begin(ann, { waves: ['1'] })
  expect(await waits(one)).toMatchObject({ a1: { for: 'report' }, a2: { for: 'wave' } })
  await all()
  keeps(first)
  await all()
  expect(await waits(one)).toMatchObject({ a1: null })
  await ann.send('POST', `${north}/rollouts/${one.id}/pause`)
  expect(await waits(one)).toMatchObject({ a1: null, a2: { for: 'hold', by: 'rollout' } })
  await ann.send('POST', `${north}/rollouts/${one.id}/cancel`, {})
  expect(await waits(one)).toMatchObject({ a1: null, a2: null })

  await addVersion(place, 'triage', '1.2.0')
  const two = await begin(ann, { version: '1.2.0', waves: ['1'], byHand: true })
  await all()
  const until = expect.any(Number)
  const [watching] = (await page(ann, two)).agents
  expect(watching).toMatchObject({ agent: 'a1', state: 'offered', waits: { for: 'window', version: '1.1.0', until } })
  service.pass(600)
  expect(await waits(two)).toMatchObject({ a1: { for: 'silent' }, a2: { for: 'wave' } })
})

test('outcomes of agents that continue after the halt are recorded, even of an offline one that comes back late', async () => {
  const { ann, agents, all, service } = await start(3)
  const [first, second, third] = agents as [Agent, Agent, Agent]
  const rollout = await begin(ann, { waves: ['2'], watchSeconds: 0 })
  await all()
  rollsBack(first)
  await all()
  keeps(second)
  await all()
  expect(await page(ann, rollout)).toMatchObject({ state: 'halted', counts: { rolled_back: 1, kept: 1, untouched: 1 } })
  service.pass(600)
  await first.reports()
  await second.reports()
  await continues(ann, rollout)
  await service.sweeps()
  await service.sweeps()
  expect(await page(ann, rollout)).toMatchObject({
    state: 'done',
    says: 'Done: 1 agent runs the version. One offline agent gets the request when it reports again.',
  })
  await third.reports()
  keeps(third)
  await all()
  expect(await page(ann, rollout)).toMatchObject({ state: 'done', counts: { rolled_back: 1, kept: 2 } })
})

test('a worse level halts a rollout too, if it stays worse', async () => {
  const { service, ann, agents, all } = await start(2)
  const rollout = await begin(ann)
  await all()
  const [first] = agents as [Agent]
  keeps(first)
  await all()
  first.level = 'bad'
  await all()
  expect((await page(ann, rollout)).state).toBe('running')
  service.pass(30)
  await all()
  expect(await page(ann, rollout)).toMatchObject({
    state: 'halted',
    why: 'On a1 1.1.0 made it worse: Its own level changed from ok to bad.',
  })
})

test('by hand, each wave starts when a person says so; a pause withdraws wishes that were not offered', async () => {
  const { service, ann, agents, all } = await start(3)
  const rollout = await begin(ann, { byHand: true, watchSeconds: 60, waves: ['1'] })
  await all()
  for (const agent of agents.slice(0, 1)) keeps(agent)
  await all()
  expect((await page(ann, rollout)).says).toBe(
    'Wave 1 of 2 is complete and is watched for 1 minute, then you approve the next wave.',
  )
  service.pass(61)
  await all()
  expect(await page(ann, rollout)).toMatchObject({
    state: 'waiting',
    says: 'Wave 1 of 2 is complete. The next wave starts when you approve it.',
  })
  const act = (what: string) => ann.send<RolloutPage>('POST', `${north}/rollouts/${rollout.id}/${what}`)
  expect((await continues(ann, rollout)).body).toMatchObject({ state: 'running', wave: 2, counts: { wished: 2 } })
  await agents[1]?.reports()
  expect((await act('pause')).body).toMatchObject({ state: 'paused', counts: { offered: 1, untouched: 1, kept: 1 } })
  service.pass(600)
  await all()
  expect(offeredTo(agents)).toEqual(['a1', 'a2'])
  await continues(ann, rollout)
  await all()
  expect(offeredTo(agents)).toEqual(['a1', 'a2', 'a3'])
  expect((await continues(ann, rollout)).status).toBe(409)
})

test('a preview lists who is left out and why; a rollout that reaches nobody is refused', async () => {
  const { service, ann, place, agents } = await start(3)
  await service.agent(place.workspace, 'by-hand')
  keeps(agents[2] as Agent)
  await agents[2]?.reports()
  const preview = await ann.send<RolloutPreview>('POST', `${north}/rollouts/preview`, {
    ...named,
    agents: ['a1', 'a2', 'a3', 'by-hand'],
  })
  expect(preview.body).toEqual({
    version: '1.1.0',
    waves: [
      { upTo: '1', agents: ['a1'] },
      { upTo: '100%', agents: ['a2'] },
    ],
    leftOut: [
      { agent: 'a3', code: 'already_runs', message: 'Already running 1.1.0.', rollout: null },
      { agent: 'by-hand', code: 'no_blueprint', message: 'Not installed from a blueprint.', rollout: null },
    ],
    blockedBy: [],
  })
  const refused = (body: object) => ann.send('POST', `${north}/rollouts`, { ...named, ...body })
  expect(await refused({ agents: ['a3'] })).toMatchObject({ status: 409, body: { error: { code: 'rollout_empty' } } })
  expect(await refused({ version: '7.0.0' })).toMatchObject({ body: { error: { code: 'version_unknown' } } })
  expect(await refused({ waves: ['none'] })).toMatchObject({
    status: 400,
    body: { error: { code: 'rollout_invalid' } },
  })
  for (const watchSeconds of [-1, 1.5, 604_801]) expect(await refused({ watchSeconds })).toMatchObject({ status: 400 })
  expect(await refused({ kind: 'runtime' })).toMatchObject({ body: { error: { code: 'runtime_not_served' } } })

  const rollout = await begin(ann)
  expect(await refused({})).toMatchObject({ status: 409, body: { error: { code: 'rollout_empty' } } })
  expect(await ann.send('DELETE', `${north}/blueprints/triage/versions/1.1.0`)).toMatchObject({ status: 409 })
  expect((await ann.get<AgentPage>(`${north}/agents/a1`)).body.updates).toMatchObject({
    rollouts: [{ id: rollout.id, kind: 'blueprint', version: '1.1.0' }],
    blueprint: { wish: { rollout: rollout.id } },
  })
})

test('an agent that runs the version, but has a wish for another one, takes part and stays on the version', async () => {
  const { ann, place, agents, all } = await start(1)
  await addVersion(place, 'triage', '1.2.0')
  const [agent] = agents as [Agent]
  keeps(agent)
  await all()
  expect(await ann.send('PUT', `${north}/agents/a1/wishes/blueprint`, { version: '1.2.0' })).toMatchObject({
    status: 200,
  })
  const rollout = await begin(ann)
  await all()
  expect(agent.offered).toBe('1.1.0')
  expect(await page(ann, rollout)).toMatchObject({ counts: { kept: 1 } })
})

test('members watch and admins act; a rollout of another workspace is not found', async () => {
  const { service, ann } = await start(1)
  const rollout = await begin(ann)
  const bob = await service.person('Bob', 'north', 'member')
  expect(await page(bob, rollout)).toMatchObject({ canAct: false, state: 'running' })
  expect((await bob.send('POST', `${north}/rollouts/${rollout.id}/cancel`, {})).status).toBe(403)
  expect((await bob.get<Rollouts>(`${north}/rollouts`)).body.rows).toMatchObject([
    { id: rollout.id, counts: { wished: 1 } },
  ])
  await service.workspace('south')
  const eve = await service.person('Eve', 'south', 'admin')
  const foreign = `/api/web/w/south/rollouts/${rollout.id}`
  expect((await eve.get(foreign)).status).toBe(404)
  expect(await eve.send('POST', `${foreign}/cancel`, {})).toMatchObject({
    status: 404,
    body: { error: { code: 'rollout_unknown' } },
  })
})

test.each([
  ['is no longer an admin', 'is no longer an admin of this workspace', 'PATCH'],
  ['was removed from the workspace', 'is no longer a member of this workspace', 'DELETE'],
  ['was disabled', 'was disabled by the operator', 'disable'],
])(
  'a rollout halts when the person who started it %s, and resumes in the name of another admin',
  async (_what, why, method) => {
    const { service, ann, agents, all } = await start(4)
    const [first, second] = agents as [Agent, Agent]
    const eve = await service.person('Eve', 'north', 'admin')
    const changes = async (by: Browser, name: string) => {
      const { members } = (await by.get<Members>(`${north}/members`)).body
      const { id, email = '' } = members.find((one) => one.name === name) ?? {}
      if (method === 'disable')
        return void value(await disablePerson({ people: service, by: operator, now: service.now() }, email))
      await proves(by)
      expect((await by.send(method, `${north}/members/${id}`, { role: 'member' })).status).toBe(200)
    }
    const rollout = await begin(ann, { watchSeconds: 0, waves: ['1', '2', '3'] })
    await first.reports()
    keeps(first)
    await changes(eve, 'Ann')
    await all()
    expect(await page(eve, rollout)).toMatchObject({
      state: 'halted',
      why: `Ann, who started it, ${why}.`,
      counts: { kept: 0, offered: 0, untouched: 3 },
    })
    service.pass(600)
    await all()
    expect(offeredTo(agents)).toEqual(['a1'])

    await continues(eve, rollout)
    await all()
    await all()
    expect(await page(eve, rollout)).toMatchObject({ state: 'running', wave: 2, continuedBy: 'Eve' })
    expect(offeredTo(agents)).toEqual(['a1', 'a2'])
    const { updates } = (await eve.get<AgentPage>(`${north}/agents/a2`)).body
    expect(updates.blueprint?.wish?.wishedBy).toBe('Eve')
    keeps(second)
    const kim = await service.person('Kim', 'north', 'admin')
    await changes(kim, 'Eve')
    await all()
    expect((await page(kim, rollout)).why).toBe(`Eve, who resumed it, ${why}.`)
  },
)

test('a rollout of the runtime ends when another release is served', async () => {
  const { service, ann, place } = await start(1)
  await serveRelease(place, '2.0.0')
  const { agent, token } = await service.agent(place.workspace, 'runs')
  await service.reports(token, { runtime: { version: '1.0.0' } })
  const rollout = (await ann.send<RolloutPage>('POST', `${north}/rollouts`, { kind: 'runtime' })).body
  expect(rollout).toMatchObject({ version: '2.0.0', counts: { wished: 1, left_out: 1 } })
  expect(rollout.agents.find(({ state }) => state === 'left_out')).toMatchObject({ agent: 'a1', wave: 0 })
  expect(await service.reports(token, { runtime: { version: '1.0.0' } })).toMatchObject({ runtime_desired: '2.0.0' })
  await serveRelease(place, '2.1.0')
  await service.sweeps()
  expect(await page(ann, rollout)).toMatchObject({ state: 'cancelled', why: 'The service serves 2.1.0 now.' })
  expect(await service.reports(token, { runtime: { version: '1.0.0' } })).not.toHaveProperty('runtime_desired')
  expect((await ann.get<AgentPage>(`${north}/agents/${agent.name}`)).body.updates.rollouts).toEqual([])
})
