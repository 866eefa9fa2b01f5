/** The service is healthy if a check shows within two seconds that its database accepts writes. */
import { sql } from 'kysely'
import type { Store } from '../../platform/db/open.ts'
import { lockedWords } from '../../platform/db/writer-lock.ts'
import { lossWords, undecidedLoss } from '../../platform/marks.ts'
import { overdueAt } from './alert-metrics.ts'

const patienceMs = 2000
/** The milliseconds for which the result of a check is used again, so that frequent checks cost almost nothing. */
const reuseMs = 1000

/**
 * The result of a check. `warning` says that the database lost changes or that the clock stepped. `messages` counts the
 * messages about alerts that should have been tried more than a minute ago.
 */
export type Health =
  | { ok: true; warning?: string; messages?: { overdue: number; workspaces: number } }
  | { ok: false; message: string }

/** Returns a function that checks the service. `clockWarning` returns a sentence about a recent step of the clock. */
export function healthOf(
  store: Store,
  now: () => number,
  clockWarning: () => string | undefined = () => undefined,
): () => Promise<Health> {
  let last: Promise<Health> | undefined
  let asked = Number.NEGATIVE_INFINITY
  return () => {
    if (last && performance.now() - asked < reuseMs) return last
    asked = performance.now()
    last = check(store, now(), clockWarning())
    return last
  }
}

async function check(store: Store, now: number, clockWarning: string | undefined): Promise<Health> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Health>((resolve) => {
    const message = `The database did not take a write within ${patienceMs / 1000} s.`
    timer = setTimeout(() => resolve({ ok: false, message }), patienceMs)
  })
  const overdue = async (): Promise<Health> => {
    const { deliveries, workspaces } = await overdueAt(store.db, now)
    return { ok: true, ...(deliveries > 0 && { messages: { overdue: deliveries, workspaces } }) }
  }
  const written = write(store).then(
    async () => ({ ...(await overdue()), ...(await readWarning(store, clockWarning)) }),
    (error): Health => {
      const heldSince = store.engine === 'sqlite' ? store.lock.heldSince : undefined
      if (heldSince !== undefined) return { ok: false, message: lockedWords(heldSince) }
      return { ok: false, message: `The database takes no writes: ${error?.message ?? error}` }
    },
  )
  return await Promise.race([written, late]).finally(() => clearTimeout(timer))
}

async function readWarning({ db }: Store, clockWarning: string | undefined): Promise<{ warning?: string }> {
  const loss = await undecidedLoss(db)
  const lossWarning = loss && `${lossWords(loss)} "svc-server database status" says what to do.`
  const warnings = [lossWarning, clockWarning].filter((one) => one !== undefined)
  return warnings.length > 0 ? { warning: warnings.join(' ') } : {}
}

/**
 * On SQLite, writes one page of the database, synced like every commit. On PostgreSQL, only asks whether the database
 * is a read-only copy.
 */
async function write({ engine, db }: Store): Promise<void> {
  if (engine === 'sqlite') {
    const stamp = Math.floor(Date.now() / 1000) % 2_000_000_000
    await db.transaction().execute((trx) => sql`pragma user_version = ${sql.lit(stamp)}`.execute(trx))
    return
  }
  const asked = sql<{ only: string }>`select current_setting('transaction_read_only') as only`
  const { rows } = await asked.execute(db)
  if (rows[0]?.only !== 'off') throw new Error('it is a read-only copy')
}
