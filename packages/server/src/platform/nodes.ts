/**
 * Finds the nodes that run, and which of them are of an earlier version that does not know second factors, filters of
 * alert rules, passkeys, or connections with a sign-in provider.
 */
import { sql } from 'kysely'
import type pg from 'pg'
import { isPostgres } from './db/engine.ts'
import type { Db } from './db/open.ts'
import { dayMs } from './limits/units.ts'

/**
 * The number of PostgreSQL's advisory lock that every running node holds, over the connection on which it receives
 * announcements. The number itself is arbitrary.
 */
const runningLock = 7_270_002

/** Takes the lock by which others see that this node runs. It is held until the connection ends. */
export async function holdRunningLock(listening: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await listening.query('select pg_advisory_lock_shared($1)', [runningLock])
}

/** True if a node holds the running lock. Nodes of earlier versions do not hold it. */
export async function isAnyNodeRunning(db: Db): Promise<boolean> {
  if (!isPostgres(db)) return false
  const { rows } = await sql<{ free: boolean }>`select pg_try_advisory_xact_lock(${runningLock}) as free`.execute(db)
  return rows[0]?.free === false
}

/**
 * The milliseconds for which a node counts as running after an announcement from it arrived, or after it renewed its
 * row.
 */
export const runsAfterSignMs = 120_000

/** Writes the row that shows other nodes which features this node knows, and deletes rows of former nodes. */
export async function noteNode(pool: Pick<pg.Pool, 'query'>, node: string, now: number): Promise<void> {
  await pool.query(
    `insert into factor_node (node, at, rule_filters, passkeys, oidc) values ($1, $2, 1, 1, 1)
      on conflict (node) do update set at = excluded.at, rule_filters = 1, passkeys = 1, oidc = 1`,
    [node, now],
  )
  await pool.query('delete from factor_node where at < $1', [now - dayMs])
}

/**
 * True if a node has no row in `factor_node`: its version does not ask for second factors. `heard` has the names of the
 * nodes from which announcements arrived.
 */
export async function isNodeWithoutFactors(db: Db, heard: readonly string[]): Promise<boolean> {
  if (heard.length === 0 || !isPostgres(db)) return false
  const known = await db
    .selectFrom('factor_node')
    .select('node')
    .where('node', 'in', [...heard])
    .execute()
  return known.length < new Set(heard).size
}

/**
 * True if a node runs that does not know this feature: one of `heard`, from which announcements arrived, or one that
 * renewed its row. Such a node would ignore the filters of rules, accept a password as the proof of somebody who has a
 * passkey, or leave an account connected with the provider when it hands the account over. `heard` is empty on the
 * operator's command line.
 */
export async function isNodeWithout(
  what: 'rule_filters' | 'passkeys' | 'oidc',
  db: Db,
  heard: readonly string[],
  now: number,
): Promise<boolean> {
  if (!isPostgres(db)) return false
  const rows = await db
    .selectFrom('factor_node')
    .selectAll()
    .where((eb) =>
      eb.or([eb('at', '>', now - runsAfterSignMs), ...(heard.length > 0 ? [eb('node', 'in', heard)] : [])]),
    )
    .execute()
  const known = new Set(rows.filter((row) => row[what] === 1).map(({ node }) => node))
  return rows.some((row) => row[what] !== 1) || heard.some((node) => !known.has(node))
}
