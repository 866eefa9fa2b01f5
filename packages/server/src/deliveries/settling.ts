/**
 * Records how a try ended, for its delivery and for its channel. Also ends deliveries that will not be tried again, and
 * lets people retry a delivery that was given up.
 */
import { isPostgres } from '../db/engine.ts'
import type { Db, Store } from '../db/open.ts'
import type { AlertChannelRow, AlertDeliveryRow } from '../db/tables.ts'
import { transaction } from '../db/transaction.ts'
import { answerWords, type DeliveryAnswer, disables, isTooOldAt, type Outcome, outcomeOf } from './outbox.ts'

const keptMs = 30 * 86_400_000

export function lockChannel(trx: Db, id: string): Promise<AlertChannelRow | undefined> {
  const row = trx.selectFrom('alert_channel').selectAll().where('id', '=', id)
  return (isPostgres(trx) ? row.forUpdate() : row).executeTakeFirst()
}

/**
 * Records how a try ended, for its delivery and its channel. Returns the outcome; undefined if the delivery had already
 * ended.
 */
export const settle = (
  { db }: Store,
  id: string,
  answer: DeliveryAnswer,
  { now, random }: { now: number; random: number },
): Promise<{ outcome: Outcome; disabled: boolean } | undefined> =>
  transaction(db, async (trx) => {
    const found = await trx.selectFrom('alert_delivery').select('channel_id').where('id', '=', id).executeTakeFirst()
    const channel = found && (await lockChannel(trx, found.channel_id))
    const row = await trx.selectFrom('alert_delivery').selectAll().where('id', '=', id).executeTakeFirst()
    if (!channel || row?.state !== 'waiting') return undefined
    const outcome = ended(row, outcomeOf(answer, { createdAt: row.created_at, tries: row.tries }, now, random))
    const words = answerWords(answer)
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

/** A test message is tried only once, because a person is waiting for the answer. */
const ended = ({ kind }: AlertDeliveryRow, outcome: Outcome): Outcome =>
  kind === 'test' && outcome.is !== 'sent' ? { is: 'dead', gone: false } : outcome

async function settleChannel(
  trx: Db,
  channel: AlertChannelRow,
  { row, outcome, words }: { row: AlertDeliveryRow; outcome: Outcome; words: string },
  now: number,
): Promise<boolean> {
  const counts = row.kind === 'alert'
  const dead = outcome.is === 'sent' ? 0 : channel.dead + (counts && outcome.is === 'dead' ? 1 : 0)
  const disabled = counts && channel.enabled === 1 && disables(outcome, dead)
  const failingSince = counts ? (channel.failing_since ?? now) : channel.failing_since
  await trx
    .updateTable('alert_channel')
    .set({
      last_answer: words,
      last_at: now,
      dead,
      failing_since: outcome.is === 'sent' ? null : failingSince,
      ...(disabled && { enabled: 0, disabled_why: whyOf(outcome, words) }),
    })
    .where('id', '=', channel.id)
    .execute()
  if (disabled) await endWaiting(trx, { channelId: channel.id, why: 'The channel was disabled.' }, now)
  return disabled
}

const whyOf = (outcome: Outcome, words: string): string =>
  outcome.is === 'dead' && outcome.gone
    ? `The receiver is gone (${words}).`
    : `Ten deliveries in a row could not be made; the last answer was: ${words}`

/** Disables a channel and ends its waiting deliveries. `why` is shown to people with the channel. */
export const disable = ({ db }: Store, id: string, why: string, now: number): Promise<void> =>
  transaction(db, async (trx) => {
    await trx.updateTable('alert_channel').set({ enabled: 0, disabled_why: why }).where('id', '=', id).execute()
    await endWaiting(trx, { channelId: id, why }, now)
  })

/**
 * Ends waiting deliveries without sending them: those of one channel, or all deliveries after a backup was restored.
 * Otherwise messages would be sent days late.
 */
export async function endWaiting(
  trx: Db,
  { channelId, why }: { channelId?: string; why: string },
  now: number,
): Promise<void> {
  await trx
    .updateTable('alert_delivery')
    .set({ state: 'dead', due_at: null, leased_until: null, ended_at: now, last_answer: why })
    .where('state', '=', 'waiting')
    .$if(channelId !== undefined, (query) => query.where('channel_id', '=', channelId ?? ''))
    .execute()
}

/** Gives up deliveries that have waited for a day, and deletes deliveries that ended 30 days ago. */
export async function endOld({ db }: Store, now: number): Promise<void> {
  await db
    .updateTable('alert_delivery')
    .set({
      state: 'dead',
      due_at: null,
      leased_until: null,
      ended_at: now,
      last_answer: 'It could not be sent within 24 hours.',
    })
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
    .execute()
  await db
    .deleteFrom('alert_delivery')
    .where('state', '!=', 'waiting')
    .where('ended_at', '<', now - keptMs)
    .execute()
}

/**
 * Queues a delivery again that was given up, with the same id and body. Returns false if the delivery was not given up.
 */
export async function retry(trx: Db, id: string, now: number): Promise<boolean> {
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
