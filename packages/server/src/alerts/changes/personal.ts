/** The personal channels of people in a workspace: their own e-mail address, and their browsers. */
import type { PersonalChannelRow, personalKinds } from '@svc/api'
import { shown, type Verdict } from '@svc/protocol'
import { readChannel } from '../../deliveries/reading.ts'
import { endWaiting, lockChannel } from '../../deliveries/settling.ts'
import { enqueueTest, reschedule } from '../../deliveries/store.ts'
import type { Person } from '../../people/accounts/store.ts'
import { audit } from '../../people/audit/store.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AlertChannelRow } from '../../platform/db/tables.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { newId } from '../../platform/ids.ts'
import { seal } from '../../platform/seal.ts'
import { done, refuse } from '../../platform/verdict.ts'
import type { AlertChange } from '../messages/message.ts'
import { channelsOwned } from '../owned.ts'
import {
  changed,
  firstPreferences,
  type PreferenceChange,
  readPreferences,
  shownPreferences,
  writePreferences,
} from '../rules/preferences.ts'
import { sendAt } from '../rules/routing.ts'
import type { ScopeRef } from './changes.ts'
import { type ChannelNeeds, channelRow } from './channels.ts'
import { countTest } from './test-limit.ts'

/** The maximum number of personal channels of a person in one workspace. */
export const maxOwnChannels = 20

interface PersonCtx {
  db: Db
  by: Person
  now: number
}

const channelsOf = (db: Db, place: ScopeRef, person: { id: string }) => channelsOwned(db, place, person.id).selectAll()

export async function listPersonal(db: Db, place: ScopeRef, person: { id: string }): Promise<PersonalChannelRow[]> {
  const rows = await channelsOf(db, place, person).orderBy('name').execute()
  return rows.map(personalRow)
}

const personalRow = (row: AlertChannelRow): PersonalChannelRow => ({
  ...channelRow(row),
  ...shownPreferences(readPreferences(row.preferences)),
})

interface PersonalWanted {
  name: string
  kind: (typeof personalKinds)[number]
  zone: string
  /** The subscription of a browser, as JSON. */
  secret?: string
}

type AddRefusal = 'channel_invalid' | 'channel_taken' | 'channels_too_many'

