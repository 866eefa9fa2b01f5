/** Alerts and mutes that ended long ago are erased, a piece at a time. */
import type { Db } from '../db/open.ts'
import { dayMs } from '../limits/days.ts'

const keptDays = 400
const rowsAtOnce = 500

export async function eraseOldAlerts(db: Db, now: number): Promise<void> {
  const until = now - keptDays * dayMs
  const old = db.selectFrom('alert').select('id').where('ended_at', 'is not', null).where('ended_at', '<', until)
  await db.deleteFrom('alert').where('id', 'in', old.orderBy('ended_at').limit(rowsAtOnce)).execute()
  const mutes = db.selectFrom('alert_mute').select('id').where('ended_at', '<', until)
  await db.deleteFrom('alert_mute').where('id', 'in', mutes.limit(rowsAtOnce)).execute()
}
