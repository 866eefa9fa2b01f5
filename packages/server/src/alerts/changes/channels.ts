/**
 * The channels to which alerts are sent: people add, test, enable, disable and remove them. The secrets of a channel
 * are stored encrypted and never shown again.
 */
import type { ChannelRow, DeliveryRow, DeliveryState, FollowedTest, NewChannel, Role } from '@svc/api'
import { shown, type Verdict } from '@svc/protocol'
import type { Allowed } from '../../deliveries/allowed.ts'
import { type ChannelWanted, readChannel } from '../../deliveries/reading.ts'
import { endWaiting, retry } from '../../deliveries/settling.ts'
import { enqueueTest } from '../../deliveries/store.ts'
import type { ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AlertChannelRow, AlertDeliveryRow } from '../../platform/db/tables.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { newId } from '../../platform/ids.ts'
import { type SealKey, seal } from '../../platform/seal.ts'
import { done, refuse } from '../../platform/verdict.ts'
import { channelsOfScope } from '../messages/recipients.ts'
import { channelsOwned, deliveriesOwned, shared } from '../owned.ts'
import { scopeOf } from '../store.ts'
import type { ScopeRef } from './changes.ts'
import { whyOutdated } from './outdated.ts'
import { countTest } from './test-limit.ts'

/** The maximum number of channels of a workspace. The personal channels of its members do not count. */
export const maxChannels = 50
const isOk = { ok: true } as const
type Done = { ok: true }

export interface ChannelNeeds {
  key: SealKey
  allowed: Allowed
  mails: boolean
}

export const addChannel = (
  { db, by, now, key, allowed, mails }: ChangeContext & ChannelNeeds,
  place: ScopeRef,
  wanted: ChannelWanted,
): Promise<Verdict<NewChannel, 'channel_invalid' | 'channel_taken' | 'channels_too_many'>> =>
  transaction(db, async (trx) => {
    if (wanted.kind === 'push') return refuse('channel_invalid', ofPerson)
    const read = readChannel(wanted, { allowed, mails })
    if (!read.ok) return read
    const { name, kind, format, address, shown: visible, made } = read.value
    const scope = scopeOf(place)
    const there = await channelsOfScope(trx, scope)
    if (there.length >= maxChannels)
      return refuse('channels_too_many', `A workspace may have ${maxChannels} channels: remove one first.`)
    const id = newId(now)
    const row = await trx
      .insertInto('alert_channel')
      .values({
        id,
        scope: scope.id,
        workspace_id: scope.workspaceId,
        person_id: null,
        owner: shared,
        name,
        kind,
        format,
        enabled: 1,
        disabled_why: null,
        shown: visible,
        sealed: seal(key, id, JSON.stringify(address)),
        created_at: now,
        created_by_name: by.name,
        last_answer: null,
        last_at: null,
        grouped_at: null,
        failing_since: null,
        dead: 0,
      })
      .onConflict((oc) => oc.columns(['scope', 'owner', 'name']).doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!row) return refuse('channel_taken', `There is already a channel ${shown(name)}.`)
    const details = { kind, format }
    await audit(trx, {
      workspaceId: scope.workspaceId,
      at: now,
      by,
      action: 'channel.added',
      subject: `channel ${name}`,
      details,
    })
    return done({ name, kind, ...(made !== undefined && { secret: made }) })
  })

const ofPerson = 'A push channel belongs to a person, who adds it in the browser that is to show the messages.'

/** Enables a disabled channel and resets its count of failures. A channel that is already enabled stays as it is. */
export const enableChannel = (
  ctx: ChangeContext,
  place: ScopeRef,
  name: string,
): Promise<Verdict<Done, 'channel_unknown'>> =>
  change(ctx, place, name, async (trx, channel) => {
    if (channel.enabled === 1) return undefined
    await set(trx, channel, { enabled: 1, disabled_why: null, failing_since: null, dead: 0 })
    return 'channel.enabled'
  })

export const disableChannel = (
  ctx: ChangeContext,
  place: ScopeRef,
  name: string,
): Promise<Verdict<Done, 'channel_unknown'>> =>
  change(ctx, place, name, async (trx, channel) => {
    if (channel.enabled === 0 && channel.disabled_why === null) return undefined
    await set(trx, channel, { enabled: 0, disabled_why: null })
    await endWaiting(trx, { channelId: channel.id, why: 'The channel was disabled.' }, ctx.now)
    return 'channel.disabled'
  })

export const removeChannel = (
  ctx: ChangeContext,
  place: ScopeRef,
  name: string,
): Promise<Verdict<Done, 'channel_unknown'>> =>
  change(ctx, place, name, async (trx, channel) => {
    await trx.deleteFrom('alert_channel').where('id', '=', channel.id).execute()
    return 'channel.removed'
  })

/**
 * Changes a channel in one transaction. `work` returns the action to write to the activity; undefined means that
 * nothing changed.
 */
const change = (
  { db, by, now }: ChangeContext,
  place: ScopeRef,
  name: string,
  work: (trx: Db, channel: AlertChannelRow) => Promise<string | undefined>,
): Promise<Verdict<Done, 'channel_unknown'>> =>
  transaction(db, async (trx) => {
    const channel = await channelNamed(trx, place, name)
    if (!channel) return unknownChannel(name)
    const action = await work(trx, channel)
    const { workspaceId } = scopeOf(place)
    if (action) await audit(trx, { workspaceId, at: now, by, action, subject: `channel ${name}` })
    return done(isOk)
  })

const set = (trx: Db, { id }: AlertChannelRow, columns: Partial<AlertChannelRow>) =>
  trx.updateTable('alert_channel').set(columns).where('id', '=', id).execute()

