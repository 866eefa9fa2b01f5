/**
 * For tests: an input of every operation that takes a text, and a service in which these inputs are accepted. A new
 * operation with a text fails in the tests that use this until it has a row.
 */
import { type Operation, operations } from '@svc/api'
import { expect } from 'vitest'
import { newId } from '../src/platform/ids.ts'
import { alertRow } from './alert-row.ts'
import { type TextAt, textsIn, withValue } from './forms.ts'
import type { Service } from './page/service.ts'
import { offering } from './service.ts'

const w = '/api/web/w/north'
/**
 * For each route an input that is accepted, or that is refused only after its texts were read. The path may name the
 * agent `one`, or an alert as `ALERT`.
 */
export const inputs: Readonly<Record<string, { path?: string; input: object }>> = {
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
export const neverStored = [
  'POST /password',
  'POST /start',
  'POST /claim',
  'POST /link',
  'POST /forgot',
  'POST /proof',
  'POST /second-factor',
  'POST /factors/totp/confirm',
  'POST /factors/passkeys',
  'POST /passkey',
  'POST /invitations/:id',
]

export const takingText: readonly Operation[] = operations.filter(
  ({ change, input }) => change && input && textsIn(input.form).length > 0,
)
/** The operations that take something in the query of an address. */
export const takingQuery: readonly Operation[] = operations.filter(({ input }) => input?.form.is === 'query')

export async function textWorld(service: Service) {
  const north = await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const { agent, token } = await service.agent(north, 'one')
  await service.reports(token, offering)
  const now = service.now()
  const alert = newId(now)
  await service.store.db
    .insertInto('alert')
    .values(alertRow(north, agent, { id: alert, told: 'nothing' }))
    .execute()
  /** Sends an input with another text in one place, to an alert that nobody has acknowledged. */
  const send = async (operation: Operation, at: TextAt['path'], text: string) => {
    if (operation.route.endsWith('/acknowledge'))
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

/** The request of an operation with its input. */
export const requestOf = ({ route }: Operation, alert: string) => {
  const [method = '', path = ''] = route.split(' ')
  const { path: named, input } = inputs[route] ?? { input: {} }
  const sent = (named ?? `/api/web${path.replace(':slug', 'north')}`).replace('ALERT', alert)
  return { method, path: sent, input }
}
