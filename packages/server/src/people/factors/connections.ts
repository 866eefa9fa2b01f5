/**
 * Connections with the sign-in provider as rows. A person is known by the issuer and the id there (`sub`), never by an
 * address. Each function runs in the transaction that it is given.
 */
import type { Db } from '../../platform/db/open.ts'
import { hashToken } from '../../platform/tokens.ts'

/** A person at a provider. */
interface ProviderAccount {
  issuer: string
  subject: string
}

/**
 * The provider of a connection, and the person's account there as people see it; null if the account was not stored.
 */
export interface ConnectionParties {
  issuer: string
  account: string | null
}

/** The id of the person who is connected with this account of a provider; undefined if nobody is. */
export async function findConnected(db: Db, { issuer, subject }: ProviderAccount): Promise<string | undefined> {
  const row = db.selectFrom('oidc_connection').select('person_id').where('issuer', '=', issuer)
  return (await row.where('subject', '=', subject).executeTakeFirst())?.person_id
}

/**
 * Connects a person, and replaces a connection with another issuer. False if the person is connected with another
 * account of this issuer, or if somebody else is connected with this account.
 */
export async function insertConnection(
  db: Db,
  personId: string,
  { issuer, subject, account }: ProviderAccount & { account: string },
  now: number,
): Promise<boolean> {
  await db.deleteFrom('oidc_connection').where('person_id', '=', personId).where('issuer', '!=', issuer).execute()
  const made = await db
    .insertInto('oidc_connection')
    .values({ person_id: personId, issuer, subject, connected_at: now, account })
    .onConflict((conflict) => conflict.doNothing())
    .returning('person_id')
    .executeTakeFirst()
  return made !== undefined
}

/** Stores the account's name for a connection that an earlier version stored without one. */
export async function nameConnection(db: Db, personId: string, account: string): Promise<void> {
  const row = db.updateTable('oidc_connection').set({ account }).where('person_id', '=', personId)
  await row.where('account', 'is', null).execute()
}

/** The account with which a person is connected at this provider; null if that was not stored. */
export async function providerAccountOf(db: Db, personId: string, issuer: string): Promise<string | null> {
  const row = db.selectFrom('oidc_connection').select('account').where('person_id', '=', personId)
  return (await row.where('issuer', '=', issuer).executeTakeFirst())?.account ?? null
}

/** Ends the connection of a person, also one with another provider than the present one; undefined if there is none. */
export const deleteConnection = (db: Db, personId: string): Promise<ConnectionParties | undefined> =>
  db.deleteFrom('oidc_connection').where('person_id', '=', personId).returning(['issuer', 'account']).executeTakeFirst()

/** Marks the callback with this state as used. False if it was used before. */
export async function spendCallbackState(
  db: Db,
  { state, expiresAt }: { state: string; expiresAt: number },
): Promise<boolean> {
  const spent = await db
    .insertInto('oidc_callback')
    .values({ hash: hashToken(state), expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .returning('hash')
    .executeTakeFirst()
  return spent !== undefined
}
