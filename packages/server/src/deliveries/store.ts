/**
 * Deliveries as rows. A row is inserted in the transaction that changes its alert. The row's body is written before the
 * first try and never changes afterwards. If the messages of a channel are grouped, one new row replaces the rows that
 * wait.
 */
import { isAhead } from '@svc/protocol'
import { sql } from 'kysely'
import { isPostgres } from '../platform/db/engine.ts'
import type { Db, Store } from '../platform/db/open.ts'
import type { AlertChannelRow, AlertDeliveryRow } from '../platform/db/tables.ts'
import { newId } from '../platform/ids.ts'
import type { DueWork } from './slots.ts'
import { deliveryChangesOf, type StoredChange } from './writer.ts'

const second = 1000
/**
 * The milliseconds for which a channel waits for further changes before it sends a group, and the minimum time between
 * two groups.
 */
export const groupDelayMs = 30 * second
export const groupGapMs = 300 * second
/**
 * The milliseconds for which no other node sends to a channel after a node took one of its messages. A try takes about
 * a quarter of this time at most; the rest is for clocks that differ.
 */
export const deliveryLeaseMs = 60 * second

type ChannelOf = Pick<AlertChannelRow, 'id' | 'format' | 'grouped_at'> & {
  /** The time before which the owner of a personal channel wants no message there. */
  notBefore?: number
}

/** Queues a change for each of the channels, in the transaction that makes the change. */
export async function enqueueDeliveries(
  trx: Db,
  channels: readonly ChannelOf[],
  change: StoredChange,
  now: number,
): Promise<void> {
  if (channels.length === 0) return
  const changes = JSON.stringify([change])
  for (const channel of channels) await insertDelivery(trx, channel.id, { changes, due_at: dueAt(channel, now) }, now)
}

/**
 * Queues a test message, which is sent at once and never grouped with others. Returns the id of the delivery, by which
 * the answer can be read.
 */
export async function enqueueTest(
  trx: Db,
  { channelId, workspace }: { channelId: string; workspace: string },
  now: number,
): Promise<string> {
  const changes = JSON.stringify([{ id: '', workspace }])
  const { id } = await insertDelivery(trx, channelId, { kind: 'test', changes, due_at: now }, now)
  return id
}

const dueAt = ({ format, grouped_at, notBefore = 0 }: ChannelOf, now: number): number =>
  Math.max(
    notBefore,
    format === 'single' ? now : Math.max(now + groupDelayMs, Math.min(grouped_at ?? 0, now) + groupGapMs),
  )

/**
 * Inserts a delivery as the last one of its channel. PostgreSQL numbers the rows itself. On SQLite one process writes,
 * so the number is the next one of the channel.
 */
export function insertDelivery(
  trx: Db,
  channel_id: string,
  more: Pick<AlertDeliveryRow, 'changes' | 'due_at'> & Partial<AlertDeliveryRow>,
  now: number,
): Promise<AlertDeliveryRow> {
  const seq = sql<number>`(select coalesce(max(seq), 0) + 1 from alert_delivery where channel_id = ${channel_id})`
  return trx
    .insertInto('alert_delivery')
    .values({
      id: newId(now),
      channel_id,
      kind: 'alert',
      state: 'waiting',
      tries: 0,
      created_at: now,
      ...(!isPostgres(trx) && { seq }),
      ...more,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The condition for channels that are not the personal channel of somebody who is disabled. */
const ownerIsEnabled = sql<boolean>`not exists (
  select 1 from person_disabled where person_disabled.person_id = alert_channel.person_id)`

/**
 * True for the personal channel of somebody who is disabled. Messages to such a channel wait, and are given up after a
 * day.
 */
export async function ownerIsDisabled(trx: Db, { id }: AlertChannelRow): Promise<boolean> {
  const row = trx.selectFrom('alert_channel').select('id').where('id', '=', id).where(ownerIsEnabled)
  return (await row.executeTakeFirst()) === undefined
}

/**
 * The channels that have a due message and are served by no other node, with the facts that slots.ts needs to choose
 * among them.
 */
export async function dueChannels({ db }: Store, { node, now }: { node: string; now: number }): Promise<DueWork[]> {
  const tested = await dueTests(db, now)
  const rows = await db
    .selectFrom('alert_channel')
    .select(['id', 'scope', 'works', 'last_at', 'serving_node', 'serving_until'])
    // This reads one row of an index for each channel. With a join, the database would read all waiting deliveries.
    .select((eb) =>
      eb
        .selectFrom('alert_delivery')
        .select('due_at')
        .whereRef('channel_id', '=', 'alert_channel.id')
        .where('state', '=', 'waiting')
        .where((one) => one.or([one('enabled', '=', 1), one('alert_delivery.kind', '=', 'test')]))
        .orderBy('due_at')
        .limit(1)
        .as('due'),
    )
    .where(ownerIsEnabled)
    .execute()
  return rows
    .filter(({ due, serving_node, serving_until }) => {
      const isFree = serving_node === node || !isLeased(serving_until, now)
      return due !== null && due <= now && isFree
    })
    .map(({ id, scope, works, last_at, due }) => ({
      id,
      party: scope,
      receiver: id,
      isAwaited: tested.has(id),
      works: works === null ? null : works === 1,
      triedAt: last_at,
      dueAt: due ?? 0,
    }))
}

/** The channels with a due test, for which a person waits. Due tests are few, and have an index of their own. */
async function dueTests(db: Db, now: number): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('alert_delivery')
    .select('channel_id')
    .where(sql<boolean>`state = 'waiting' and kind = 'test'`)
    .where('due_at', '<=', now)
    .execute()
  return new Set(rows.map(({ channel_id }) => channel_id))
}

/**
 * True while a lease lasts. If it ends further in the future than any lease can, a clock was set back, so the lease
 * counts as free.
 */
export const isLeased = (until: number | null, now: number): boolean =>
  until !== null && isAhead(until, now, deliveryLeaseMs)

/** The columns of a channel that no node serves. */
export const unservedColumns = { serving_node: null, serving_until: null } as const

export async function deleteDeliveries(trx: Db, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await trx.deleteFrom('alert_delivery').where('id', 'in', ids).execute()
}

/**
 * Sets a new due time for the messages of a channel whose text was not written yet. `at` returns the time from which a
 * change may be sent, or undefined if the person no longer wants it; a message without wanted changes is deleted.
 */
export async function rescheduleDeliveries<C extends StoredChange>(
  trx: Db,
  channel: ChannelOf,
  at: (change: C) => number | undefined,
  now: number,
): Promise<void> {
  const rows = await trx
    .selectFrom('alert_delivery')
    .selectAll()
    .where('channel_id', '=', channel.id)
    .where('state', '=', 'waiting')
    .where('kind', '=', 'alert')
    .where('body', 'is', null)
    .execute()
  for (const row of rows) {
    const times = (deliveryChangesOf<C>(row) ?? []).flatMap((change) => at(change) ?? [])
    if (times.length === 0) await deleteDeliveries(trx, [row.id])
    else
      await trx
        .updateTable('alert_delivery')
        .set({ due_at: dueAt({ ...channel, notBefore: Math.max(...times) }, now) })
        .where('id', '=', row.id)
        .execute()
  }
}
