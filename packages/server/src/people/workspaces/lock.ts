import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'

/**
 * Locks a workspace until the transaction ends. So two changes at the same time cannot both remove the last admin, or
 * together exceed a limit, such as that of trials. A transaction may lock agents only afterwards; SQLite needs no lock,
 * since it has one writer.
 */
export async function lockWorkspace(trx: Db, id: string): Promise<void> {
  if (isPostgres(trx)) await trx.selectFrom('workspace').select('id').where('id', '=', id).forNoKeyUpdate().execute()
}
