/**
 * Reads an agent's signs, the facts that alerts need, from the body of its last report. That is needed if the agent has
 * not reported since the column for signs exists, or for a run that is too young to be in that column.
 */
import { setImmediate } from 'node:timers/promises'
import { storedReport } from '../../fleet/reports/body.ts'
import { type Signs, signsOf } from '../../fleet/reports/signs.ts'
import type { Db } from '../../platform/db/open.ts'

/**
 * The number of bodies that are read at a time. A body has up to 256 KB, so reading only a few keeps the turns of the
 * event loop short.
 */
const atOnce = 8

export async function signsOfBodies(db: Db, ids: readonly string[]): Promise<Map<string, Signs>> {
  const signs = new Map<string, Signs>()
  for (let i = 0; i < ids.length; i += atOnce) {
    const rows = await db
      .selectFrom('agent_report')
      .select(['agent_id', 'body'])
      .where('agent_id', 'in', ids.slice(i, i + atOnce))
      .execute()
    for (const { agent_id, body } of rows) signs.set(agent_id, signsOf(storedReport(body)))
    await setImmediate()
  }
  return signs
}
