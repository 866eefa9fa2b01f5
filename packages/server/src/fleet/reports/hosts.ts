/**
 * Reads the hosts of agents whose last report was stored before the column for hosts existed. These hosts are only in
 * the bodies of the reports.
 */
import type { Db } from '../../platform/db/open.ts'
import { readBodies } from './bodies.ts'

export async function reportedHosts(db: Db, ids: readonly string[]): Promise<Map<string, string | null>> {
  const hosts = new Map<string, string | null>()
  for await (const [id, report] of readBodies(db, ids)) hosts.set(id, report?.agent?.host ?? null)
  return hosts
}
