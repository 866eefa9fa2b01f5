/**
 * Records when the whole service was down. Every running node writes the time into one row of the database; a node that
 * finds an old time there records an outage. A runtime on trial needs one accepted report, so a rollback during an
 * outage does not count against its version.
 */
import { stateDays } from '../../fleet/agents/offline.ts'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { dayMs } from '../../platform/limits/units.ts'

const beatEveryMs = 10_000
/** The minimum milliseconds of an outage that is recorded. A shorter one is a restart, which no trial notices. */
const minAwayMs = 30_000

/** A time span in which no node of the service ran, in Unix milliseconds. */
export interface Outage {
  from: number
  to: number
}

/**
 * Records that the service is running, and an outage if one has just ended. A node calls this at startup, before it
 * answers the first report, and in every round of the sweeper.
 */
export async function noteRunning(db: Db, now: number): Promise<void> {
  const lastBeat = await db.selectFrom('service_beat').select('at').where('id', '=', 1).executeTakeFirst()
  if (lastBeat && now - lastBeat.at < beatEveryMs) return
  await transaction(db, async (trx) => {
    const one = { id: 1, at: now }
    await trx
      .insertInto('service_beat')
      .values(one)
      .onConflict((oc) => oc.column('id').doNothing())
      .execute()
    const row = trx.selectFrom('service_beat').select('at').where('id', '=', 1)
    const { at } = await (isPostgres(trx) ? row.forUpdate() : row).executeTakeFirstOrThrow()
    if (now <= at) return
    if (now - at > minAwayMs) await trx.insertInto('service_away').values({ from_at: at, until_at: now }).execute()
    await trx.updateTable('service_beat').set(one).where('id', '=', 1).execute()
    await trx
      .deleteFrom('service_away')
      .where('until_at', '<', now - stateDays * dayMs)
      .execute()
  })
}

/** The recorded outages that ended after `since`. */
export async function readOutages(db: Db, since: number): Promise<Outage[]> {
  const rows = await db.selectFrom('service_away').selectAll().where('until_at', '>', since).orderBy('seq').execute()
  return rows.map(({ from_at, until_at }) => ({ from: from_at, to: until_at }))
}

/** The first of the given outages that overlaps the time from `since` to `until`; undefined if none does. */
export const outageBetween = (times: readonly Outage[], since: number, until: number): Outage | undefined =>
  times.find(({ from, to }) => from < until && to > since)
