/**
 * Deliveries as rows. A row is inserted in the transaction that changes its alert. The row's body is written before the
 * first try and never changes afterwards. If the messages of a channel are grouped, one new row replaces the rows that
 * wait.
 */

import type { Db, Store } from '../db/open.ts'
import type { AlertChannelRow, AlertDeliveryRow } from '../db/tables.ts'
import { transaction } from '../db/transaction.ts'
import { newId } from '../ids.ts'
import { lockChannel } from './settling.ts'

const second = 1000
/** How long a channel waits for further changes before it sends a group, and the minimum time between two groups. */
const groupAfter = 30 * second
const groupEvery = 300 * second
/**
 * The maximum number of deliveries that a node takes from a channel at once, and the time for which other nodes do not
 * try these deliveries.
 */
const triesAtOnce = 3
const claimMs = 60 * second
const channelsAtOnce = 20

/** The change that a delivery is about, stored as JSON. Only the writer of messages reads more of it than the id. */
type StoredChange = { id: string }

/** A message as it is sent: the text for chats and mails, the body for webhooks. */
interface Written {
  text: { title: string; lines: readonly string[]; url: string; level: 'warn' | 'bad' | null }
  body: string
  /** The address of the page on which people change the channel. */
  settingsUrl?: string
}

/** Writes messages from changes. All changes passed to one call belong to the same workspace, or to the service. */
export interface Writer<C extends StoredChange> {
  /** Leaves out the changes that are not worth sending any longer. */
  fold(changes: readonly C[]): readonly C[]
  write(channel: AlertChannelRow, changes: readonly C[], now: number): Written
  test(workspace: string, channel: AlertChannelRow, now: number): Written
}

export interface Claimed {
  channel: AlertChannelRow
  deliveries: readonly { row: AlertDeliveryRow; written: Written }[]
}

type ChannelOf = Pick<AlertChannelRow, 'id' | 'format' | 'grouped_at'> & {
  /** The time before which the owner of a personal channel wants no message there. */
  notBefore?: number
}

/** Queues a change for each of the channels, in the transaction that makes the change. */
export async function enqueue(
  trx: Db,
  channels: readonly ChannelOf[],
  change: StoredChange,
  now: number,
): Promise<void> {
  if (channels.length === 0) return
  const changes = JSON.stringify([change])
  const rows = channels.map((channel) => newDelivery(channel.id, { changes, due_at: dueAt(channel, now) }, now))
  await trx.insertInto('alert_delivery').values(rows).execute()
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
  const row = newDelivery(
    channelId,
    { kind: 'test', changes: JSON.stringify([{ id: '', workspace }]), due_at: now },
    now,
  )
  await trx.insertInto('alert_delivery').values(row).execute()
  return row.id
}

const dueAt = ({ format, grouped_at, notBefore = 0 }: ChannelOf, now: number): number =>
  Math.max(
    notBefore,
    format === 'single' ? now : Math.max(now + groupAfter, Math.min(grouped_at ?? 0, now) + groupEvery),
  )

const newDelivery = (channel_id: string, more: Partial<AlertDeliveryRow>, now: number): AlertDeliveryRow => ({
  id: newId(now),
  channel_id,
  kind: 'alert',
  changes: '[]',
  body: null,
  state: 'waiting',
  tries: 0,
  created_at: now,
  due_at: now,
  leased_until: null,
  ended_at: null,
  last_answer: null,
  ...more,
})

