import type { AgentPage, AgentUpdates, AuditEntry, RolloutPage, UpdateEvent } from '@svc/api'
import { expect, test } from 'vitest'
import { serve } from '../../../testing/page/service.ts'
import { addVersion, ofBlueprint } from '../../../testing/wishes.ts'
import { tooOldText } from '../rollouts/store.ts'

const north = '/api/web/w/north'

/** Starts a service whose agents have just kept 1.1.0, so that they watch it. Each has the runtime of its name. */
async function start(runtimes: Readonly<Record<string, string | undefined>>) {
  const service = await serve({ tick: 20 })
  const workspace = await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const bo = await service.person('Bo', 'north', 'member')
  const place = { store: service.store, clock: { now: service.now, pass: service.pass }, workspace }
  await addVersion(place, 'triage', '1.1.0')
  await addVersion(place, 'triage', '1.2.0')
  const agents = new Map<string, (version: string, outcome?: string, message?: string) => Promise<unknown>>()
  for (const [name, runtime] of Object.entries(runtimes)) {
    const { agent, token } = await service.agent(workspace, name)
    await ofBlueprint(place, agent, 'triage', '1.0.0')
    agents.set(name, async (version, outcome = 'ok', message = `to ${version}`) => {
      const more = runtime === undefined ? {} : { runtime: { version: runtime } }
      const applied = { version, outcome, message }
      return (await service.reports(token, { agent: { version }, applied, ...more })).desired
    })
  }
  const all = async (version: string) => {
    for (const reports of agents.values()) await reports(version)
    await service.sweeps()
  }
  await all('1.0.0')
  for (const name of agents.keys())
    await ann.send('PUT', `${north}/agents/${name}/wishes/blueprint`, { version: '1.1.0' })
  await all('1.0.0')
  await all('1.1.0')
  const reports = (name: string) => (version: string, outcome?: string, message?: string) =>
    agents.get(name)?.(version, outcome, message)
  return { service, ann, bo, all, reports }
}
type Browser = Awaited<ReturnType<typeof start>>['ann']
const activity = async (person: Browser, kind: string) =>
  (await person.get<AuditEntry[]>(`${north}/activity?limit=20`)).body.filter(({ action }) => action === kind)
const desired = { blueprint: 'triage', version: '1.2.0' }

test('an agent that watches a version is told not to wait, and that is in its timeline and in the activity', async () => {
  const { ann, bo, reports } = await start({ mail: '0.2.0' })
  const mail = `${north}/agents/mail`
  const blueprint = async () => (await ann.get<AgentPage>(mail)).body.updates.blueprint
  expect((await blueprint())?.now, 'nothing is requested').toMatchObject({ ok: false, code: 'nothing_waits' })
  expect((await ann.send('POST', `${mail}/wishes/blueprint/now`)).status).toBe(409)
  await ann.send('PUT', `${mail}/wishes/blueprint`, { version: '1.2.0' })
  expect(await reports('mail')('1.1.0')).toEqual(desired)
  expect(await blueprint()).toMatchObject({ waits: { for: 'window', version: '1.1.0' }, now: { ok: true } })
  expect((await bo.send('POST', `${mail}/wishes/blueprint/now`)).status).toBe(403)
  const told = await ann.send<AgentUpdates>('POST', `${mail}/wishes/blueprint/now`)
  expect(told).toMatchObject({ status: 200, body: { blueprint: { waits: null, now: { ok: false } } } })
  expect((await ann.send('POST', `${mail}/wishes/blueprint/now`)).status, 'the same again').toBe(200)
  expect(await reports('mail')('1.1.0')).toEqual({ ...desired, now: true })
  expect(await reports('mail')('1.2.0')).toEqual(desired)
  const lines = (await ann.get<UpdateEvent[]>(`${mail}/updates`)).body
  expect(lines.slice(0, 4)).toMatchObject([
    { kind: 'kept', version: '1.2.0' },
    { kind: 'wished', by: 'Ann', message: 'It does not wait for the end of the watch of 1.1.0.' },
    { kind: 'offered' },
    { kind: 'wished', message: null },
  ])
  const audit = await activity(ann, 'wish.hurried')
  expect(audit).toMatchObject([{ actor: 'Ann', subject: 'agent mail', details: { version: '1.2.0' } }])
})

