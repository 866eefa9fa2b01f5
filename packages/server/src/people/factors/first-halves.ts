/**
 * The first halves of sign-ins, which wait for a second factor, as rows. Each function runs in the transaction that it
 * is given.
 */
import type { SignInRecord } from '@svc/api'
import type { Db } from '../../platform/db/open.ts'
import { isAheadSql } from '../../platform/db/times.ts'
import { hashToken } from '../../platform/tokens.ts'
import { halfSignInMs } from './rules.ts'

/** Stores the first half of a sign-in under the hash of its token. Halves that have expired are deleted. */
export async function beginFirstHalf(
  db: Db,
  { token, personId, method }: { token: string; personId: string; method: SignInRecord['method'] },
  now: number,
): Promise<void> {
  await db.deleteFrom('first_half').where('expires_at', '<=', now).execute()
  const row = { hash: hashToken(token), person_id: personId, method, expires_at: now + halfSignInMs }
  await db.insertInto('first_half').values(row).execute()
}

/** The first half of this token that can still be completed. */
export const findFirstHalf = (db: Db, token: string, now: number) =>
  db
    .selectFrom('first_half')
    .select(['hash', 'person_id', 'method'])
    .where('hash', '=', hashToken(token))
    .where(isAheadSql('expires_at', now, halfSignInMs))
    .executeTakeFirst()

/** Marks a first half as used, in one statement. False if it ended meanwhile. */
export async function spendFirstHalf(db: Db, { hash }: { hash: string }, now: number): Promise<boolean> {
  const half = db
    .deleteFrom('first_half')
    .where('hash', '=', hash)
    .where(isAheadSql('expires_at', now, halfSignInMs))
  return (await half.returning('hash').executeTakeFirst()) !== undefined
}

/** Ends the first half of this token, since the sign-in was finished in another way. */
export async function endFirstHalf(db: Db, token: string): Promise<void> {
  await db.deleteFrom('first_half').where('hash', '=', hashToken(token)).execute()
}

/** Ends every first half of a person, when the password changed, factors were removed, or the account was disabled. */
export async function endFirstHalves(db: Db, personId: string): Promise<void> {
  await db.deleteFrom('first_half').where('person_id', '=', personId).execute()
}
