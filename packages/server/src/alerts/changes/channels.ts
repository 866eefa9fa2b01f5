/**
 * Adds, tests, changes, removes and lists the channels to which alerts are sent: those of a workspace, of the service
 * itself, and of a person. The secrets of a channel are stored encrypted and never shown again.
 */
import type { ChannelRow, FollowedTest, NewChannel, Role } from '@svc/api'
import { shown, type Verdict } from '@svc/protocol'
import { type ChannelWanted, type CheckedChannel, readChannel } from '../../deliveries/reading.ts'
import { endWaiting } from '../../deliveries/settling.ts'
import { enqueueTest } from '../../deliveries/store.ts'
import type { AllowedNetworks } from '../../deliveries/target.ts'
import { countSend } from '../../people/accounts/sends.ts'
import type { ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AlertChannelRow } from '../../platform/db/tables.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { newId } from '../../platform/ids.ts'
import { type SealKey, seal } from '../../platform/seal.ts'
import { done, refuse } from '../../platform/verdict.ts'
import { channelsOfScope } from '../messages/recipients.ts'
import { type ChannelOwner, channelsOwned, deliveriesOwned, sharedOwner } from '../owned.ts'
import { type ScopeRef, scopeOf } from '../scope.ts'

/** The maximum number of channels of a workspace. The personal channels of its members do not count. */
export const maxChannels = 50
/** The maximum number of personal channels of a person in one workspace. */
export const maxOwnChannels = 20

/** The settings of the service that are needed to check and store a new channel. */
export interface ChannelNeeds {
  key: SealKey
  allowed: AllowedNetworks
  mails: boolean
}

/** Adds a channel to a workspace or to the service. */
export const addChannel = (
  ctx: ChangeContext & ChannelNeeds,
  scopeRef: ScopeRef,
  wanted: ChannelWanted,
): Promise<Verdict<NewChannel, AddChannelRefusal>> =>
  transaction(ctx.db, async (trx) => {
    if (wanted.kind === 'push') return refuse('channel_invalid', pushIsPersonal)
    const read = readChannel(wanted, ctx)
    if (!read.ok) return read
    const { name, kind, made } = read.value
    const added = await insertChannel({ ...ctx, db: trx }, { scope: scopeRef }, read.value)
    return added.ok ? done({ name, kind, ...(made !== undefined && { secret: made }) }) : added
  })

const pushIsPersonal = 'A push channel belongs to a person, who adds it in the browser that is to show the messages.'

export type AddChannelRefusal = 'channel_invalid' | 'channel_taken' | 'channels_too_many'

/** Inserts a channel, and writes a line to the activity. Must run in a transaction. */
export async function insertChannel(
  { db: trx, by, now, key }: ChangeContext & Pick<ChannelNeeds, 'key'>,
  owner: ChannelOwner,
  { name, kind, format, address, shown: visible }: CheckedChannel,
  preferences: string | null = null,
): Promise<Verdict<AlertChannelRow, 'channel_taken' | 'channels_too_many'>> {
  const { id: scope, workspaceId } = scopeOf(owner.scope)
  const { max, tooMany, taken } = wordsFor(owner)
  const there = await channelsOwned(trx, owner).select('id').execute()
  if (there.length >= max) return refuse('channels_too_many', tooMany)
  const id = newId(now)
  const row = await trx
    .insertInto('alert_channel')
    .values({
      id,
      scope,
      workspace_id: workspaceId,
      person_id: owner.person?.id ?? null,
      owner: owner.person?.id ?? sharedOwner,
      name,
      preferences,
      kind,
      format,
      enabled: 1,
      shown: visible,
      sealed: seal(key, id, JSON.stringify(address)),
      created_at: now,
      created_by_name: by.name,
      dead: 0,
    })
    .onConflict((oc) => oc.columns(['scope', 'owner', 'name']).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!row) return refuse('channel_taken', taken(name))
  const details = { kind, ...(!owner.person && { format }) }
  await noteChannel({ db: trx, by, now }, owner, { action: 'channel.added', name, details })
  return done(row)
}

/** The maximum number of channels of an owner, and the messages with which requests of that owner are refused. */
const wordsFor = ({ person }: ChannelOwner) =>
  person
    ? {
        max: maxOwnChannels,
        tooMany: `You may have ${maxOwnChannels} channels of your own here: remove one first.`,
        taken: (name: string) => `You already have a channel ${shown(name)} here.`,
        unknown: (name: string) => `You have no channel ${shown(name)} here.`,
      }
    : {
        max: maxChannels,
        tooMany: `A workspace may have ${maxChannels} channels: remove one first.`,
        taken: (name: string) => `There is already a channel ${shown(name)}.`,
        unknown: (name: string) => `There is no channel ${shown(name)}.`,
      }

/** Adds a line about a channel to the activity. */
export const noteChannel = (
  { db, by, now }: ChangeContext,
  { scope: scopeRef, person }: ChannelOwner,
  { action, name, details = {} }: { action: string; name: string; details?: object },
): Promise<void> =>
  audit(db, {
    workspaceId: scopeOf(scopeRef).workspaceId,
    at: now,
    by,
    action,
    subject: `channel ${name}`,
    details: { ...details, ...(person && { own: true }) },
  })

