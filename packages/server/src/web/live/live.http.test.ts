import type { Fleet, Session } from '@svc/api'
import { expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { type ServeOptions, serve } from '../../../testing/page/service.ts'
import { streamOf } from '../../../testing/page/stream.ts'

async function newSetup(given: ServeOptions = {}) {
  const service = await serve(given)
  const north = await service.workspace('north')
  const mail = await service.agent(north, 'mail')
  return { service, north, mail, ann: await service.person('Ann', 'north', 'admin') }
}
const events = '/api/web/w/north/events'

test('a report is in the next frame', async () => {
  const { service, mail, ann } = await newSetup()
  const stream = await streamOf(service.origin + events, ann.cookie)
  await service.reports(mail.token, { state: { level: 'warn', label: 'Two drafts wait' }, controls: ['pause'] })
  const frame = await stream.frame()
  expect(frame).toMatchObject({
    rows: [{ name: 'mail', level: 'warn', label: 'Two drafts wait', controls: ['pause'], costToday: null }],
    changed: [],
    list: false,
    more: false,
  })
  expect(frame.rows[0]?.seenAt).toBeGreaterThan(0)
})

test('after a lost connection the page is right again, because it loads the current state when it reconnects', async () => {
  const { service, mail, ann } = await newSetup()
  const first = await streamOf(service.origin + events, ann.cookie)
  await service.reports(mail.token, { state: { level: 'ok', label: 'before' } })
  await first.frame()
  first.close()
  await service.reports(mail.token, { state: { level: 'bad', label: 'missed' } })
  const second = await streamOf(service.origin + events, ann.cookie)
  expect((await ann.get('/api/web/w/north/fleet')).body).toMatchObject({ rows: [{ level: 'bad', label: 'missed' }] })
  await service.reports(mail.token, { state: { level: 'ok', label: 'after' } })
  expect((await second.frame()).rows).toMatchObject([{ label: 'after' }])
})

test('frames announce commands and acks, and agents that were added, renamed or deleted', async () => {
  const { service, mail, ann } = await newSetup()
  await service.reports(mail.token, { controls: ['pause'] })
  const stream = await streamOf(service.origin + events, ann.cookie)
  const pressed = await ann.send<{ id: string }>('POST', '/api/web/w/north/agents/mail/commands', { type: 'pause' })
  expect((await stream.frame()).changed).toEqual(['mail'])
  await service.reports(mail.token, { controls: ['pause'] })
  await stream.frame((frame) => frame.changed.includes('mail'))
  await service.reports(mail.token, { acks: [{ id: pressed.body.id, ok: true, message: 'paused' }] })
  await stream.frame((frame) => frame.changed.includes('mail'))
  await ann.send('POST', '/api/web/w/north/agents', { name: 'second' })
  expect((await stream.frame((frame) => frame.list)).list).toBe(true)
  await ann.send('PATCH', '/api/web/w/north/agents/second', { name: 'third' })
  await stream.frame((frame) => frame.list)
  await ann.send('DELETE', '/api/web/w/north/agents/third')
  await stream.frame((frame) => frame.list)
})

test('an agent whose page is open is asked to report every five seconds, until the page is closed', async () => {
  const { service, mail, ann } = await newSetup()
  expect((await service.reports(mail.token, {})).interval).toBe(30)
  const stream = await streamOf(`${service.origin}${events}?agent=mail`, ann.cookie)
  const another = await streamOf(`${service.origin}${events}?agent=mail`, ann.cookie)
  expect((await service.reports(mail.token, {})).interval).toBe(5)
  stream.close()
  await eventually('one stream is open', () => expect(service.live.size).toBe(1))
  expect((await service.reports(mail.token, {})).interval).toBe(5)
  another.close()
  await eventually('no stream is open', () => expect(service.live.size).toBe(0))
  expect((await service.reports(mail.token, {})).interval).toBe(30)
})

test('frames never leave their workspace', async () => {
  const { service, mail, ann } = await newSetup()
  const south = await service.workspace('south')
  const other = await service.agent(south, 'other')
  const stream = await streamOf(service.origin + events, ann.cookie)
  await service.reports(other.token, { state: { level: 'bad', label: 'not for Ann' } })
  await service.reports(mail.token, { state: { level: 'ok', label: 'for Ann' } })
  expect((await stream.frame()).rows.map(({ name }) => name)).toEqual(['mail'])
  expect(stream.text()).not.toContain('not for Ann')
})

test('a stream ends when its session ends or when the person is removed from the workspace', async () => {
  const { service, ann } = await newSetup()
  const bob = await service.person('Bob', 'north', 'member')
  const bobs = await streamOf(service.origin + events, bob.cookie)
  const elsewhere = await service.signedIn('ann@example.org')
  const [here, there] = [
    await streamOf(service.origin + events, ann.cookie),
    await streamOf(service.origin + events, elsewhere.cookie),
  ]
  await ann.send('DELETE', '/api/web/sessions')
  await there.ended
  const { members } = (await ann.get<{ members: { id: string; name: string }[] }>('/api/web/w/north/members')).body
  await ann.send('DELETE', `/api/web/w/north/members/${members.find(({ name }) => name === 'Bob')?.id}`)
  await bobs.ended
  expect(service.live.size).toBe(1)
  const session = (await ann.get<Session[]>('/api/web/sessions')).body.find(({ current }) => current)
  await (await service.auth.$context).internalAdapter.deleteUserSessions(
    (await ann.get<{ id: string }>('/api/web/me')).body.id,
  )
  expect(session).toBeDefined()
  // The test ended the sessions in the database, as another node or the operator would. The hub's next check finds
  // that.
  await here.ended
})

test('only members may subscribe, and only from the page', async () => {
  const { service, ann } = await newSetup()
  await service.workspace('south')
  const eve = await service.person('Eve', 'south', 'admin')
  const status = async (cookie: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(service.origin + events, { headers: { cookie, ...headers } })
    await answer.body?.cancel()
    return answer.status
  }
  expect(await status('')).toBe(401)
  expect(await status(eve.cookie)).toBe(404)
  expect(await status(ann.cookie, { 'sec-fetch-site': 'cross-site' })).toBe(403)
  expect(await status(ann.cookie)).toBe(200)
})

test('pages that ask for the list at the same moment get one answer, and none from before the last frame or the last change', async () => {
  const { service, mail, ann } = await newSetup()
  const bob = await service.person('Bob', 'north', 'member')
  const list = async (who = ann) => (await who.get<Fleet>('/api/web/w/north/fleet')).body
  const stream = await streamOf(service.origin + events, ann.cookie)
  await list()
  for (const label of ['one', 'two', 'three', 'four']) {
    await service.reports(mail.token, { state: { level: 'ok', label } })
    await list()
    await stream.frame((frame) => frame.rows.some((row) => row.label === label))
    expect((await list()).rows).toMatchObject([{ name: 'mail', label }])
  }
  await ann.send('POST', '/api/web/w/north/agents', { name: 'second' })
  expect((await list()).total).toBe(2)
  await ann.send('DELETE', '/api/web/w/north/agents/second')
  expect((await list()).total).toBe(1)
  let made = 0
  const read = service.live.fleet.read
  service.live.fleet.read = (id) => {
    made++
    return read(id)
  }
  const lists = await Promise.all(Array.from({ length: 20 }, (_, i) => list(i % 2 ? ann : bob)))
  expect(made).toBeLessThan(20)
  expect(new Set(lists.map(({ rows }) => JSON.stringify(rows))).size).toBe(1)
})

test('a person from another workspace is refused a list that others were just given', async () => {
  const { service, ann } = await newSetup()
  await service.workspace('south')
  const eve = await service.person('Eve', 'south', 'admin')
  const bob = await service.person('Bob', 'north', 'member')
  await streamOf(service.origin + events, ann.cookie)
  const all = await Promise.all([ann, eve, bob, eve, ann].map((who) => who.get('/api/web/w/north/fleet')))
  expect(all.map(({ status }) => status)).toEqual([200, 404, 200, 404, 200])
  const { members } = (await ann.get<{ members: { id: string; name: string }[] }>('/api/web/w/north/members')).body
  await ann.send('DELETE', `/api/web/w/north/members/${members.find(({ name }) => name === 'Bob')?.id}`)
  await ann.get('/api/web/w/north/fleet')
  expect((await bob.get('/api/web/w/north/fleet')).status).toBe(404)
})

test('a page that does not read is disconnected instead of being waited for; others are not affected', async () => {
  const { service, north, ann } = await newSetup({ tick: 1 })
  const many: Awaited<ReturnType<typeof service.agent>>[] = []
  for (let i = 0; i < 90; i++) many.push(await service.agent(north, `agent-${i}`))
  const stuck = await streamOf(service.origin + events, ann.cookie, { reads: false })
  const good = await streamOf(service.origin + events, ann.cookie)
  const detail = '\u{1f600}'.repeat(300)
  const state = { level: 'ok', label: '\u{1f600}'.repeat(80), detail }
  await Promise.all(many.map(({ token }) => service.reports(token, { state })))
  await good.frame()
  expect(service.live.size).toBe(2)
  const noisy = async () => {
    for (const { agent } of many) service.live.reported(north.id, agent.id)
    await good.frame((f) => f.rows.length === 90)
  }
  for (let i = 0; i < 2000 && service.live.size === 2; i++) await noisy()
  expect(service.live.size).toBe(1)
  await noisy()
  stuck.close()
})
