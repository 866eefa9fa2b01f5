/** Decides whether a message that was given up may still be sent, or would tell people something that is over. */

import { subjectText } from '@svc/api/words'
import { changesOf } from '../../deliveries/writer.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AlertChange } from '../messages/message.ts'

/**
 * The reason why a message must not be sent again: an alert that it calls open has ended, or its channel has accepted,
 * or will get, a newer message about the same alert. Undefined if it may be sent.
 */
export async function whyOutdated(db: Db, id: string): Promise<string | undefined> {
  const row = await db.selectFrom('alert_delivery').selectAll().where('id', '=', id).executeTakeFirst()
  if (row?.state !== 'dead' || row.kind !== 'alert') return undefined
  const changes = changesOf<AlertChange>(row) ?? []
  const later = await db
    .selectFrom('alert_delivery')
    .select('changes')
    .where('channel_id', '=', row.channel_id)
    .where('seq', '>', row.seq)
    .where('state', 'in', ['sent', 'waiting'])
    .where('kind', '=', 'alert')
    .execute()
  const newer = new Set(later.flatMap((one) => changesOf(one) ?? []).map((change) => change.id))
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