const unknownChannel = (name: string) => refuse('channel_unknown', `There is no channel ${shown(name)}.`)

const channelNamed = (db: Db, place: ScopeRef, name: string): Promise<AlertChannelRow | undefined> =>
  channelsOwned(db, scopeOf(place), shared).selectAll().where('name', '=', name).executeTakeFirst()

/** Queues a test message for a channel. The answer of the receiver can later be read by the id of the delivery. */
export const queueTest = (
  { db, by, now }: ChangeContext,
  place: ScopeRef,
  name: string,
): Promise<Verdict<QueuedTestRef, 'channel_unknown' | 'rate_limited'>> =>
  transaction(db, async (trx) => {
    const channel = await channelNamed(trx, place, name)
    if (!channel) return unknownChannel(name)
    const counted = await countTest(trx, channel.id, by.id, now)
    if (!counted.ok) return counted
    const deliveryId = await enqueueTest(trx, { channelId: channel.id, workspace: place.slug }, now)
    return done({ deliveryId, channelId: channel.id })
  })

/** A test message that was queued, and its channel. */
export interface QueuedTestRef {
  deliveryId: string
  channelId: string
}

/** A test message of a channel; undefined if the channel has no such test. `owner` is a person's id, or `shared`. */
export async function testOf(
  db: Db,
  { place, owner }: { place: ScopeRef; owner: string },
  { channel, id }: { channel: string; id: string },
): Promise<FollowedTest | undefined> {
  const found = await deliveriesOwned(db, scopeOf(place), owner)
    .select('alert_delivery.id')
    .where('name', '=', channel)
    .where('alert_delivery.id', '=', id)
    .where('alert_delivery.kind', '=', 'test')
    .executeTakeFirst()
  return found && testAnswer(db, id)
}

/** The receiver's answer to a test message, by the id of its delivery. A removed delivery counts as not taken. */
export async function testAnswer(db: Db, id: string): Promise<FollowedTest> {
  const row = await db
    .selectFrom('alert_delivery')
    .select(['state', 'last_answer'])
    .where('id', '=', id)
    .executeTakeFirst()
  const { state = 'dead', last_answer = null } = row ?? {}
  const message = last_answer ?? ''
  const [, status] = /^(\d{3})(?::|$)/.exec(message) ?? []
  return { state, ok: state === 'sent', status: status === undefined ? null : Number(status), message }
}

/** The channels of a workspace. Members see neither where exactly messages go, nor what a receiver said. */
export async function listChannels(db: Db, place: ScopeRef, role: Role): Promise<ChannelRow[]> {
  const rows = await channelsOfScope(db, scopeOf(place))
  return rows.map((row) => (role === 'admin' ? channelRow(row) : forMember(channelRow(row))))
}

const forMember = (channel: ChannelRow): ChannelRow => ({
  ...channel,
  address: hostOf(channel.address),
  lastAnswer: null,
  disabledBecause: channel.disabledBecause === null ? null : 'Messages to it could not be delivered.',
})

/** The part of a shown address that does not name the recipient of messages; null if there is none. */
function hostOf(address: string | null): string | null {
  const url = /^https?:\/\/\S+/.exec(address ?? '')?.[0]
  return url === undefined ? null : `${new URL(url).origin}/…`
}

export const channelRow = (row: AlertChannelRow): ChannelRow => ({
  name: row.name,
  kind: row.kind,
  format: row.format,
  enabled: row.enabled === 1,
  disabledBecause: row.disabled_why,
  failingSince: row.failing_since,
  address: row.shown,
  lastAnswer: row.last_answer,
  lastAt: row.last_at,
})

export async function listDeliveries(
  db: Db,
  place: ScopeRef,
  { state, limit }: { state: DeliveryState | undefined; limit: number },
): Promise<DeliveryRow[]> {
  const rows = await deliveriesOwned(db, scopeOf(place), shared)
    .selectAll('alert_delivery')
    .select('alert_channel.name')
    .$if(state !== undefined, (query) => query.where('state', '=', state as DeliveryState))
    .orderBy('alert_delivery.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(deliveryRow)
}

const deliveryRow = (row: AlertDeliveryRow & { name: string }): DeliveryRow => ({
  id: row.id,
  channel: row.name,
  kind: row.kind,
  state: row.state,
  attempt: row.tries,
  lastAnswer: row.last_answer,
  title: row.body === null ? null : (JSON.parse(row.body) as { text: { title: string } }).text.title,
  createdAt: row.created_at,
  dueAt: row.due_at,
})

export const retryDelivery = (
  { db, by, now }: ChangeContext,
  place: ScopeRef,
  id: string,
): Promise<Verdict<Done, 'delivery_unknown' | 'delivery_not_dead' | 'delivery_outdated'>> =>
  transaction(db, async (trx) => {
    const scope = scopeOf(place)
    const channel = await deliveriesOwned(trx, scope, shared)
      .select('alert_channel.name')
      .where('alert_delivery.id', '=', id)
      .executeTakeFirst()
    if (!channel) return refuse('delivery_unknown', 'There is no such delivery; they are kept for 30 days.')
    const outdated = await whyOutdated(trx, id)
    if (outdated !== undefined) return refuse('delivery_outdated', outdated)
    if (!(await retry(trx, id, now)))
      return refuse('delivery_not_dead', 'Only a dead delivery can be sent again: this one waits or was taken.')
    const subject = `channel ${channel.name}`
    await audit(trx, {
      workspaceId: scope.workspaceId,
      at: now,
      by,
      action: 'delivery.retried',
      subject,
      details: { delivery: id },
    })
    return done(isOk)
  })
