/** Frees the leases of an earlier process at the start of the only one. */
import { sql } from 'kysely'
import type { Store } from '../../platform/db/open.ts'
import { storedTimes } from './stored-times.ts'

/**
 * Makes every lease void, when no other process can hold one: those of an earlier process that was killed. The table of
 * stored times, which a test compares with the schema, says which columns are leases.
 */
export async function freeLeases({ db }: Store): Promise<void> {
  for (const [table, columns] of Object.entries(storedTimes))
    for (const [column, rule] of Object.entries(columns))
      if (rule.is === 'lease')
        await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${rule.free} where ${sql.ref(column)} > 0`.execute(
          db,
        )
}
