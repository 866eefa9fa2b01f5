/**
 * Tests every operation: who may call it, its line in the activity, which open pages it notifies, and what a second
 * call does.
 */
import { type Members, type NewTotp, type Operation, operations, type Session } from '@svc/api'
import { Secret, TOTP } from 'otpauth'
import { expect, test, vi } from 'vitest'
import { uploaded } from '../../../testing/bundles.ts'
import { type Browser, type Service, serve } from '../../../testing/page/service.ts'
import { addPasskey } from '../../../testing/passkeys.ts'
import { offering } from '../../../testing/service.ts'
import { ofBlueprint, serveRelease } from '../../../testing/wishes.ts'
import { judgeRule } from '../../alerts/rules/judge.ts'
import { defaultRule } from '../../alerts/rules/rules.ts'
import { scopeOf } from '../../alerts/scope.ts'
import { insertAlert } from '../../alerts/store.ts'
import { endWaiting } from '../../deliveries/settling.ts'
import { enqueueTest } from '../../deliveries/store.ts'
import { findPerson } from '../../people/accounts/store.ts'
import { insertConnection } from '../../people/factors/connections.ts'
import { newId } from '../../platform/ids.ts'
import { commandHelps } from '../../service/cli/main.ts'
import { boundOperations } from './all.ts'

interface OperationSetup {
  service: Service
  ann: Browser
  north: { id: string; slug: string }
  /** Makes an agent of the blueprint `mail` that has reported. */
  agent: (name: string) => Promise<{ id: string; token: string }>
  send: (method: string, path: string, body?: unknown) => Promise<{ id: string }>
}
/** The arguments of a call: the path's parameters without the workspace, and the body. */
interface Call {
  params?: Record<string, string>
  body?: unknown
}
const w = '/api/web/w/north'

async function start(): Promise<OperationSetup> {
  const service = await serve({ smtpUrl: 'smtp://127.0.0.1:1', hostname: 'localhost' })
  const north = await service.workspace('north')
  const place = { store: service.store, clock: { now: service.now, pass: service.pass }, workspace: north }
  const by = { id: null, name: 'operator' }
  for (const version of ['1.1.0', '1.2.0'])
    await uploaded({ db: service.store.db, by, now: service.now() }, north, { version })
  await serveRelease(place, '0.9.1')
  const ann = await service.person('Ann', 'north', 'admin')
  return {
    service,
    ann,
    north,
    async agent(name) {
      const { agent, token } = await service.agent(north, name)
      await ofBlueprint(place, agent, 'mail', '1.0.0')
      const applied = { version: '1.0.0', outcome: 'ok', message: 'installed' }
      await service.reports(token, { ...offering, applied, runtime: { version: '0.9.0' } })
      return { id: agent.id, token }
    },
    async send(method, path, body) {
      const answer = await ann.send<{ id: string }>(method, `${w}${path}`, body)
      if (answer.status > 299) throw new Error(`${method} ${path} was refused: ${answer.text}`)
      return answer.body
    },
  }
}

const member = async ({ service, ann }: OperationSetup, name: string): Promise<string> => {
  await service.person(name, 'north', 'member')
  const { members } = (await ann.get<Members>(`${w}/members`)).body
  return members.find((each) => each.name === name)?.id ?? ''
}

async function bot({ service, north }: OperationSetup): Promise<{ id: string; token: string }> {
  const { db } = service.store
  const [id, token, now] = [newId(service.now()), newId(service.now()), service.now()]
  const product = { id: 'tasks', origin: 'https://tasks.example', secret_hash: 'x', created_at: now }
  await db.insertInto('product').values(product).execute()
  const made = { id, workspace_id: north.id, product_id: 'tasks', name: 'clerk', role: 'editor', created_at: now }
  await db.insertInto('bot').values(made).execute()
  const { id: agent_id } = await db.selectFrom('agent').select('id').executeTakeFirstOrThrow()
  const good = { product_id: 'tasks', scopes: '[]', issued_at: now, expires_at: now + 1e9, revoked_at: null }
  const itsToken = { id: token, bot_id: id, agent_id, hash: 'y', last_used_at: null, ...good }
  await db.insertInto('bot_token').values(itsToken).execute()
  return { id, token }
}

