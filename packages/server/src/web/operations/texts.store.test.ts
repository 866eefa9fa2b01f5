/**
 * Sends odd and long texts to every operation, as the forms of their readers say, and reads all lists afterwards. A new
 * operation with a text fails here until it has a row in `inputs`.
 */
import { type Operation, operations } from '@svc/api'
import { expect, test } from 'vitest'
import { type TextAt, textsIn, withValue } from '../../../testing/forms.ts'
import { type Browser, type Service, serve } from '../../../testing/page/service.ts'
import { offering } from '../../../testing/service.ts'
import { openTestPostgres, openTestSqlite } from '../../../testing/stores.ts'
import { newId } from '../../platform/ids.ts'
import { maxListBytes } from '../routing/bounded.ts'

const w = '/api/web/w/north'
/** For each route an input that is accepted, or only judged after its texts. The path may name `one` or an alert. */
const inputs: Readonly<Record<string, { path?: string; input: object }>> = {
  'PATCH /me': { input: { name: 'Ann' } },
  'POST /workspaces': { input: { slug: 'south', name: 'South' } },
  'PATCH /w/:slug': { input: { name: 'North' } },
  'POST /w/:slug/invitations': { input: { email: 'bob@example.org', role: 'member' } },
  'POST /w/:slug/agents': { input: { name: 'two', tags: ['eu'] } },
  'PATCH /w/:slug/agents/:name': { path: `${w}/agents/one`, input: { name: 'one' } },
  'PUT /w/:slug/agents/:name/hours': { path: `${w}/agents/one/hours`, input: { hours: null } },
  'PUT /w/:slug/agents/:name/wishes/blueprint': {
    path: `${w}/agents/one/wishes/blueprint`,
    input: { version: '1.0.0' },
  },
  'POST /w/:slug/tags': { input: { agents: ['one'], add: ['eu'], remove: [] } },
  'POST /w/:slug/tags/preview': { input: { agents: ['one'], add: ['eu'], remove: [] } },
  'PUT /w/:slug/views': { input: { name: 'Bad', q: 'level:bad' } },
  'POST /w/:slug/commands': { input: { agents: ['one'], type: 'pause' } },
  'POST /w/:slug/actions': { input: { type: 'set', agents: ['one'], values: { every: 5 }, filter: 'level:bad' } },
  'POST /w/:slug/actions/preview': { input: { type: 'set', agents: ['one'], values: { every: 5 }, filter: 'bad' } },
  'POST /w/:slug/actions/offers': { input: { type: 'set', agents: ['one'] } },
  'POST /w/:slug/alerts/:id/acknowledge': { path: `${w}/alerts/ALERT/acknowledge`, input: { note: 'Looking' } },
  'POST /w/:slug/alerts/acknowledge': { input: { ids: ['ALERT'], note: 'Looking' } },
  'POST /w/:slug/mutes': { input: { agent: 'one', rule: 'item', item: 'Job backup', seconds: 60 } },
  'PATCH /w/:slug/rules': { input: { rule: 'run_failed', statuses: ['failed'], channels: null } },
  'POST /w/:slug/channels': {
    input: { name: 'hook', kind: 'webhook', url: 'https://hooks.example.org/svc', format: 'single' },
  },
  'POST /w/:slug/my-channels': { input: { name: 'mine', kind: 'email', zone: 'UTC' } },
  'PATCH /w/:slug/my-channels/:channel': {
    path: `${w}/my-channels/mine`,
    input: { quiet: { days: [1], from: '22:00', to: '06:00' }, zone: 'UTC' },
  },
  'POST /w/:slug/rollouts': { input: { kind: 'runtime', agents: ['one'], waves: ['1'], end: [] } },
  'POST /w/:slug/rollouts/preview': { input: { kind: 'runtime', agents: ['one'], waves: ['1'], end: [] } },
  'POST /w/:slug/wishes': { input: { kind: 'blueprint', agents: ['one'], blueprint: 'mail', version: null } },
  'POST /w/:slug/codes': { input: { blueprint: 'mail', version: '1.0.0', agent: 'three', tags: ['eu'] } },
}
/** Operations whose texts are never stored: codes, passwords and links are compared, or only a hash is stored. */
const neverStored = [
  'POST /password',
  'POST /start',
  'POST /claim',
  'POST /link',
  'POST /forgot',
  'POST /proof',
  'POST /second-factor',
  'POST /factors/totp/confirm',
  'POST /invitations/:id',
]

const taking = operations.filter(({ change, input }) => change && input && textsIn(input.form).length > 0)

test('every operation that takes a text has an input here', () => {
  const routes = taking.map(({ route }) => route as string)
  expect([...Object.keys(inputs), ...neverStored].sort()).toEqual(routes.sort())
})

test('every text and every list of an input has a bound that is far below that of the body', () => {
  for (const { route, input } of taking)
    for (const { form } of textsIn(input?.form ?? { is: 'flag' }))
      expect([route, form.max]).toEqual([route, expect.toSatisfy((max) => max <= 4000)])
})

const lists = operations
  .filter(({ route, manual }) => manual === undefined && /^GET \/(w\/:slug\/[^:]*|me|sessions|w\/:slug)$/.test(route))
  .map(({ route }) => `/api/web${route.slice(4).replace(':slug', 'north')}`)
const ofAgent = ['', '/commands', '/alerts', '/updates'].map((path) => `${w}/agents/one${path}`)

