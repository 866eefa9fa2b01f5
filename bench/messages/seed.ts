/** Adds workspaces, people, channels and messages to the database of a service that is being measured. */
import { createECDH, randomBytes } from 'node:crypto'
import type { ChannelKind } from '@svc/api'
import type { AlertChange } from '../../packages/server/src/alerts/messages/message.ts'
import { newSigningSecret } from '../../packages/server/src/deliveries/channels/webhook.ts'
import { enqueueDeliveries } from '../../packages/server/src/deliveries/store.ts'
import { secretOf } from '../../packages/server/src/platform/data-folder.ts'
import type { Store } from '../../packages/server/src/platform/db/open.ts'
import { seal, sealKeyOf } from '../../packages/server/src/platform/seal.ts'
import { addToWorkspace, addWorkspace } from '../../packages/server/testing/test-workspace.ts'
import type { Service } from '../common/service.ts'
import type { Receivers } from './receivers.ts'

/** A service that is being measured, and what its measurement needs. */
export interface Scene {
  service: Service
  /** The database of the service. It is used only while the service is stopped: on SQLite, one process may write. */
  store: Store
  /** The e-mail address of the admin of all workspaces. */
  person: string
  receivers: Receivers
}

/** The kinds of channels that the measurement has receivers for. */
export type MeasuredChannel = Extract<ChannelKind, 'email' | 'webhook' | 'push'>

const browser = createECDH('prime256v1')
const subscription = JSON.stringify({
  p256dh: browser.generateKeys('base64url'),
  auth: randomBytes(16).toString('base64url'),
})

/** Adds a workspace with this short name, of which the person of the scene is an admin. */
export async function addOwnWorkspace({ store, person }: Scene, slug: string): Promise<{ id: string; slug: string }> {
  const now = Date.now()
  const workspace = await addWorkspace(store, slug, true, now)
  const { id } = (await store.db
    .selectFrom('user')
    .select('id' as never)
    .where('email' as never, '=', person as never)
    .executeTakeFirstOrThrow()) as { id: string }
  await addToWorkspace(store, { workspaceId: workspace.id, userId: id, role: 'admin' }, now)
  return workspace
}

/** Adds a channel of a workspace. `to` is an e-mail address, or the address of a receiver. */
export async function addChannel(
  { service, store }: Scene,
  id: string,
  { kind, workspace, to }: { kind: MeasuredChannel; workspace: string; to: string },
): Promise<void> {
  const address = {
    email: { to },
    webhook: { url: to, secret: newSigningSecret() },
    push: { url: to, secret: subscription },
  }[kind]
  await store.db
    .insertInto('alert_channel')
    .values({
      ...{ id, scope: workspace, workspace_id: workspace, owner: '', name: id, kind, format: 'single', enabled: 1 },
      ...{ shown: '', created_at: Date.now(), created_by_name: 'bench', dead: 0 },
      sealed: seal(sealKeyOf(secretOf(service.dataDir)), id, JSON.stringify(address)),
    })
    .execute()
}

/** Queues a message about an alert for a channel, due at this time. */
export function addMessage({ store }: Scene, channel: string, alert: string, now: number): Promise<void> {
  const change: AlertChange = {
    ...{ type: 'alert.opened', at: now, id: alert, workspace: 'north', rule: 'bad', level: 'bad', since: now },
    ...{ subject: { kind: 'agent', name: 'mail-triage' }, endedAt: null, label: 'Disk full', detail: null },
    ...{ agents: null, acknowledgedBy: null, note: null, url: 'https://svc.example.org/w/north' },
  }
  return enqueueDeliveries(store.db, [{ id: channel, format: 'single', grouped_at: null }], change, now)
}