const onAgent =
  (
    name: string,
    more: (setup: OperationSetup, agent: { id: string; token: string }) => Promise<Call> = async () => ({}),
  ) =>
  async (setup: OperationSetup): Promise<Call> => {
    const { params, body } = await more(setup, await setup.agent(name))
    return { params: { name, ...params }, body }
  }
const rollout = { kind: 'blueprint', blueprint: 'mail', version: '1.1.0' }
const startedRollout = (path?: string) => async (setup: OperationSetup) => {
  for (const name of ['first', 'second']) await setup.agent(name)
  const { id } = await setup.send('POST', '/rollouts', rollout)
  if (path) await setup.send('POST', `/rollouts/${id}/${path}`)
  return { params: { id } }
}

/** Lets an agent keep 1.1.0, which it watches then. Returns a function that reports this version. */
async function watches(
  { service, send }: OperationSetup,
  name: string,
  token: string,
): Promise<() => Promise<unknown>> {
  const reports = (version: string) => {
    const applied = { version, outcome: 'ok', message: 'kept' }
    return service.reports(token, { ...offering, agent: { version }, applied, runtime: { version: '0.9.0' } })
  }
  await send('PUT', `/agents/${name}/wishes/blueprint`, { version: '1.1.0' })
  for (const version of ['1.0.0', '1.1.0']) {
    await reports(version)
    await service.sweeps()
  }
  return () => reports('1.1.0')
}

const channel = { name: 'ops', kind: 'webhook', url: 'https://hooks.example.org/svc' }
const withChannel =
  (more: (setup: OperationSetup) => Promise<unknown> = async () => {}) =>
  async (setup: OperationSetup): Promise<Call> => {
    await setup.send('POST', '/channels', channel)
    await more(setup)
    return { params: { channel: 'ops' } }
  }

const mine = { name: 'my-email', kind: 'email', zone: 'Europe/Berlin' }
const withMine =
  (more: (setup: OperationSetup) => Promise<unknown> = async () => {}, body: object = {}) =>
  async (setup: OperationSetup): Promise<Call> => {
    await setup.send('POST', '/my-channels', mine)
    await more(setup)
    return { params: { channel: mine.name }, body }
  }

async function openAlert({ service, north }: OperationSetup): Promise<string> {
  const now = service.now()
  const about = { kind: 'workspace', id: north.id, name: 'north' } as const
  const holds = judgeRule({ ...defaultRule('silent'), after: 0 }, { is: 'holds' }, undefined, { now, muted: false })
  if (!holds.alert) throw new Error('No alert opened.')
  const row = await insertAlert(service.store.db, { scope: scopeOf(north), rule: 'silent', about }, holds.alert, now)
  return row?.id ?? ''
}

async function deadDelivery({ service }: OperationSetup): Promise<string> {
  const { db } = service.store
  const { id } = await db.selectFrom('alert_channel').select('id').executeTakeFirstOrThrow()
  const delivery = await enqueueTest(db, { channelId: id, workspace: 'north' }, service.now())
  await endWaiting(db, { why: 'restored' }, service.now())
  return delivery
}

/** Begins to add an authenticator app, and returns the code that it shows. */
async function beginFactor({ service, ann }: OperationSetup): Promise<string> {
  const { secret } = (await ann.send<NewTotp>('POST', '/api/web/factors/totp')).body
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: service.now() })
}
const addFactor = async (setup: OperationSetup) =>
  setup.ann.send('POST', '/api/web/factors/totp/confirm', { code: await beginFactor(setup) })

/**
 * For each operation that changes something, a function that prepares the objects it needs and returns the arguments of
 * a call that is allowed.
 */
