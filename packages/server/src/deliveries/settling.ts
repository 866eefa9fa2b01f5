/**
 * Records how a try ended, for its delivery and for its channel. Also ends deliveries that will not be tried again, and
 * lets people retry a delivery that was given up.
 */
import { isPostgres } from '../platform/db/engine.ts'
import type { Db, Store } from '../platform/db/open.ts'
import type { AlertChannelRow, AlertDeliveryRow } from '../platform/db/tables.ts'
import { hasLostRace, transaction } from '../platform/db/transaction.ts'
import {
  answerWords,
  type DeliveryAnswer,
  type DeliveryOutcome,
  deliveryOutcomeOf,
  disablesChannel,
  isTooOldAt,
  tooOldWords,
} from './outbox.ts'
import { unservedColumns } from './store.ts'

const keptMs = 30 * 86_400_000

export function lockChannel(trx: Db, id: string): Promise<AlertChannelRow | undefined> {
  const row = trx.selectFrom('alert_channel').selectAll().where('id', '=', id)
  return (isPostgres(trx) ? row.forUpdate() : row).executeTakeFirst()
}

interface SettleContext {
  now: number
  /** A number from 0 up to 1, which spreads the time of the next try. */
  random: number
  /** The node that made the try. Its lease of the channel ends here. */
  node: string
}

/**
 * Records how a try ended, for its delivery and its channel. Returns the outcome; undefined if the delivery had already
 * ended. If the answer's words cannot be stored, the outcome is stored without them: a message that was accepted must
 * never be sent again because of what the receiver said.
 */
export async function settleDelivery(store: Store, id: string, answer: DeliveryAnswer, settling: SettleContext) {
  const words = answerWords(answer)
  try {
    return await settleWith(store, id, { answer, words }, settling)
  } catch (error) {
    if (hasLostRace(error)) throw error
    return await settleWith(store, id, { answer, words: 'The answer could not be stored.' }, settling)
  }
}

const settleWith = (
  { db }: Store,
  id: string,
  { answer, words }: { answer: DeliveryAnswer; words: string },
  { now, random, node }: SettleContext,
): Promise<{ outcome: DeliveryOutcome; disabled: boolean } | undefined> =>
  transaction(db, async (trx) => {
    const found = await trx.selectFrom('alert_delivery').select('channel_id').where('id', '=', id).executeTakeFirst()
    const channel = found && (await lockChannel(trx, found.channel_id))
    if (!channel) return undefined
    if (channel.serving_node === node) await endLease(trx, channel)
    const row = await trx.selectFrom('alert_delivery').selectAll().where('id', '=', id).executeTakeFirst()
    if (row?.state !== 'waiting') return undefined
    const outcome = ended(row, deliveryOutcomeOf(answer, { createdAt: row.created_at, tries: row.tries }, now, random))
    await trx
      .updateTable('alert_delivery')
      .set({
        state: outcome.is === 'again' ? 'waiting' : outcome.is,
        tries: row.tries + 1,
        due_at: outcome.is === 'again' ? outcome.dueAt : null,
        leased_until: null,
        ended_at: outcome.is === 'again' ? null : now,
        last_answer: words,
      })
      .where('id', '=', id)
      .execute()
    return { outcome, disabled: await settleChannel(trx, channel, { row, outcome, words }, now) }
  })

const endLease = (trx: Db, { id }: { id: string }) =>
  trx.updateTable('alert_channel').set(unservedColumns).where('id', '=', id).execute()

/** Makes a taken message wait again without an outcome, because the stop of the service interrupted the try. */
export const giveMessageBack = ({ db }: Store, { channel, row }: { channel: { id: string }; row: { id: string } }) =>
  transaction(db, async (trx) => {
    await endLease(trx, channel)
    await trx.updateTable('alert_delivery').set({ leased_until: null }).where('id', '=', row.id).execute()
  })

/**
 * Counts a try of a message that cannot be written. Such a try says nothing about the receiver, so the channel stays as
 * it is.
 */
export async function countUnwritable(
  trx: Db,
  { id, created_at: createdAt, tries, kind }: AlertDeliveryRow,
  reason: string,
  { now, random }: { now: number; random: number },
): Promise<void> {
  const message = `This version of the service cannot write this message: ${reason}`
  const outcome = deliveryOutcomeOf({ is: 'refused', message }, { createdAt, tries }, now, random)
  const isOver = outcome.is !== 'again' || kind === 'test'
  await trx
    .updateTable('alert_delivery')
    .set({
      state: isOver ? 'dead' : 'waiting',
      tries: tries + 1,
      due_at: isOver || outcome.is !== 'again' ? null : outcome.dueAt,
      ended_at: isOver ? now : null,
      last_answer: message,
    })
    .where('id', '=', id)
    .execute()
}

/** Ends deliveries that a newer message replaces. */
export async function endReplaced(trx: Db, ids: readonly string[], now: number): Promise<void> {
  if (ids.length === 0) return
  await trx
    .updateTable('alert_delivery')
    .set(deadAt('Replaced by a newer message.', now))
    .where('id', 'in', ids)
    .execute()
}

const deadAt = (last_answer: string, now: number) =>
  ({ state: 'dead', due_at: null, leased_until: null, ended_at: now, last_answer }) as const

/** The outcome to store. A test message is tried only once, because a person is waiting for the answer. */
const ended = ({ kind }: AlertDeliveryRow, outcome: DeliveryOutcome): DeliveryOutcome =>
  kind === 'test' && outcome.is !== 'sent' ? { is: 'dead', gone: false } : outcome

