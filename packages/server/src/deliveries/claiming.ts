/**
 * Takes the next message of a channel for this node. One node serves a channel at a time: the channel has a lease from
 * the moment a message is taken until its outcome is stored.
 */
import type { Db, Store } from '../platform/db/open.ts'
import type { AlertChannelRow, AlertDeliveryRow } from '../platform/db/tables.ts'
import { transaction } from '../platform/db/transaction.ts'
import { errorWords } from './attempt.ts'
import { type DeliveryPlan, planNextMessage, type WaitingDelivery } from './order.ts'
import { countUnwritable, endReplaced, lockChannel } from './settling.ts'
import { deleteDeliveries, deliveryLeaseMs, groupDelayMs, insertDelivery, isLeased, ownerIsDisabled } from './store.ts'
import {
  deliveryChangesOf,
  type MessageWriter,
  type StoredChange,
  type WrittenMessage,
  writtenMessageOf,
} from './writer.ts'

/** A delivery that this node has taken, with its channel and its written message. */
export interface ClaimedDelivery {
  channel: AlertChannelRow
  row: AlertDeliveryRow
  written: WrittenMessage
}

/** A message that could not be written, and why. */
interface UnwritableMessage {
  delivery: string
  reason: string
}

interface ClaimResult {
  /** The message to send; undefined if this node has none to send now. */
  claimed: ClaimedDelivery | undefined
  unwritable: readonly UnwritableMessage[]
}

interface ClaimContext<C extends StoredChange> {
  channelId: string
  /** The id of this node, which no other node on the same database has. */
  node: string
  writer: MessageWriter<C>
  now: number
  /** A number from 0 up to 1, which spreads the time of the next try of a message that cannot be written. */
  random: number
  /** The id of a test delivery. If it is given, no other delivery is taken. */
  only?: string | undefined
}

/** The maximum number of waiting deliveries of a channel that are read at once; the others follow later. */
const maxRead = 1000

/**
 * Takes the next due message of a channel, writes its text if it has none yet, and ends the waiting messages that it
 * replaces. A message that cannot be written counts as tried, so that it does not block the others.
 */
export const claimDeliveries = <C extends StoredChange>(
  { db }: Store,
  context: ClaimContext<C>,
): Promise<ClaimResult> =>
  transaction(db, async (trx) => {
    const { channelId, node, now, only } = context
    const channel = await lockChannel(trx, channelId)
    const isOurs = channel?.serving_node === node
    const nothing = { claimed: undefined, unwritable: [] }
    if (!channel || (!isOurs && isLeased(channel.serving_until, now))) return nothing
    if (channel.person_id !== null && (await ownerIsDisabled(trx, channel))) return nothing
    const waiting = await readWaiting(trx, channel)
    // Another node may run an earlier version, which leases the delivery and not the channel.
    if (!isOurs && waiting.some(({ leased_until }) => isLeased(leased_until, now))) return nothing
    const wanted = waiting.filter(({ id, kind }) =>
      only === undefined ? channel.enabled === 1 || kind === 'test' : id === only,
    )
    const { next, unwritable } = await nextMessage(trx, channel, wanted, context)
    if (next) await lease(trx, next, { node, until: now + deliveryLeaseMs })
    return { claimed: next, unwritable }
  })

const readWaiting = (trx: Db, { id }: AlertChannelRow): Promise<AlertDeliveryRow[]> =>
  trx
    .selectFrom('alert_delivery')
    .selectAll()
    .where('channel_id', '=', id)
    .where('state', '=', 'waiting')
    .orderBy('seq')
    .orderBy('id')
    .limit(maxRead)
    .execute()

async function lease(trx: Db, { channel, row }: ClaimedDelivery, { node, until }: { node: string; until: number }) {
  await trx
    .updateTable('alert_channel')
    .set({ serving_node: node, serving_until: until })
    .where('id', '=', channel.id)
    .execute()
  // Nodes of an earlier version look at the lease of the delivery.
  await trx.updateTable('alert_delivery').set({ leased_until: until }).where('id', '=', row.id).execute()
}

/**
 * Plans which message is sent. If that message cannot be written, plans again without it, until one can be sent or none
 * is left.
 */