const granted: Record<string, (setup: OperationSetup) => Promise<Call>> = {
  'POST /workspaces': async () => ({ body: { slug: 'mine', name: 'Mine' } }),
  'PATCH /me': async () => ({ body: { name: 'Ann Q' } }),
  'DELETE /sessions/:id': async ({ service, ann }) => {
    await service.signedIn('ann@example.org')
    const sessions = (await ann.get<Session[]>('/api/web/sessions')).body
    return { params: { id: sessions.find(({ current }) => !current)?.id ?? '' } }
  },
  'DELETE /sessions': async ({ service }) => {
    await service.signedIn('ann@example.org')
    return {}
  },
  'POST /factors/totp': async () => ({}),
  'POST /factors/totp/confirm': async (setup) => ({ body: { code: await beginFactor(setup) } }),
  'POST /factors/recovery': async (setup) => {
    await addFactor(setup)
    return {}
  },
  'DELETE /factors/passkeys/:id': async ({ ann, service }) => ({
    params: { id: (await addPasskey(ann, service.baseUrl)).stored },
  }),
  'DELETE /factors/oidc': async ({ service }) => {
    const ann = await findPerson(service.store.db, 'ann@example.org')
    const account = { issuer: 'https://login.example.org/', subject: 'ann', account: 'ann@example.org' }
    await insertConnection(service.store.db, ann?.id ?? '', account, service.now())
    return {}
  },
  'DELETE /factors/totp': async (setup) => {
    await addFactor(setup)
    return {}
  },
  'PATCH /w/:slug': async () => ({ body: { name: 'The north' } }),
  'DELETE /w/:slug': async () => ({}),
  'PATCH /w/:slug/members/:id': async (setup) => ({
    params: { id: await member(setup, 'Bob') },
    body: { role: 'admin' },
  }),
  'DELETE /w/:slug/members/:id': async (setup) => ({ params: { id: await member(setup, 'Bob') } }),
  'POST /w/:slug/invitations': async () => ({ body: { email: 'bob@example.org', role: 'member' } }),
  'DELETE /w/:slug/invitations/:id': async ({ send }) => {
    const { id } = await send('POST', '/invitations', { email: 'bob@example.org', role: 'member' })
    return { params: { id } }
  },
  'POST /w/:slug/invitations/:id/link': async ({ send }) => {
    const { id } = await send('POST', '/invitations', { email: 'bob@example.org', role: 'admin' })
    return { params: { id } }
  },
  'POST /w/:slug/agents': async () => ({ body: { name: 'made' } }),
  'PATCH /w/:slug/agents/:name': onAgent('old', async () => ({ body: { name: 'new' } })),
  'DELETE /w/:slug/agents/:name': onAgent('gone'),
  'POST /w/:slug/agents/:name/token': onAgent('one'),
  'POST /w/:slug/tags': onAgent('one', async () => ({ body: { agents: ['one'], add: ['eu'] } })),
  'POST /w/:slug/tags/preview': onAgent('one', async () => ({ body: { agents: ['one'] } })),
  'POST /w/:slug/agents/:name/commands': onAgent('one', async () => ({ body: { type: 'pause' } })),
  'POST /w/:slug/agents/:name/commands/:id/again': onAgent('one', async ({ send, service }, { token }) => {
    const { id } = await send('POST', '/agents/one/commands', { type: 'pause' })
    await service.reports(token, offering)
    await service.reports(token, { ...offering, acks: [{ id, ok: false, message: 'not now' }] })
    return { params: { id } }
  }),
  'PUT /w/:slug/views': async () => ({ body: { name: 'Bad ones', shared: true, q: 'level:bad' } }),
  'DELETE /w/:slug/views/:id': async ({ send }) => ({
    params: { id: (await send('PUT', '/views', { name: 'Bad ones', shared: true, q: 'level:bad' })).id },
  }),
  'POST /w/:slug/commands': onAgent('one', async () => ({ body: { agents: ['one'], type: 'pause' } })),
  'POST /w/:slug/actions': onAgent('one', async () => ({ body: { agents: ['one'], type: 'pause' } })),
  'POST /w/:slug/actions/offers': onAgent('one', async () => ({ body: { agents: ['one'], type: 'set' } })),
  'POST /w/:slug/actions/preview': onAgent('one', async () => ({ body: { agents: ['one'], type: 'pause' } })),
  'POST /w/:slug/actions/:id/retry': onAgent('one', async ({ send, service }) => {
    const { id } = await send('POST', '/actions', { agents: ['one'], type: 'pause' })
    await service.store.db.updateTable('command').set({ state: 'expired', due_at: null }).execute()
    return { params: { id } }
  }),
  'POST /w/:slug/actions/:id/cancel': onAgent('one', async ({ send }) => {
    const { id } = await send('POST', '/actions', { agents: ['one'], type: 'pause' })
    return { params: { id } }
  }),
  'PUT /w/:slug/agents/:name/wishes/blueprint': onAgent('one', async () => ({ body: { version: '1.1.0' } })),
  'DELETE /w/:slug/agents/:name/wishes/blueprint': onAgent('one', async ({ send }) => {
    await send('PUT', '/agents/one/wishes/blueprint', { version: '1.1.0' })
    return {}
  }),
  'POST /w/:slug/agents/:name/wishes/blueprint/now': onAgent('one', async (setup, { token }) => {
    const reports = await watches(setup, 'one', token)
    await setup.send('PUT', '/agents/one/wishes/blueprint', { version: '1.2.0' })
    await reports()
    return {}
  }),
  'POST /w/:slug/agents/:name/wishes/runtime': onAgent('one'),
  'DELETE /w/:slug/agents/:name/wishes/runtime': onAgent('one', async ({ send }) => {
    await send('POST', '/agents/one/wishes/runtime')
    return {}
  }),
  'DELETE /w/:slug/agents/:name/holds/runtime': onAgent('one', async ({ send, service }, { token }) => {
    await send('POST', '/agents/one/wishes/runtime')
    await service.reports(token, { ...offering, runtime: { version: '0.9.0' } })
    const applied = { version: '0.9.1', outcome: 'failed', message: 'the signature is wrong' }
    await service.reports(token, { ...offering, runtime: { version: '0.9.0', applied } })
    return {}
  }),
  'POST /w/:slug/wishes': onAgent('one', async () => ({ body: { kind: 'runtime', agents: ['one'] } })),
  'POST /w/:slug/rollouts': onAgent('one', async () => ({ body: rollout })),
  'POST /w/:slug/rollouts/preview': onAgent('one', async () => ({ body: rollout })),
  'POST /w/:slug/rollouts/:id/pause': startedRollout(),
  'POST /w/:slug/rollouts/:id/continue': async (setup) => ({ ...(await startedRollout('pause')(setup)), body: {} }),
  'POST /w/:slug/rollouts/:id/now': async (setup) => {
    const { token } = await setup.agent('one')
    const reports = await watches(setup, 'one', token)
    const { id } = await setup.send('POST', '/rollouts', { ...rollout, version: '1.2.0' })
    await reports()
    return { params: { id }, body: {} }
  },
  'POST /w/:slug/rollouts/:id/cancel': async (setup) => ({ ...(await startedRollout()(setup)), body: {} }),
  'POST /w/:slug/alerts/:id/acknowledge': async (setup) => ({ params: { id: await openAlert(setup) }, body: {} }),
  'POST /w/:slug/alerts/acknowledge': async (setup) => ({ body: { ids: [await openAlert(setup)] } }),
  'POST /w/:slug/mutes': async () => ({ body: { seconds: 3600 } }),
  'DELETE /w/:slug/mutes/:id': async ({ send }) => ({
    params: { id: (await send('POST', '/mutes', { seconds: 3600 })).id },
  }),
  'PATCH /w/:slug/rules': async () => ({ body: { rule: 'silent', after: 60 } }),
  'PATCH /w/:slug/alert-settings': async () => ({ body: { detail: true } }),
  'PUT /w/:slug/agents/:name/hours': onAgent('one', async () => ({ body: { hours: 'Mon-Fri 08:00-19:00 UTC' } })),
  'POST /w/:slug/channels': async () => ({ body: channel }),
  'POST /w/:slug/channels/:channel/test': withChannel(async ({ service }) => {
    // The secret of the channel is made unreadable, so that no receiver is called and the test message fails at once.
    await service.store.db.updateTable('alert_channel').set({ sealed: '' }).execute()
  }),
  'POST /w/:slug/channels/:channel/enable': withChannel(({ send }) => send('POST', '/channels/ops/disable')),
  'POST /w/:slug/channels/:channel/disable': withChannel(),
  'DELETE /w/:slug/channels/:channel': withChannel(),
  'POST /w/:slug/my-channels': async () => ({ body: mine }),
  'PATCH /w/:slug/my-channels/:channel': withMine(undefined, { pace: 'daily' }),
  'POST /w/:slug/my-channels/:channel/test': withMine(async ({ service }) => {
    await service.store.db.updateTable('alert_channel').set({ sealed: '' }).execute()
  }),
  'DELETE /w/:slug/my-channels/:channel': withMine(),
  'POST /w/:slug/deliveries/:id/retry': async (setup) => {
    await withChannel()(setup)
    return { params: { id: await deadDelivery(setup) } }
  },
  'DELETE /w/:slug/blueprints/:blueprint/versions/:version': async () => ({
    params: { blueprint: 'mail', version: '1.1.0' },
  }),
  'POST /w/:slug/codes': async () => ({ body: { blueprint: 'mail', version: '1.1.0' } }),
  'DELETE /w/:slug/codes/:id': async ({ send }) => {
    const { id } = await send('POST', '/codes', { blueprint: 'mail', version: '1.1.0' })
    return { params: { id } }
  },
  'POST /w/:slug/bots/:id/revoke': onAgent('one', async (setup) => ({ params: { id: (await bot(setup)).id } })),
  'POST /w/:slug/bots/:id/tokens/:token/revoke': onAgent('one', async (setup) => ({ params: await bot(setup) })),
  'DELETE /w/:slug/bots/:id': onAgent('one', async (setup) => ({ params: { id: (await bot(setup)).id } })),
}

