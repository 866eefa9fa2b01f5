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

/** The id of the person who is connected with this account of a provider; undefined if nobody is. */
export async function findConnected(db: Db, { issuer, subject }: ProviderAccount): Promise<string | undefined> {
  const row = db.selectFrom('oidc_connection').select('person_id').where('issuer', '=', issuer)
  return (await row.where('subject', '=', subject).executeTakeFirst())?.person_id
}

/**
 * Connects a person. A connection with another issuer, which is not the provider any longer, is replaced. False if the
 * person is connected with another account of the provider, or somebody else with this one.
 */
export async function insertConnection(
  db: Db,
  personId: string,
  { issuer, subject }: ProviderAccount,
  now: number,
): Promise<boolean> {
  await db.deleteFrom('oidc_connection').where('person_id', '=', personId).where('issuer', '!=', issuer).execute()
  const made = await db
    .insertInto('oidc_connection')
    .values({ person_id: personId, issuer, subject, connected_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('person_id')
    .executeTakeFirst()
  return made !== undefined
}

/** Ends the connection of a person. False if there is none. */
export async function deleteConnection(db: Db, personId: string): Promise<boolean> {
  const deleted = db.deleteFrom('oidc_connection').where('person_id', '=', personId).returning('person_id')
  return (await deleted.executeTakeFirst()) !== undefined
}

/** Marks the return from the provider with this state as used. False if it was used before. */
export async function spendState(db: Db, { state, expiresAt }: { state: string; expiresAt: number }): Promise<boolean> {
  const spent = await db
    .insertInto('oidc_callback')
    .values({ hash: hashToken(state), expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .returning('hash')
    .executeTakeFirst()
  return spent !== undefined
}