test.each([
  ['0.1.0', 'its machine has 0.1.0'],
  [undefined, 'its reports name none'],
])('a runtime that would ignore it is not told: %s', async (runtime, why) => {
  const { ann, reports } = await start({ mail: runtime })
  await ann.send('PUT', `${north}/agents/mail/wishes/blueprint`, { version: '1.2.0' })
  await reports('mail')('1.1.0')
  const refused = { code: 'svc_too_old', message: expect.stringContaining(why) }
  const { body } = await ann.get<AgentPage>(`${north}/agents/mail`)
  expect(body.updates.blueprint?.now).toEqual({ ok: false, ...refused })
  const answer = await ann.send('POST', `${north}/agents/mail/wishes/blueprint/now`)
  expect(answer).toMatchObject({ status: 409, body: { error: refused } })
  expect(await reports('mail')('1.1.0')).toEqual(desired)
})

test('the agents of a rollout that watch a version are told not to wait, but for old runtimes', async () => {
  const { ann, all, reports } = await start({ a: '0.2.0', b: '0.1.0', c: 'dev', d: '0.2.0' })
  await reports('d')('1.0.0', 'rolled_back', '1.1.0 -> 1.0.0: by a person')
  const wanted = { kind: 'blueprint', blueprint: 'triage', version: '1.2.0', waves: ['100%'] }
  const { id } = (await ann.send<RolloutPage>('POST', `${north}/rollouts`, wanted)).body
  const now = `${north}/rollouts/${id}/now`
  for (const name of ['a', 'b', 'c']) expect(await reports(name)('1.1.0')).toEqual(desired)
  expect(await reports('d')('1.0.0')).toEqual(desired)
  const { body } = await ann.get<RolloutPage>(`${north}/rollouts/${id}`)
  expect(body).toMatchObject({ watching: { agents: 2, tooOld: 1 }, actions: { now: { ok: true } } })
  const told = await ann.send<RolloutPage>('POST', now)
  expect(told).toMatchObject({
    status: 200,
    body: { watching: { agents: 0, tooOld: 1 }, actions: { now: { ok: false } } },
  })
  expect(await reports('a')('1.1.0')).toEqual({ ...desired, now: true })
  expect(await reports('b')('1.1.0')).toEqual(desired)
  expect(await reports('c')('1.1.0')).toEqual({ ...desired, now: true })
  expect(await reports('d')('1.0.0'), 'it watches nothing').toEqual(desired)
  const again = await ann.send('POST', now)
  expect(again).toMatchObject({ status: 409, body: { error: { message: tooOldText } } })
  const audit = await activity(ann, 'rollout.hurried')
  expect(audit).toMatchObject([{ actor: 'Ann', details: { rollout: id, agents: 2 } }])
  await all('1.2.0')
  expect((await ann.get<RolloutPage>(`${north}/rollouts/${id}`)).body.watching).toEqual({ agents: 0, tooOld: 0 })
})

test('a rollout tells its waves by state, and where the output of a version that was rolled back can be read', async () => {
  const { ann, service, reports } = await start({ a: '0.2.0', b: '0.2.0' })
  const logs = (output: string | null) =>
    service.store.db
      .updateTable('blueprint_version')
      .set({ manifest: JSON.stringify({ logs: output === null ? [] : [{ name: output, path: 'x', output: true }] }) })
      .where('version', '=', '1.1.0')
      .execute()
  const wanted = { kind: 'blueprint', blueprint: 'triage', version: '1.2.0', waves: ['1', '100%'] }
  const { id } = (await ann.send<RolloutPage>('POST', `${north}/rollouts`, wanted)).body
  await reports('a')('1.1.0')
  const message = '1.2.0 -> 1.1.0, 2026-11-22T06:55:08.743Z: it ended with code 7'
  await reports('a')('1.1.0', 'rolled_back', message)
  await service.sweeps()
  const page = async () => (await ann.get<RolloutPage>(`${north}/rollouts/${id}`)).body
  await logs('printed')
  const unread = service.store.db.updateTable('blueprint_version').set({ manifest: 'only wanted ones are read' })
  await unread.where('version', '=', '0.2.0').execute()
  const halted = await page()
  expect(halted).toMatchObject({
    state: 'halted',
    why: 'On a 1.2.0 was rolled back: it ended with code 7',
    steps: [
      { begunAt: expect.any(Number), counts: { rolled_back: 1 } },
      { begunAt: null, counts: { untouched: 1 } },
    ],
  })
  expect(halted.agents.map(({ printed }) => printed)).toEqual(['printed', null])
  expect((await ann.get<AgentPage>(`${north}/agents/a`)).body.updates.blueprint?.printed).toBe('printed')
  await logs(null)
  expect((await page()).agents[0]?.printed, 'the manifest declares no log for the output').toBeNull()
})
