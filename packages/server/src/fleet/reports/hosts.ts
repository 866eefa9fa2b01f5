/** The hosts of agents whose last report is older than the column for them: they are in the bodies of the reports. */
import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../platform/db/open.ts'
import { storedReport } from './body.ts'

/**
 * The number of bodies that are read at a time. A body has up to 256 KB, so reading only a few keeps the turns of the
 * event loop short.
 */
const bodiesAtOnce = 8

export async function reportedHosts(db: Db, ids: readonly string[]): Promise<Map<string, string | null>> {
  const hosts = new Map<string, string | null>()
  for (let i = 0; i < ids.length; i += bodiesAtOnce) {
    const bodies = await db
      .selectFrom('agent_report')
      .select(['agent_id', 'body'])
      .where('agent_id', 'in', ids.slice(i, i + bodiesAtOnce))
      .execute()
    for (const { agent_id, body } of bodies) hosts.set(agent_id, hostIn(body))
    await setImmediate()
  }
  return hosts
}

/** The host in the body of a report. A body that cannot be read has none: it must not take the whole list with it. */
function hostIn(body: string): string | null {
  try {
    return storedReport(body).agent?.host ?? null
  } catch {
    return null
  }
}