const mounted = operations.filter(({ manual }) => manual === undefined)
const changing = mounted.filter(({ change }) => change !== undefined)
const methodOf = ({ route }: Operation) => route.slice(0, route.indexOf(' '))
const pathOf = ({ route }: Operation, params: Record<string, string> = {}, slug = 'north') =>
  `/api/web${route.slice(route.indexOf(' ') + 1)}`.replace(/:(\w+)/g, (_, name) =>
    name === 'slug' ? slug : (params[name] ?? 'x'),
  )
const sends = (who: Browser, operation: Operation, { params, body }: Call, slug?: string) =>
  who.send<{ error?: { code: string } }>(
    methodOf(operation),
    pathOf(operation, params, slug),
    methodOf(operation) === 'GET' ? undefined : (body ?? {}),
  )

test('every operation is bound to a function exactly once, or is listed as an exception', async () => {
  const routes = (all: readonly Operation[]) => all.map(({ route }) => route).sort()
  expect(routes(boundOperations.map(({ operation }) => operation))).toEqual(routes(mounted))
  expect(Object.keys(granted).sort()).toEqual(routes(changing))
})

/** Routes of the page that are not operations, each with the reason. */
const otherRoutes: Readonly<Record<string, string>> = {
  'POST /api/auth/sign-in/email':
    'an address of the accounts library: it counts tries and sets cookies, without any right',
  'GET /api/web/oidc/start': 'a navigation of a browser to the sign-in provider',
  'GET /api/web/oidc/callback': 'a navigation of a browser from the sign-in provider; it needs no right but its cookie',
  'POST /api/auth/sign-out': 'an address of the accounts library: it ends the session whose cookie it gets',
}

