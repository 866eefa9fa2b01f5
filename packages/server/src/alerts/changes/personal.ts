/** The personal channels of people in a workspace: their own e-mail address, and their browsers. */
import type { PersonalChannelRow, personalKinds } from '@svc/api'
import type { Verdict } from '@svc/protocol'
import { readChannel } from '../../deliveries/reading.ts'
import { endWaiting, lockChannel } from '../../deliveries/settling.ts'
import { rescheduleDeliveries } from '../../deliveries/store.ts'
import type { Person } from '../../people/accounts/store.ts'
import type { ChangeContext } from '../../people/audit/by.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AlertChannelRow } from '../../platform/db/tables.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { done } from '../../platform/verdict.ts'
import type { AlertChange } from '../messages/message.ts'
import { channelsOwned } from '../owned.ts'
import {
  changePreferences,
  firstPreferences,
  type PreferenceChange,
  readPreferences,
  shownPreferences,
  writePreferences,
} from '../rules/preferences.ts'
import { personalSendTime } from '../rules/routing.ts'
import type { ScopeRef } from '../scope.ts'
import {
  type AddChannelRefusal,
  type ChannelNeeds,
  channelDisabled,
  channelRow,
  insertChannel,
  noteChannel,
  withChannel,
} from './channels.ts'

type PersonCtx = ChangeContext<Person>

export async function listPersonal(db: Db, scopeRef: ScopeRef, person: { id: string }): Promise<PersonalChannelRow[]> {
  const rows = await channelsOwned(db, { scope: scopeRef, person }).selectAll().orderBy('name').execute()
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

/** Adds a personal channel. Mails only go to the address of the person's account. */
export const addPersonalChannel = (
  ctx: PersonCtx & ChannelNeeds,
  scopeRef: ScopeRef,
  { zone, ...wanted }: PersonalWanted,
): Promise<Verdict<PersonalChannelRow, AddChannelRefusal>> =>
  transaction(ctx.db, async (trx) => {
    const { by: person, allowed, mails } = ctx
    const account = wanted.kind === 'email' ? { account: person.email } : {}
    const read = readChannel(wanted, { allowed, mails, ...account })
    if (!read.ok) return read
    const preferences = changePreferences(firstPreferences, { zone })
    if (!preferences.ok) return preferences
    const stored = writePreferences(preferences.value)
    const added = await insertChannel({ ...ctx, db: trx }, { scope: scopeRef, person }, read.value, stored)
    return added.ok ? done(personalRow(added.value)) : added
  })

/**
 * Changes the given settings of a personal channel and keeps the others. The new settings also apply to waiting
 * messages that were never tried: each gets a new due time, or is dropped if the person no longer wants messages about
 * its rule. If the channel is disabled, its waiting messages are given up.
 */
export const setPersonalChannel = (
  ctx: PersonCtx,
  scopeRef: ScopeRef,
  { name, enabled, ...wanted }: PreferenceChange & { name: string; enabled?: boolean },
): Promise<Verdict<PersonalChannelRow, 'channel_unknown' | 'channel_invalid'>> =>
  withChannel(ctx, { scope: scopeRef, person: ctx.by }, name, async (trx, row) => {
    const before = readPreferences(row.preferences)
    const preferences = changePreferences(before, wanted)
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
    if (isEnabled === 0) await endWaiting(trx, { channelId: row.id, why: channelDisabled }, ctx.now)
    else
      await rescheduleDeliveries<AlertChange>(
        trx,
        row,
        (change) => personalSendTime(preferences.value, change, ctx.now),
        ctx.now,
      )
    const details = { ...wanted, ...(enabled !== undefined && { enabled }) }
    await noteChannel(
      { ...ctx, db: trx },
      { scope: scopeRef, person: ctx.by },
      { action: 'channel.changed', name, details },
    )
    return done(personalRow(after))
  })

/**
 * Sets new due times for the messages to personal channels that were never tried, from each person's quiet hours and
 * pace. Called after the clock was set back.
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
      await rescheduleDeliveries<AlertChange>(trx, channel, (change) => personalSendTime(preferences, change, now), now)
    })
}
