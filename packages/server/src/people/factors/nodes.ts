/** The nodes of a version that asks for second factors. A node of an earlier version has no row. */
import type pg from 'pg'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import { dayMs } from '../../platform/limits/units.ts'

/** Writes the row by which other nodes know that this one asks for second factors, and deletes rows of former nodes. */
export async function noteFactorNode(pool: Pick<pg.Pool, 'query'>, node: string, now: number): Promise<void> {
  await pool.query(
    'insert into factor_node (node, at) values ($1, $2) on conflict (node) do update set at = excluded.at',
    [node, now],
  )
  await pool.query('delete from factor_node where at < $1', [now - dayMs])
}

/**
 * True if one of these nodes, from which announcements arrived, is of a version that does not ask for second factors:
 * it has no row.
 */
export async function isOldNodeAmong(db: Db, heard: readonly string[]): Promise<boolean> {
  if (heard.length === 0 || !isPostgres(db)) return false
  const known = await db
    .selectFrom('factor_node')
    .select('node')
    .where('node', 'in', [...heard])
    .execute()
  return known.length < new Set(heard).size
}
