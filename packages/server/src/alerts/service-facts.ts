/** Reads what the rule `service` is judged by, where it is about the service itself. */
import { statfs } from 'node:fs/promises'
import type { Db } from '../db/open.ts'
import { type Clocks, jumpBetween, type ServiceFacts } from './service.ts'

interface Reading {
  /** The folder of the embedded database; undefined on PostgreSQL, whose disk is elsewhere. */
  dataDir: string | undefined
  clocks: () => Clocks
}

/** Less than this is a clock that is put right by a little, and goes on counting. */
const minJumpMs = 60_000

/** Keeps what is found by comparing two looks: one reader for each node. */
export function newServiceFacts({ dataDir, clocks }: Reading): (db: Db) => Promise<ServiceFacts> {
  let before = clocks()
  let clockJump: ServiceFacts['clockJump'] = null
  return async (db) => {
    const now = clocks()
    const by = jumpBetween(before, now)
    if (Math.abs(by) >= minJumpMs) clockJump = { at: now.wall, by }
    before = now
    const lease = await db.selectFrom('alert_lease').select('turned_at').where('id', '=', 1).executeTakeFirst()
    return {
      diskFree: dataDir === undefined ? null : await freeOf(dataDir),
      // Backups are not written down yet.
      lastBackupAt: null,
      clockJump,
      evaluatedAt: lease?.turned_at ?? null,
    }
  }
}

async function freeOf(folder: string): Promise<number | null> {
  try {
    const { bavail, blocks } = await statfs(folder)
    return blocks === 0 ? null : bavail / blocks
  } catch {
    return null
  }
}