test('every route of the page is an operation, or is listed with the reason why it is not', async () => {
  const { app } = await serve({ smtpUrl: 'smtp://127.0.0.1:1' })
  const onListener = 'GET /api/web/w/:slug/events' // The listener handles this route without the router (sse.ts).
  const served = app.routes
    .filter(({ method, path }) => method !== 'ALL' && path.startsWith('/api/'))
    .map(({ method, path }) => `${method} ${path.replace(/\/$/, '')}`)
  const described = operations.map(({ route }) => route.replace(' ', ' /api/web'))
  expect([...new Set([...served, onListener])].sort()).toEqual([...described, ...Object.keys(otherRoutes)].sort())
})

const operatorsOnly = 'only the operator may: it is about the service, or about accounts and products of all workspaces'
const ownTable = 'it prints other columns than the page shows'
/** Commands of `svc-server` that are not operations, each with the reason. */
const otherCommands: Readonly<Record<string, string>> = {
  start: 'it runs the service',
  restore: 'it runs while no service does',
  move: 'it runs while no service does',
  mcp: 'it answers an assistant with operations of its own (operator/commands/assistant.ts)',
  'database status': operatorsOnly,
  'database accept': operatorsOnly,
  backup: 'it writes a file on the machine of the service',
  'audit list': 'only the operator may: it lists the activity of all workspaces',
  'secret adopt': operatorsOnly,
  'release add': operatorsOnly,
  'release list': operatorsOnly,
  'product add': operatorsOnly,
  'product list': operatorsOnly,
  'product remove': operatorsOnly,
  'workspace create': 'it activates the workspace, which only the operator may, and needs no member',
  'workspace list': operatorsOnly,
  'workspace limit': operatorsOnly,
  'workspace require-factor': 'it is a part of PATCH /w/:slug, by which the page also renames a workspace',
  'workspace activate': operatorsOnly,
  'workspace deactivate': operatorsOnly,
  'person create': operatorsOnly,
  'person list': operatorsOnly,
  'person reset': operatorsOnly,
  'person disable': operatorsOnly,
  'person enable': operatorsOnly,
  'person delete': operatorsOnly,
  'person operator': operatorsOnly,
  'person reset-factor': operatorsOnly,
  link: operatorsOnly,
  'member invite': 'the operator is no member, so the invitation is another kind of row',
  'member add': 'only the operator may: on the page somebody is invited',
  'agent list': ownTable,
  'agent show': ownTable,
  'blueprint upload': 'it reads a file beside the person who types it; the function is that of the page',
}