/** Adds a personal channel. Mails only go to the address of the person's account. */
export const addPersonal = (
  { db, by, now, key, allowed, mails }: PersonCtx & ChannelNeeds,
  place: ScopeRef,
  { zone, ...wanted }: PersonalWanted,
): Promise<Verdict<PersonalChannelRow, AddRefusal>> =>
  transaction(db, async (trx) => {
    const account = wanted.kind === 'email' ? { account: by.email } : {}
    const read = readChannel(wanted, { allowed, mails, ...account })
    if (!read.ok) return read
    const preferences = changed(firstPreferences, { zone })
    if (!preferences.ok) return preferences
    const there = await channelsOf(trx, place, by).execute()
    if (there.length >= maxOwnChannels)
      return refuse('channels_too_many', `You may have ${maxOwnChannels} channels of your own here: remove one first.`)
    const { name, kind, format, address, shown: visible } = read.value
    const id = newId(now)
    const row = await trx
      .insertInto('alert_channel')
      .values({
        id,
        scope: place.id,
        workspace_id: place.id,
        person_id: by.id,
        owner: by.id,
        name,
        preferences: writePreferences(preferences.value),
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
    if (!row) return refuse('channel_taken', `You already have a channel ${shown(name)} here.`)
    await note(trx, { by, now }, place, { action: 'channel.added', name, details: { kind } })
    return done(personalRow(row))
  })

/**
 * Changes the given settings of a personal channel and keeps the others. For a waiting message that was never tried,
 * the new settings decide when it is sent, and whether: it is dropped if the person no longer wants messages about its
 * rule. If the channel is disabled, its waiting messages are given up.
 */
export const changePersonal = (
  ctx: PersonCtx,
  place: ScopeRef,
  { name, enabled, ...wanted }: PreferenceChange & { name: string; enabled?: boolean },
): Promise<Verdict<PersonalChannelRow, 'channel_unknown' | 'channel_invalid'>> =>
  onOwn(ctx, place, name, async (trx, row) => {
    const before = readPreferences(row.preferences)
    const preferences = changed(before, wanted)
    if (!preferences.ok) return preferences
    const isEnabled = enabled === undefined ? row.enabled : enabled ? 1 : 0
    const after = {
      ...row,
      preferences: writePreferences(preferences.value),
      enabled: isEnabled,
      // Enabling or disabling the channel also forgets its earlier failures.
      ...(enabled !== undefined && { disabled_why: null, failing_since: null, dead: 0 }),
    }
    if (JSON.stringify(after) === JSON.stringify({ ...row, preferences: writePreferences(before) }))
      return done(personalRow(row))
    const { preferences: stored, disabled_why, failing_since, dead } = after
    await trx
      .updateTable('alert_channel')
      .set({ preferences: stored, enabled: isEnabled, disabled_why, failing_since, dead })
      .where('id', '=', row.id)
      .execute()
    if (isEnabled === 0) await endWaiting(trx, { channelId: row.id, why: 'The channel was disabled.' }, ctx.now)
    else await reschedule<AlertChange>(trx, row, (change) => sendAt(preferences.value, change, ctx.now), ctx.now)
    const details = { ...wanted, ...(enabled !== undefined && { enabled }) }
    await note(trx, ctx, place, { action: 'channel.changed', name, details })
    return done(personalRow(after))
  })

/**
 * Sets the due times of messages that were never tried, on the channels of people. After a step of the clock back they
 * are those that the person's quiet hours and pace give now.
 */
export async function replanPersonal(db: Db, now: number): Promise<void> {
  const channels = await db
    .selectFrom('alert_channel')
    .select('id')
    .where('person_id', 'is not', null)
    .where('id', 'in', db.selectFrom('alert_delivery').select('channel_id').where('state', '=', 'waiting').distinct())
    .execute()
  for (const { id } of channels)
    await transaction(db, async (trx) => {
      const channel = await lockChannel(trx, id)
      if (!channel) return
      const preferences = readPreferences(channel.preferences)
      await reschedule<AlertChange>(trx, channel, (change) => sendAt(preferences, change, now), now)
    })
}

export const removePersonal = (
  ctx: PersonCtx,
  place: ScopeRef,
  name: string,
): Promise<Verdict<{ ok: true }, 'channel_unknown'>> =>
  onOwn(ctx, place, name, async (trx, { id }) => {
    await trx.deleteFrom('alert_channel').where('id', '=', id).execute()
    await note(trx, ctx, place, { action: 'channel.removed', name })
    return done({ ok: true } as const)
  })

/** Queues a test message for a personal channel. */
export const queuePersonalTest = (
  ctx: PersonCtx,
  place: ScopeRef,
  name: string,
): Promise<Verdict<{ deliveryId: string; channelId: string }, 'channel_unknown' | 'rate_limited'>> =>
  onOwn<{ deliveryId: string; channelId: string }, 'rate_limited'>(ctx, place, name, async (trx, { id: channelId }) => {
    const counted = await countTest(trx, channelId, ctx.by.id, ctx.now)
    if (!counted.ok) return counted
    const deliveryId = await enqueueTest(trx, { channelId, workspace: place.slug }, ctx.now)
    return done({ deliveryId, channelId })
  })

const onOwn = <T, C extends string>(
  { db, by }: PersonCtx,
  place: ScopeRef,
  name: string,
  work: (trx: Db, row: AlertChannelRow) => Promise<Verdict<T, C>>,
): Promise<Verdict<T, C | 'channel_unknown'>> =>
  transaction<Verdict<T, C | 'channel_unknown'>>(db, async (trx) => {
    const row = await channelsOf(trx, place, by).where('name', '=', name).executeTakeFirst()
    return row ? work(trx, row) : refuse('channel_unknown', `You have no channel ${shown(name)} here.`)
  })

const note = (
  trx: Db,
  { by, now }: Pick<PersonCtx, 'by' | 'now'>,
  { id }: ScopeRef,
  { action, name, details = {} }: { action: string; name: string; details?: object },
) =>
  audit(trx, { workspaceId: id, at: now, by, action, subject: `channel ${name}`, details: { ...details, own: true } })
