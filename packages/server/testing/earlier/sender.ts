/**
 * The queries of the sender as it was in commit 1400c3d3, the version before channels had leases. A node of that
 * version may run beside a new one, so this file keeps its queries as they were and must not follow the current ones.
 */

import type { MessageWriter, StoredChange, WrittenMessage } from '../../src/deliveries/writer.ts'
import type { Db, Store } from '../../src/platform/db/open.ts'
import type { AlertChannelRow, AlertDeliveryRow } from '../../src/platform/db/tables.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { newId } from '../../src/platform/ids.ts'

const groupAfter = 30_000
const retryAfter = 5000
const [triesAtOnce, channelsAtOnce, claimMs] = [3, 20, 60_000]

export async function enqueue(db: Db, channel_id: string, change: StoredChange, due_at: number): Promise<void> {
  await db
    .insertInto('alert_delivery')
    .values({ ...newDelivery(channel_id, due_at), changes: JSON.stringify([change]), due_at })
    .execute()
}

const newDelivery = (channel_id: string, now: number) =>
  ({
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
  }) as const

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

export const claim = <C extends StoredChange>(
  { db }: Store,
  channelId: string,
  writer: MessageWriter<C>,
  now: number,
) =>
  transaction(db, async (trx) => {
    const channel = await lockChannel(trx, channelId)
    if (!channel) return []
    await writeBodies(trx, channel, writer, now)
    const rows = await trx
      .selectFrom('alert_delivery')
      .selectAll()
      .where('channel_id', '=', channelId)
      .where('state', '=', 'waiting')
      .where('body', 'is not', null)
      .where('due_at', '<=', now)
      .where((eb) => eb.or([eb('leased_until', 'is', null), eb('leased_until', '<=', now)]))
      .orderBy('kind', 'desc')
      .orderBy('due_at')
      .orderBy('id')
      .limit(triesAtOnce)
      .execute()
    if (rows.length === 0) return []
    const ids = rows.map(({ id }) => id)
    await trx
      .updateTable('alert_delivery')
      .set({ leased_until: now + claimMs })
      .where('id', 'in', ids)
      .execute()
    return rows
  })

const lockChannel = (trx: Db, id: string): Promise<AlertChannelRow | undefined> =>
  trx.selectFrom('alert_channel').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

async function writeBodies<C extends StoredChange>(
  trx: Db,
  channel: AlertChannelRow,
  writer: MessageWriter<C>,
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
  const rows = waiting.filter(({ due_at }) => (due_at ?? 0) <= now + groupAfter)
  if (channel.enabled === 0 || !rows.some((row) => (row.due_at ?? 0) <= now)) return
  const changed = rows.flatMap((row) => changesOf<C>(row).map((change) => ({ row, change })))
  const left = new Set(writer.fold(changed.map(({ change }) => change)))
  if (channel.format === 'grouped') return group(trx, channel, rows, writer.write(channel, [...left], now), now)
  const superseded = changed.filter(({ change }) => !left.has(change)).map(({ row }) => row.id)
  await withdraw(trx, superseded)
  for (const { row, change } of changed) {
    if (!left.has(change)) continue
    const body = JSON.stringify(writer.write(channel, [change], now))
    await trx.updateTable('alert_delivery').set({ body }).where('id', '=', row.id).execute()
  }
}

async function group(
  trx: Db,
  { id }: AlertChannelRow,
  rows: readonly AlertDeliveryRow[],
  written: WrittenMessage,
  now: number,
): Promise<void> {
  await withdraw(
    trx,
    rows.map((row) => row.id),
  )
  const changes = JSON.stringify(rows.flatMap((row) => changesOf(row)))
  await trx
    .insertInto('alert_delivery')
    .values({ ...newDelivery(id, now), changes, body: JSON.stringify(written) })
    .execute()
  await trx.updateTable('alert_channel').set({ grouped_at: now }).where('id', '=', id).execute()
}

async function withdraw(trx: Db, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await trx.deleteFrom('alert_delivery').where('id', 'in', ids).execute()
}

const changesOf = <C extends StoredChange>({ changes }: Pick<AlertDeliveryRow, 'changes'>): C[] =>
  JSON.parse(changes) as C[]

export const settle = ({ db }: Store, id: string, isTaken: boolean, now: number) =>
  transaction(db, async (trx) => {
    const found = await trx.selectFrom('alert_delivery').select('channel_id').where('id', '=', id).executeTakeFirst()
    const channel = found && (await lockChannel(trx, found.channel_id))
    const row = await trx.selectFrom('alert_delivery').selectAll().where('id', '=', id).executeTakeFirst()
    if (!channel || row?.state !== 'waiting') return
    await trx
      .updateTable('alert_delivery')
      .set({
        state: isTaken ? 'sent' : 'waiting',
        tries: row.tries + 1,
        due_at: isTaken ? null : now + retryAfter,
        leased_until: null,
        ended_at: isTaken ? now : null,
        last_answer: isTaken ? '200' : '503',
      })
      .where('id', '=', id)
      .execute()
    await trx
      .updateTable('alert_channel')
      .set({ last_answer: isTaken ? '200' : '503', last_at: now, failing_since: isTaken ? null : now })
      .where('id', '=', channel.id)
      .execute()
  })