test('every command of svc-server is an operation, or is listed with the reason why it is not', () => {
  const described = operations.flatMap(({ command }) => (command ? [command.name] : []))
  expect(Object.keys(commandHelps).sort()).toEqual([...described, ...Object.keys(otherCommands)].sort())
})

test('every operation needs a sign-in, members cannot call those of admins, and other workspaces do not seem to exist', async () => {
  const { service } = await start()
  const carol = await service.person('Carol', 'north', 'member')
  await service.workspace('south')
  const eve = await service.person('Eve', 'south', 'admin')
  for (const operation of mounted) {
    const { route, right } = operation
    const refused = async (who: Browser) => (await sends(who, operation, {})).body?.error?.code
    expect([route, await refused(service.browser())]).toEqual([route, 'sign_in_needed'])
    if (right === 'admin') expect([route, await refused(carol)]).toEqual([route, 'not_allowed'])
    if (right !== 'person') expect([route, await refused(eve)]).toEqual([route, 'workspace_unknown'])
  }
})

test.each(changing.map((operation) => [operation.route, operation] as const))(
  '%s does what its description says: it writes its line in the activity and notifies open pages',
  async (route, operation) => {
    const setup = await start()
    const { service, ann, north } = setup
    await service.workspace('south')
    const eve = await service.person('Eve', 'south', 'admin')
    const call = await (granted[route] as (setup: OperationSetup) => Promise<Call>)(setup)
    if (/:slug.*:/.test(route))
      expect([route, (await sends(eve, operation, call, 'south')).status]).toEqual([route, 404])
    const lines = () => service.store.db.selectFrom('audit').select(['id', 'action']).execute()
    const before = new Set((await lines()).map(({ id }) => id))
    const heard = new Set<string>()
    const { live } = service
    vi.spyOn(live, 'listChanged').mockImplementation((id) => void (id === north.id && heard.add('list')))
    vi.spyOn(live, 'alertsChanged').mockImplementation((id) => void (id === north.id && heard.add('alerts')))
    vi.spyOn(live, 'changed').mockImplementation((id) => void (id === north.id && heard.add('agent')))
    vi.spyOn(live, 'reported').mockImplementation((id) => void (id === north.id && heard.add('report')))
    vi.spyOn(live, 'rightsChanged').mockImplementation(async () => void heard.add('rights'))
    const answer = await sends(ann, operation, call)
    expect([answer.status, answer.text]).toEqual([operation.status, answer.text])
    const written = (await lines()).filter(({ id }) => !before.has(id)).map(({ action }) => action)
    const { audit, pages, again } = operation.change ?? { audit: { none: '' }, pages: { none: '' }, again: 'new' }
    if ('none' in audit) expect(written).toEqual([])
    else {
      expect(written.length).toBeGreaterThan(0)
      expect(written.filter((action) => !audit.includes(action))).toEqual([])
    }
    if (!('none' in pages)) expect([...heard].sort()).toEqual([...pages].sort())
    vi.restoreAllMocks()
    const sofar = (await lines()).length
    const second = await sends(ann, operation, call)
    expect([again, second.status > 299 ? 'refused' : 'done', second.text]).toEqual([
      again,
      again === 'refused' ? 'refused' : 'done',
      second.text,
    ])
    const more = (await lines()).length - sofar
    if (again !== 'new') expect([route, again, more]).toEqual([route, again, 0])
  },
)