async function world(service: Service) {
  const north = await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const { agent, token } = await service.agent(north, 'one')
  await service.reports(token, offering)
  const now = service.now()
  const alert = newId(now)
  await service.store.db
    .insertInto('alert')
    .values({
      ...{ id: alert, scope: north.id, workspace_id: north.id, rule: 'bad', level: 'bad', phase: 'open' },
      ...{ subject_kind: 'agent', subject_id: agent.id, subject_name: 'one', phase_since: now, since: now },
      ...{ openings: '[]', opened_at: now, told: 'nothing', reminders: 0, frozen: 0, muted: 0, version: 1 },
    })
    .execute()
  /** Sends an input with another text in one place, to an alert that nobody has acknowledged. */
  const send = async (operation: Operation, at: TextAt['path'], text: string) => {
    await service.store.db.updateTable('alert').set({ acknowledged_at: null }).execute()
    const { method, path, input } = requestOf(operation, alert)
    const { status } = await ann.send(method, path, withValue(input, at, text))
    expect([operation.route, at, text.slice(0, 10), status < 500]).toEqual([
      operation.route,
      at,
      text.slice(0, 10),
      true,
    ])
  }
  return { ann, send }
}

const requestOf = ({ route }: Operation, alert: string) => {
  const [method = '', path = ''] = route.split(' ')
  const { path: named, input } = inputs[route] ?? { input: {} }
  const sent = (named ?? `/api/web${path.replace(':slug', 'north')}`).replace('ALERT', alert)
  return { method, path: sent, input }
}

/** The answers of all lists afterwards. */
async function given(ann: Browser): Promise<{ path: string; text: string }[]> {
  const all: { path: string; text: string }[] = []
  for (const path of [...lists, ...ofAgent]) all.push({ path, text: (await ann.get(`${path}?all=true`)).text })
  return all
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: that they are not there is what is tested
const odd = /\\u0000|\\u001b|\\u009b|\\u0085|\\ud83d|[\u0000\u001b\u0085\u009b]|\p{Bidi_Control}/iu
const oddTexts = ['a\0b', 'a\u001b[31m\u009b\u0085b', 'a\ud83db', 'a\u202e\u2066\u200fb']

test.each([
  ['SQLite', openTestSqlite, oddTexts],
  ['PostgreSQL', openTestPostgres, oddTexts.slice(0, 3)],
] as const)(
  'odd texts that people send are refused or cleaned, and never come back as they were (%s)',
  async (_engine, open, texts) => {
    const service = await serve({ postgres: await open() })
    const { ann, send } = await world(service)
    for (const operation of taking.filter(({ route }) => route in inputs)) {
      for (const { path } of textsIn(operation.input?.form ?? { is: 'flag' }))
        for (const text of texts) await send(operation, path, text)
    }
    for (const { path, text } of await given(ann)) expect([path, odd.exec(text)?.[0]]).toEqual([path, undefined])
    expect(service.errors).toEqual([])
  },
)

test('however long the texts are that people send, no list is larger than 1 MB', async () => {
  const service = await serve()
  const { ann, send } = await world(service)
  for (const operation of taking.filter(({ route }) => route in inputs)) {
    for (const { path, form } of textsIn(operation.input?.form ?? { is: 'flag' }))
      await send(operation, path, '漢'.repeat(form.max))
  }
  const values = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [`${i}`.padStart(200, '漢'), '漢'.repeat(2000)]),
  )
  for (let i = 0; i < 10; i++)
    expect((await ann.send('POST', `${w}/actions`, { type: 'set', agents: ['one'], values })).status).toBe(201)
  for (const path of [...lists, ...ofAgent, `${w}/actions?limit=100`]) {
    const { text } = await ann.get(path)
    expect([path, Buffer.byteLength(text) <= maxListBytes]).toEqual([path, true])
  }
  expect(service.errors).toEqual([])
})

const wrongActions: Readonly<Record<string, object>> = {
  'a text of 1.9 MB': { type: 'set', values: { t: 'x'.repeat(1_900_000) } },
  'a text of 2,001 characters': { type: 'set', values: { t: 'x'.repeat(2001) } },
  'a list': { type: 'set', values: { t: ['x'] } },
  'an object': { type: 'set', values: { t: { x: 1 } } },
  '101 settings': { type: 'set', values: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`k${i}`, 1])) },
  'a name of 201 characters': { type: 'set', values: { ['k'.repeat(201)]: 1 } },
  'a name with a control character': { type: 'set', values: { 'a\u0007': 1 } },
  'no name': { type: 'set', values: { '': 1 } },
  'a log with a name of 191 characters': { type: 'log', values: { name: 'l'.repeat(191) } },
  'a log with a name with ESC': { type: 'log', values: { name: 'l\u001b' } },
}
test('an action that no agent can offer is refused before anything is stored', async () => {
  const service = await serve()
  const { ann } = await world(service)
  for (const [what, action] of Object.entries(wrongActions)) {
    const sent = { agents: ['one'], ...action }
    expect([what, (await ann.send('POST', `${w}/actions`, sent)).status]).toEqual([what, 400])
    expect([what, (await ann.send('POST', `${w}/actions/preview`, sent)).status]).toEqual([what, 400])
  }
  expect((await ann.get<{ rows: unknown[] }>(`${w}/actions`)).body.rows).toEqual([])
})
