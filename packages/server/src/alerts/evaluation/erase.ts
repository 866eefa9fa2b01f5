/** Deletes alerts and mutes that ended more than 400 days ago, at most 500 of each per call. */
import type { Db } from '../../platform/db/open.ts'
import { dayMs } from '../../platform/limits/units.ts'

const keptDays = 400
const rowsAtOnce = 500

export async function eraseOldAlerts(db: Db, now: number): Promise<void> {
  const until = now - keptDays * dayMs
  const old = db.selectFrom('alert').select('id').where('ended_at', 'is not', null).where('ended_at', '<', until)
  await db.deleteFrom('alert').where('id', 'in', old.orderBy('ended_at').limit(rowsAtOnce)).execute()
  const mutes = db.selectFrom('alert_mute').select('id').where('ended_at', '<', until)
  await db.deleteFrom('alert_mute').where('id', 'in', mutes.limit(rowsAtOnce)).execute()
}
