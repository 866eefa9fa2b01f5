/** The deliveries to the channels of a workspace: lists them, and sends a dead one again. */
import type { DeliveryRow, DeliveryState } from '@svc/api'
import { subjectText } from '@svc/api/words'
import type { Verdict } from '@svc/protocol'
import { retryGivenUp } from '../../deliveries/settling.ts'
import { deliveryChangesOf } from '../../deliveries/writer.ts'
import type { ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AlertDeliveryRow } from '../../platform/db/tables.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { done, refuse } from '../../platform/verdict.ts'
import type { AlertChange } from '../messages/message.ts'
import { deliveriesOwned } from '../owned.ts'
import { type ScopeRef, scopeOf } from '../scope.ts'

export async function listDeliveries(
  db: Db,
  scopeRef: ScopeRef,
  { state, limit }: { state: DeliveryState | undefined; limit: number },
): Promise<DeliveryRow[]> {
  const rows = await deliveriesOwned(db, { scope: scopeRef })
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
  scopeRef: ScopeRef,
  id: string,
): Promise<Verdict<{ ok: true }, 'delivery_unknown' | 'delivery_not_dead' | 'delivery_outdated'>> =>
  transaction(db, async (trx) => {
    const channel = await deliveriesOwned(trx, { scope: scopeRef })
      .select('alert_channel.name')
      .where('alert_delivery.id', '=', id)
      .executeTakeFirst()
    if (!channel) return refuse('delivery_unknown', 'There is no such delivery; they are kept for 30 days.')
    const outdated = await whyOutdated(trx, id)
    if (outdated !== undefined) return refuse('delivery_outdated', outdated)
    if (!(await retryGivenUp(trx, id, now)))
      return refuse('delivery_not_dead', 'Only a dead delivery can be sent again: this one waits or was taken.')
    const subject = `channel ${channel.name}`
    await audit(trx, {
      workspaceId: scopeOf(scopeRef).workspaceId,
      at: now,
      by,
      action: 'delivery.retried',
      subject,
      details: { delivery: id },
    })
    return done({ ok: true } as const)
  })

/**
 * Says why a dead message must not be sent again: an alert that it calls open has ended, or a newer message about the
 * same alert was sent to the channel or waits for it. Undefined if neither is so.
 */
async function whyOutdated(db: Db, id: string): Promise<string | undefined> {
  const row = await db.selectFrom('alert_delivery').selectAll().where('id', '=', id).executeTakeFirst()
  if (row?.state !== 'dead' || row.kind !== 'alert') return undefined
  const changes = deliveryChangesOf<AlertChange>(row) ?? []
  const later = await db
    .selectFrom('alert_delivery')
    .select('changes')
    .where('channel_id', '=', row.channel_id)
    .where('seq', '>', row.seq)
    .where('state', 'in', ['sent', 'waiting'])
    .where('kind', '=', 'alert')
    .execute()
  const newer = new Set(later.flatMap((one) => deliveryChangesOf(one) ?? []).map((change) => change.id))
  for (const { id: alert, type, subject } of changes) {
    if (newer.has(alert))
      return `A newer message about ${subjectText(subject)} was sent to this channel, or is waiting for it.`
    if (type !== 'alert.ended' && (await hasEnded(db, alert)))
      return `The message says that an alert about ${subjectText(subject)} is open, but that alert has ended.`
  }
  return undefined
}

async function hasEnded(db: Db, id: string): Promise<boolean> {
  const alert = await db.selectFrom('alert').select('ended_at').where('id', '=', id).executeTakeFirst()
  return alert !== undefined && alert.ended_at !== null
}