/** The ids of up to 20 channels that have a due delivery, those that have waited longest first. */
export async function dueChannels({ db }: Store, now: number): Promise<string[]> {
  const rows = await db
    .selectFrom('alert_delivery')
    .innerJoin('alert_channel', 'alert_channel.id', 'channel_id')
    .select(({ fn }) => ['channel_id as id', fn.min('due_at').as('due')])
    .where('state', '=', 'waiting')
    .where('due_at', '<=', now)
    .where((eb) => eb.or([eb('leased_until', 'is', null), eb('leased_until', '<=', now)]))
    .where((eb) => eb.or([eb('enabled', '=', 1), eb('alert_delivery.kind', '=', 'test')]))
    .groupBy('channel_id')
    .orderBy('due')
    .limit(channelsAtOnce)
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Takes up to three due deliveries of a channel for this node, and writes their bodies first. For a minute no other
 * node tries them. Undefined if none is due.
 */
export const claim = <C extends StoredChange>(
  { db }: Store,
  channelId: string,
  writer: Writer<C>,
  now: number,
): Promise<Claimed | undefined> =>
  transaction(db, async (trx) => {
    const channel = await lockChannel(trx, channelId)
    if (!channel) return undefined
    await writeBodies(trx, channel, writer, now)
    const due = trx
      .selectFrom('alert_delivery')
      .selectAll()
      .where('channel_id', '=', channelId)
      .where('state', '=', 'waiting')
      .where('body', 'is not', null)
      .where('due_at', '<=', now)
      .where((eb) => eb.or([eb('leased_until', 'is', null), eb('leased_until', '<=', now)]))
      .$if(channel.enabled === 0, (query) => query.where('kind', '=', 'test'))
    // Tests come first, because a person is waiting for the answer.
    const rows = await due.orderBy('kind', 'desc').orderBy('due_at').orderBy('id').limit(triesAtOnce).execute()
    if (rows.length === 0) return undefined
    const ids = rows.map(({ id }) => id)
    await trx
      .updateTable('alert_delivery')
      .set({ leased_until: now + claimMs })
      .where('id', 'in', ids)
      .execute()
    return { channel, deliveries: rows.map((row) => ({ row, written: JSON.parse(row.body ?? '') as Written })) }
  })

/**
 * Writes the bodies of deliveries that are due and have none: one body for each change, or one for the whole group. If
 * at least one delivery is due, those that will be due within 30 s are also written.
 */
async function writeBodies<C extends StoredChange>(
  trx: Db,
  channel: AlertChannelRow,
  writer: Writer<C>,
  now: number,
): Promise<void> {
  const waiting = await trx
    .selectFrom('alert_delivery')
    .selectAll()
    .where('channel_id', '=', channel.id)
    .where('state', '=', 'waiting')
    .where('body', 'is', null)
    .orderBy('id')
    .execute()
  const set = (id: string, written: Written) =>
    trx
      .updateTable('alert_delivery')
      .set({ body: JSON.stringify(written) })
      .where('id', '=', id)
      .execute()
  for (const row of waiting.filter(({ kind }) => kind === 'test')) {
    const [about] = changesOf<{ id: string; workspace: string }>(row)
    await set(row.id, writer.test(about?.workspace ?? '', channel, now))
  }
  // A message that a person wants only later is not sent together with messages that are due now.
  const rows = waiting.filter(({ kind, due_at }) => kind === 'alert' && (due_at ?? 0) <= now + groupAfter)
  if (channel.enabled === 0 || !rows.some((row) => (row.due_at ?? 0) <= now)) return
  const changed = rows.flatMap((row) => changesOf<C>(row).map((change) => ({ row, change })))
  const left = new Set(writer.fold(changed.map(({ change }) => change)))
  if (channel.format === 'grouped') return group(trx, channel, rows, writer.write(channel, [...left], now), now)
  const superseded = changed.filter(({ change }) => !left.has(change)).map(({ row }) => row.id)
  await withdraw(trx, superseded)
  for (const { row, change } of changed) if (left.has(change)) await set(row.id, writer.write(channel, [change], now))
}

/**
 * Replaces waiting rows by one row for the group. None of the replaced deliveries was tried yet, so the group may have
 * another id.
 */
async function group(
  trx: Db,
  { id }: AlertChannelRow,
  rows: readonly AlertDeliveryRow[],
  written: Written,
  now: number,
): Promise<void> {
  await withdraw(
    trx,
    rows.map((row) => row.id),
  )
  const changes = JSON.stringify(rows.flatMap((row) => changesOf(row)))
  const row = newDelivery(id, { changes, body: JSON.stringify(written) }, now)
  await trx.insertInto('alert_delivery').values(row).execute()
  await trx.updateTable('alert_channel').set({ grouped_at: now }).where('id', '=', id).execute()
}

async function withdraw(trx: Db, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await trx.deleteFrom('alert_delivery').where('id', 'in', ids).execute()
}

const changesOf = <C extends StoredChange>({ changes }: Pick<AlertDeliveryRow, 'changes'>): C[] =>
  JSON.parse(changes) as C[]

/**
 * Sets a new due time for the messages of a channel that were never tried. `at` returns the time from which a change
 * may be sent, or undefined if the person no longer wants it.
 */
export async function reschedule<C extends StoredChange>(
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
    const times = changesOf<C>(row).flatMap((change) => at(change) ?? [])
    if (times.length === 0) await withdraw(trx, [row.id])
    else
      await trx
        .updateTable('alert_delivery')
        .set({ due_at: dueAt({ ...channel, notBefore: Math.max(...times) }, now) })
        .where('id', '=', row.id)
        .execute()
  }
}
