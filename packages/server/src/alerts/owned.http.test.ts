/** Tests what members see of channels, and that nobody reaches the personal channels of somebody else. */
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { mailbox } from '../../../../testing/mailbox.ts'
import { serve } from '../../testing/page/service.ts'
import { newId } from '../platform/ids.ts'

async function newSetup() {
  const { url } = await mailbox()
  const service = await serve({ smtpUrl: url })
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const bob = await service.person('Bob', 'north', 'member')
  return { service, ann, bob }
}

const whole = {
  webhook: { kind: 'webhook', url: 'https://example.org/a/secret-path?token=1' },
  ntfy: { kind: 'ntfy', url: 'https://ntfy.example.org/secret-topic' },
  gotify: { kind: 'gotify', url: 'https://gotify.example.org/secret', secret: 'tok' },
  matrix: { kind: 'matrix', url: 'https://matrix.example.org', to: '!secret:example.org', secret: 'tok' },
  telegram: { kind: 'telegram', to: '-1secret', secret: '1:abc' },
  pushover: { kind: 'pushover', to: 'secret', secret: 'tok' },
  slack: { kind: 'slack', url: 'https://hooks.slack.com/services/secret' },
  email: { kind: 'email', to: 'secret@example.org' },
}
const hosts = {
  email: null,
  gotify: 'https://gotify.example.org/…',
  matrix: 'https://matrix.example.org/…',
  ntfy: 'https://ntfy.example.org/…',
  pushover: null,
  slack: 'https://hooks.slack.com/…',
  telegram: null,
  webhook: 'https://example.org/…',
}

test('members see kind, name, host and state of channels, and nothing that a receiver said', async () => {
  const { service, ann, bob } = await newSetup()
  for (const [name, wanted] of Object.entries(whole))
    expect((await ann.send('POST', '/api/web/w/north/channels', { name, ...wanted })).status).toBe(201)
  const said = { last_answer: '410: secret', disabled_why: 'The receiver is gone (410: secret).', enabled: 0 }
  await service.store.db.updateTable('alert_channel').set(said).execute()
  type Rows = { name: string; address: string | null; disabledBecause: string | null; lastAnswer: string | null }[]
  const seen = (await bob.get<Rows>('/api/web/w/north/channels')).body
  expect(Object.fromEntries(seen.map(({ name, address }) => [name, address]))).toEqual(hosts)
  expect(seen[0]).toMatchObject({ lastAnswer: null, disabledBecause: 'Messages to it could not be delivered.' })
  for (const path of ['channels', 'rules', 'alerts', 'alerts/lines', 'activity', 'mutes', 'my-channels', '']) {
    const { status, body } = await bob.get(`/api/web/w/north${path && `/${path}`}`)
    expect(status).toBe(200)
    expect(JSON.stringify(body), path).not.toContain('secret')
  }
  expect((await bob.get('/api/web/w/north/deliveries')).status).toBe(403)
  expect(JSON.stringify((await ann.get('/api/web/w/north/channels')).body)).toContain('410: secret')
})

test('a person sees their own channel whole', async () => {
  const { service, bob } = await newSetup()
  const own = { name: 'me', kind: 'email', zone: 'UTC' }
  expect((await bob.send('POST', '/api/web/w/north/my-channels', own)).status).toBe(201)
  await service.store.db.updateTable('alert_channel').set({ last_answer: '250: kept' }).execute()
  expect((await bob.get('/api/web/w/north/my-channels')).body).toMatchObject([
    { address: 'bob@example.org', lastAnswer: '250: kept' },
  ])
})