async function settleChannel(
  trx: Db,
  channel: AlertChannelRow,
  { row, outcome, words }: { row: AlertDeliveryRow; outcome: DeliveryOutcome; words: string },
  now: number,
): Promise<boolean> {
  const counts = row.kind === 'alert'
  const dead = outcome.is === 'sent' ? 0 : channel.dead + (counts && outcome.is === 'dead' ? 1 : 0)
  const disabled = counts && channel.enabled === 1 && disablesChannel(outcome, dead)
  const failingSince = counts ? (channel.failing_since ?? now) : channel.failing_since
  await trx
    .updateTable('alert_channel')
    .set({
      last_answer: words,
      last_at: now,
      works: outcome.is === 'sent' ? 1 : 0,
      dead,
      failing_since: outcome.is === 'sent' ? null : failingSince,
      ...(disabled && { enabled: 0, disabled_why: whyOf(outcome, words) }),
    })
    .where('id', '=', channel.id)
    .execute()
  if (disabled) await endWaiting(trx, { channelId: channel.id, why: disabledWords }, now)
  return disabled
}

const whyOf = (outcome: DeliveryOutcome, words: string): string =>
  outcome.is === 'dead' && outcome.gone
    ? `The receiver is gone (${words}).`
    : `Ten deliveries in a row could not be made; the last answer was: ${words}`

/** Disables a channel and ends its waiting deliveries. `why` is shown to people with the channel. */
export const disableReceiver = ({ db }: Store, id: string, why: string, now: number): Promise<void> =>
  transaction(db, async (trx) => {
    const columns = { enabled: 0, disabled_why: why, ...unservedColumns }
    await trx.updateTable('alert_channel').set(columns).where('id', '=', id).execute()
    await endWaiting(trx, { channelId: id, why }, now)
  })

/**
 * Ends waiting deliveries without sending them: those of one channel, or all deliveries after a backup was restored.
 * After a restore, the messages would otherwise be sent days late.
 */
export async function endWaiting(
  trx: Db,
  { channelId, why }: { channelId?: string; why: string },
  now: number,
): Promise<void> {
  await trx
    .updateTable('alert_delivery')
    .set(deadAt(why, now))
    .where('state', '=', 'waiting')
    .$if(channelId !== undefined, (query) => query.where('channel_id', '=', channelId ?? ''))
    .execute()
}

/**
 * Gives up deliveries that have waited for a day, and deletes deliveries that ended 30 days ago. Returns the ids of the
 * channels that were disabled because too many deliveries were given up.
 */
export async function endOldDeliveries(store: Store, now: number): Promise<string[]> {
  const { db } = store
  const old = await tooOld(db, now).select('channel_id').distinct().execute()
  const disabled: string[] = []
  for (const { channel_id: id } of old) if (await endOldOfChannel(store, id, now)) disabled.push(id)
  await db
    .deleteFrom('alert_delivery')
    .where('state', '!=', 'waiting')
    .where('ended_at', '<', now - keptMs)
    .execute()
  return disabled
}

/** The waiting deliveries that are too old to be sent and that no node is sending. */
const tooOld = (db: Db, now: number) =>
  db
    .selectFrom('alert_delivery')
    .where('state', '=', 'waiting')
    // The text of a delivery is written when it is first due. Before that, the delivery may have waited for a digest or
    // the end of quiet hours, so its age counts from its due time.
    .where((eb) =>
      eb.or([
        eb.and([eb('body', 'is not', null), eb('created_at', '<=', isTooOldAt(now))]),
        eb.and([eb('body', 'is', null), eb('due_at', '<=', isTooOldAt(now))]),
      ]),
    )
    .where((eb) => eb.or([eb('leased_until', 'is', null), eb('leased_until', '<=', now)]))

/**
 * Gives up the old deliveries of one channel. The deliveries that were tried count towards the number that disables a
 * channel. True if the channel was disabled.
 */
const endOldOfChannel = ({ db }: Store, channelId: string, now: number): Promise<boolean> =>
  transaction(db, async (trx) => {
    const channel = await lockChannel(trx, channelId)
    const rows = await tooOld(trx, now)
      .select(['id', 'kind', 'tries', 'last_answer'])
      .where('channel_id', '=', channelId)
      .execute()
    for (const { id, last_answer } of rows)
      await trx
        .updateTable('alert_delivery')
        .set(deadAt(tooOldWords(last_answer), now))
        .where('id', '=', id)
        .execute()
    const tried = rows.filter(({ kind, tries }) => kind === 'alert' && tries > 0)
    if (!channel || tried.length === 0) return false
    const dead = channel.dead + tried.length
    const outcome: DeliveryOutcome = { is: 'dead', gone: false }
    const disabled = channel.enabled === 1 && disablesChannel(outcome, dead)
    const why = whyOf(outcome, tried.findLast(({ last_answer }) => last_answer !== null)?.last_answer ?? '')
    await trx
      .updateTable('alert_channel')
      .set({ dead, ...(disabled && { enabled: 0, disabled_why: why }) })
      .where('id', '=', channelId)
      .execute()
    if (disabled) await endWaiting(trx, { channelId, why: disabledWords }, now)
    return disabled
  })

const disabledWords = 'The channel was disabled.'

/** Retries a delivery that was given up, with the same id and body. Returns false if the delivery was not given up. */
export async function retryGivenUp(trx: Db, id: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('alert_delivery')
    .set({ state: 'waiting', tries: 0, created_at: now, due_at: now, ended_at: null })
    .where('id', '=', id)
    .where('state', '=', 'dead')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Removes the personal channels of somebody who leaves a workspace, together with their waiting messages. */
export async function removePersonalChannels(trx: Db, { id }: { id: string }, personId: string): Promise<void> {
  await trx.deleteFrom('alert_channel').where('scope', '=', id).where('owner', '=', personId).execute()
}