async function nextMessage<C extends StoredChange>(
  trx: Db,
  channel: AlertChannelRow,
  wanted: readonly AlertDeliveryRow[],
  context: ClaimContext<C>,
): Promise<{ next: ClaimedDelivery | undefined; unwritable: UnwritableMessage[] }> {
  const unwritable: UnwritableMessage[] = []
  let left = wanted
  const leaveOut = async (bad: readonly AlertDeliveryRow[], reason: string) => {
    left = left.filter((row) => !bad.includes(row))
    for (const row of bad) {
      await countUnwritable(trx, row, reason, context)
      // The log has one line for each such message, at its first try.
      if (row.tries === 0) unwritable.push({ delivery: row.id, reason })
    }
  }
  const unread = wanted.filter((row) => (row.due_at ?? 0) <= context.now && deliveryOf<C>(row) === undefined)
  await leaveOut(unread, 'what is stored cannot be read')
  for (;;) {
    const { writer, now } = context
    const deliveries = left.flatMap((row) => deliveryOf<C>(row) ?? [])
    const plan = planNextMessage(deliveries, {
      format: channel.format,
      now,
      groupAfter: groupDelayMs,
      fold: writer.fold,
    })
    if (!plan.next && !plan.write) return { next: undefined, unwritable }
    try {
      return { next: await carryOut(trx, channel, left, { plan, claiming: context }), unwritable }
    } catch (error) {
      if (!(error instanceof WritingFailed)) throw error
      const about = new Set([plan.next, ...plan.dropped, ...plan.replaced])
      const unwritten = left.filter(({ id, body }) => about.has(id) && body === null)
      const failing = unwritten.filter((row) => failsAlone(channel, row, context))
      await leaveOut(failing.length > 0 ? failing : unwritten, errorWords(error.cause))
    }
  }
}

/**
 * Converts a row to the form that the plan needs; undefined if the stored changes, or the stored message, cannot be
 * read.
 */
function deliveryOf<C extends StoredChange>(row: AlertDeliveryRow): WaitingDelivery<C> | undefined {
  const changes = deliveryChangesOf<C>(row)
  if (!changes || (row.body !== null && !writtenMessageOf(row))) return undefined
  const { id, kind, body, tries, due_at } = row
  return { id, isTest: kind === 'test', changes, isWritten: body !== null, tries, dueAt: due_at ?? 0 }
}

/** The error for a message that the writer could not write. Its cause is the writer's error. */
class WritingFailed extends Error {}

function write<C extends StoredChange>(
  channel: AlertChannelRow,
  { isTest, changes }: Pick<WaitingDelivery<C>, 'isTest' | 'changes'>,
  { writer, now }: ClaimContext<C>,
): WrittenMessage {
  try {
    const [first] = changes as readonly (C & { workspace?: string })[]
    return isTest ? writer.test(first?.workspace ?? '', channel, now) : writer.write(channel, changes, now)
  } catch (cause) {
    throw new WritingFailed('The message could not be written.', { cause })
  }
}

function failsAlone<C extends StoredChange>(
  channel: AlertChannelRow,
  row: AlertDeliveryRow,
  context: ClaimContext<C>,
): boolean {
  try {
    write(channel, { isTest: row.kind === 'test', changes: deliveryChangesOf<C>(row) ?? [] }, context)
    return false
  } catch {
    return true
  }
}

/** Writes the planned message and ends the messages that it replaces. Changes nothing if it throws WritingFailed. */
async function carryOut<C extends StoredChange>(
  trx: Db,
  channel: AlertChannelRow,
  rows: readonly AlertDeliveryRow[],
  { plan, claiming }: { plan: DeliveryPlan<C>; claiming: ClaimContext<C> },
): Promise<ClaimedDelivery | undefined> {
  const { now } = claiming
  const planned = rows.find(({ id }) => id === plan.next)
  const isTest = planned?.kind === 'test'
  const written = plan.write ? write(channel, { isTest, changes: plan.write.changes }, claiming) : undefined
  await endReplaced(trx, plan.replaced, now)
  await deleteDeliveries(trx, plan.dropped)
  if (!written) return planned && { channel, row: planned, written: writtenMessageOf(planned) as WrittenMessage }
  const body = JSON.stringify(written)
  if (planned) {
    await trx.updateTable('alert_delivery').set({ body }).where('id', '=', planned.id).execute()
    return { channel, row: { ...planned, body }, written }
  }
  await trx.updateTable('alert_channel').set({ grouped_at: now }).where('id', '=', channel.id).execute()
  const changes = JSON.stringify(plan.write?.changes)
  const ended = new Set([...plan.replaced, ...plan.dropped])
  const seq = Math.max(...rows.filter(({ id }) => ended.has(id)).map((row) => row.seq))
  return { channel, row: await insertDelivery(trx, channel.id, { changes, body, due_at: now, seq }, now), written }
}
