/** Reads the facts by which the rule `service` judges the service itself. */
import { statfs } from 'node:fs/promises'
import type { Db } from '../../platform/db/open.ts'
import { undecidedLoss } from '../../platform/marks.ts'
import { type Clocks, jumpBetween, type ServiceFacts } from './service.ts'

interface ServiceFactsSource {
  /** The folder of the embedded database; undefined on PostgreSQL, whose disk may be on another machine. */
  dataDir: string | undefined
  clocks: () => Clocks
}

/**
 * The smallest jump of the clock that is recorded, in milliseconds. Smaller ones are normal corrections of the time.
 */
const minJumpMs = 60_000

/**
 * Makes the function that reads the facts. The function remembers the clocks of its last call to detect a jump, so each
 * node must make only one such function.
 */
export function createServiceFacts({ dataDir, clocks }: ServiceFactsSource): (db: Db) => Promise<ServiceFacts> {
  let before = clocks()
  let clockJump: ServiceFacts['clockJump'] = null
  return async (db) => {
    const now = clocks()
    const by = jumpBetween(before, now)
    if (Math.abs(by) >= minJumpMs) clockJump = { at: now.wall, by }
    before = now
    const lease = await db.selectFrom('alert_lease').select('turned_at').where('id', '=', 1).executeTakeFirst()
    const backup = await db.selectFrom('service_backup').select('at').where('id', '=', 1).executeTakeFirst()
    return {
      diskFree: dataDir === undefined ? null : await readFreeShare(dataDir),
      lastBackupAt: backup?.at ?? null,
      clockJump,
      evaluatedAt: lease?.turned_at ?? null,
      wentBack: (await undecidedLoss(db)) ?? null,
    }
  }
}

async function readFreeShare(folder: string): Promise<number | null> {
  try {
    const { bavail, blocks } = await statfs(folder)
    return blocks === 0 ? null : bavail / blocks
  } catch {
    return null
  }
}