test('an admin reaches neither the personal channel of a member nor its deliveries', async () => {
  const { service, ann, bob } = await newSetup()
  const own = { name: 'me', kind: 'email', zone: 'UTC' }
  await bob.send('POST', '/api/web/w/north/my-channels', own)
  const { db } = service.store
  const channel = await db.selectFrom('alert_channel').select('id').executeTakeFirstOrThrow()
  const id = newId(service.now())
  const row = {
    id,
    channel_id: channel.id,
    kind: 'alert' as const,
    changes: '[]',
    body: null,
    tries: 1,
    leased_until: null,
  }
  const times = {
    created_at: service.now(),
    due_at: null,
    ended_at: service.now(),
    state: 'dead' as const,
    last_answer: null,
  }
  await db
    .insertInto('alert_delivery')
    .values({ ...row, ...times })
    .execute()
  const asked = [
    ['POST', `deliveries/${id}/retry`],
    ['POST', 'channels/me/test'],
    ['POST', 'channels/me/enable'],
    ['POST', 'channels/me/disable'],
    ['DELETE', 'channels/me'],
    ['POST', 'my-channels/me/test'],
    ['PATCH', 'my-channels/me'],
    ['DELETE', 'my-channels/me'],
  ] as const
  for (const [method, path] of asked)
    expect((await ann.send(method, `/api/web/w/north/${path}`, {})).status, path).toBe(404)
  expect(await db.selectFrom('alert_delivery').select('state').execute()).toEqual([{ state: 'dead' }])
})

const hook = { name: 'new', kind: 'webhook', url: 'https://example.org/new' }
const mail = { name: 'new', kind: 'email', zone: 'UTC' }
/**
 * The answers to an admin, to the member who owns the channel `me`, to another member, and to a person who is not in
 * the workspace. `ops` is a channel of the workspace.
 */
const rights: readonly [request: string, body: object | undefined, [number, number, number, number]][] = [
  ['GET channels', undefined, [200, 200, 200, 404]],
  ['POST channels', hook, [201, 403, 403, 404]],
  ['POST channels/ops/test', {}, [200, 403, 403, 404]],
  ['POST channels/ops/disable', {}, [200, 403, 403, 404]],
  ['POST channels/ops/enable', {}, [200, 403, 403, 404]],
  ['GET deliveries', undefined, [200, 403, 403, 404]],
  ['GET my-channels', undefined, [200, 200, 200, 404]],
  ['POST my-channels', mail, [201, 201, 201, 404]],
  ['PATCH my-channels/me', { pace: 'daily' }, [404, 200, 404, 404]],
  ['POST my-channels/me/test', {}, [404, 200, 404, 404]],
  ['POST channels/me/test', {}, [404, 403, 403, 404]],
  ['POST channels/me/disable', {}, [404, 403, 403, 404]],
  ['DELETE channels/me', {}, [404, 403, 403, 404]],
  ['POST my-channels/ops/test', {}, [404, 404, 404, 404]],
  ['DELETE my-channels/ops', {}, [404, 404, 404, 404]],
  ['DELETE my-channels/me', {}, [404, 200, 404, 404]],
  ['DELETE channels/ops', {}, [200, 403, 403, 404]],
]

test('who sees and changes what of the channels of a workspace and of a person', async () => {
  const { service, ann, bob } = await newSetup()
  const eve = await service.person('Eve', 'north', 'member')
  await service.workspace('south')
  const dan = await service.person('Dan', 'south', 'admin')
  await ann.send('POST', '/api/web/w/north/channels', { ...hook, name: 'ops' })
  await bob.send('POST', '/api/web/w/north/my-channels', { ...mail, name: 'me' })
  for (const [request, body, statuses] of rights) {
    const [method = '', path = ''] = request.split(' ')
    const given: number[] = []
    for (const person of [ann, bob, eve, dan])
      given.push((await person.send(method, `/api/web/w/north/${path}`, body)).status)
    expect(given, request).toEqual(statuses)
  }
})

/** The files that find channels or deliveries without an owner, because no person asks. */
const withoutOwner = [
  'alerts/changes/channels.ts',
  'alerts/evaluation/heartbeat.ts',
  'alerts/changes/listing.ts',
  'alerts/changes/deliveries.ts',
  'alerts/changes/personal.ts',
  'alerts/messages/recipients.ts',
  'people/workspaces/delete.ts',
  'service/ops/alert-metrics.ts',
  'web/queries/alerts.ts',
]

test('every other query of channels and deliveries names the owner', () => {
  const folder = new URL('..', import.meta.url).pathname
  const files = globSync('**/*.ts', { cwd: folder })
    .filter((file) => !/test\.ts$|^deliveries\/|^platform\/db\/|^alerts\/owned\.ts$/.test(file))
    .filter((file) => /selectFrom\('alert_(channel|delivery)'\)/.test(readFileSync(`${folder}${file}`, 'utf8')))
  expect(files.sort()).toEqual([...withoutOwner].sort())
})