/** Finds a channel of an owner by its name, and calls `work` with its row in the same transaction. */
export const withChannel = <T, C extends string>(
  { db }: ChangeContext,
  owner: ChannelOwner,
  name: string,
  work: (trx: Db, row: AlertChannelRow) => Promise<Verdict<T, C>>,
): Promise<Verdict<T, C | 'channel_unknown'>> =>
  transaction<Verdict<T, C | 'channel_unknown'>>(db, async (trx) => {
    const row = await channelsOwned(trx, owner).selectAll().where('name', '=', name).executeTakeFirst()
    return row ? work(trx, row) : refuse('channel_unknown', wordsFor(owner).unknown(name))
  })

type ChannelChanged = Promise<Verdict<{ ok: true }, 'channel_unknown'>>

/** Enables a disabled channel and resets its count of failures. A channel that is already enabled stays as it is. */
export const enableChannel = (ctx: ChangeContext, owner: ChannelOwner, name: string): ChannelChanged =>
  withChannel(ctx, owner, name, async (trx, channel) => {
    if (channel.enabled === 1) return done(okResult)
    await set(trx, channel, { enabled: 1, disabled_why: null, failing_since: null, dead: 0 })
    await noteChannel({ ...ctx, db: trx }, owner, { action: 'channel.enabled', name })
    return done(okResult)
  })

export const disableChannel = (ctx: ChangeContext, owner: ChannelOwner, name: string): ChannelChanged =>
  withChannel(ctx, owner, name, async (trx, channel) => {
    if (channel.enabled === 0 && channel.disabled_why === null) return done(okResult)
    await set(trx, channel, { enabled: 0, disabled_why: null })
    await endWaiting(trx, { channelId: channel.id, why: channelDisabled }, ctx.now)
    await noteChannel({ ...ctx, db: trx }, owner, { action: 'channel.disabled', name })
    return done(okResult)
  })

const okResult = { ok: true } as const
/** Why the waiting messages of a disabled channel were given up. */
export const channelDisabled = 'The channel was disabled.'

const set = (trx: Db, { id }: AlertChannelRow, columns: Partial<AlertChannelRow>) =>
  trx.updateTable('alert_channel').set(columns).where('id', '=', id).execute()

export const removeChannel = (ctx: ChangeContext, owner: ChannelOwner, name: string): ChannelChanged =>
  withChannel(ctx, owner, name, async (trx, { id }) => {
    await trx.deleteFrom('alert_channel').where('id', '=', id).execute()
    await noteChannel({ ...ctx, db: trx }, owner, { action: 'channel.removed', name })
    return done(okResult)
  })

/** Queues a test message for a channel. The answer of the receiver can later be read by the id of the delivery. */
export const testChannel = (
  ctx: ChangeContext,
  owner: ChannelOwner,
  name: string,
): Promise<Verdict<QueuedTestRef, 'channel_unknown' | 'rate_limited'>> =>
  withChannel<QueuedTestRef, 'rate_limited'>(ctx, owner, name, async (trx, { id: channelId }) => {
    const counted = await countTest(trx, channelId, ctx.by.id, ctx.now)
    if (!counted.ok) return counted
    const deliveryId = await enqueueTest(trx, { channelId, workspace: owner.scope.slug }, ctx.now)
    return done({ deliveryId, channelId })
  })

/**
 * Counts a test of a channel, or refuses it if the channel or the person has reached the limit. `personId` is null for
 * the operator. Must run in the transaction that queues the test.
 */
export const countTest = (trx: Db, channelId: string, personId: string | null, now: number) =>
  countSend(trx, [['test_channel', channelId], ...(personId === null ? [] : [['test_person', personId] as const])], now)

export interface QueuedTestRef {
  deliveryId: string
  channelId: string
}

/** The result of a test message of a channel; undefined if the channel has no such test. */
export async function findChannelTest(
  db: Db,
  owner: ChannelOwner,
  { channel, id }: { channel: string; id: string },
): Promise<FollowedTest | undefined> {
  const found = await deliveriesOwned(db, owner)
    .select('alert_delivery.id')
    .where('name', '=', channel)
    .where('alert_delivery.id', '=', id)
    .where('alert_delivery.kind', '=', 'test')
    .executeTakeFirst()
  return found && testAnswer(db, id)
}

/** The result of a test message, by the id of its delivery. A removed delivery counts as `dead`. */
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

/** The channels of a workspace or of the service. Members see only the origin of an address, and no answers. */
export async function listChannels(db: Db, scopeRef: ScopeRef, role: Role): Promise<ChannelRow[]> {
  const rows = await channelsOfScope(db, scopeOf(scopeRef))
  return rows.map((row) => (role === 'admin' ? channelRow(row) : forMember(channelRow(row))))
}

const forMember = (channel: ChannelRow): ChannelRow => ({
  ...channel,
  address: hostOf(channel.address),
  lastAnswer: null,
  disabledBecause: channel.disabledBecause === null ? null : 'Messages to it could not be delivered.',
})

/** The origin of a shown address, without the path that may name the recipient; null if the channel has no URL. */
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
