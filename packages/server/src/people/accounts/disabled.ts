/** Reads which people the operator has disabled. A disabled person stays a member without any right. */
import type { Db } from '../../platform/db/open.ts'

export async function isDisabled(db: Db, personId: string): Promise<boolean> {
  const row = db.selectFrom('person_disabled').select('disabled_at').where('person_id', '=', personId)
  return (await row.executeTakeFirst()) !== undefined
}
