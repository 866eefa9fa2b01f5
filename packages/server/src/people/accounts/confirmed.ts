/**
 * Records and reads whether a person is known to own the account's e-mail address. A link of claim.ts proves it, and so
 * does an account that was made for an address which the sign-in provider has verified.
 */
import type { Db } from '../../platform/db/open.ts'

export async function confirmEmail(db: Db, personId: string, now: number): Promise<void> {
  await db
    .insertInto('email_confirmation')
    .values({ person_id: personId, at: now })
    .onConflict((conflict) => conflict.column('person_id').doNothing())
    .execute()
}

export async function isEmailConfirmed(db: Db, personId: string): Promise<boolean> {
  const row = db.selectFrom('email_confirmation').select('at').where('person_id', '=', personId)
  return (await row.executeTakeFirst()) !== undefined
}
