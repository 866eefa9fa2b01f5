/**
 * Passkeys as rows. Each function runs in the transaction that it is given. Whatever several requests or nodes do at
 * once, single statements guarantee that a challenge is used only once and that the counter of a passkey only rises.
 */
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { hashToken } from '../../platform/tokens.ts'

/** The maximum number of passkeys of a person. */
export const maxPasskeys = 20

export const readPasskeys = (db: Db, personId: string) =>
  db
    .selectFrom('passkey')
    .select(['id', 'name', 'host', 'credential', 'created_at', 'used_at'])
    .where('person_id', '=', personId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

/** The passkey with the id that its device gave it. */
export const findPasskey = (db: Db, credential: string) =>
  db.selectFrom('passkey').selectAll().where('credential', '=', credential).executeTakeFirst()

interface NewPasskey {
  person: string
  name: string
  host: string
  credential: string
  publicKey: string
  counter: number
}

/**
 * Stores a passkey, and returns its id. `full` if the person has the maximum number, `known` if a passkey with this
 * `credential` is stored already. On PostgreSQL the person's row is locked, so that two passkeys that are added at the
 * same time are both counted.
 */
export async function insertPasskey(
  db: Db,
  { person, name, host, credential, publicKey, counter }: NewPasskey,
  now: number,
): Promise<{ id: string } | 'full' | 'known'> {
  if (isPostgres(db)) await db.selectFrom('user').select('id').where('id', '=', person).forNoKeyUpdate().execute()
  if ((await readPasskeys(db, person)).length >= maxPasskeys) return 'full'
  const row = {
    id: newId(now),
    person_id: person,
    name,
    host,
    credential,
    public_key: publicKey,
    counter,
    created_at: now,
  }
  const made = await db
    .insertInto('passkey')
    .values({ ...row, used_at: null })
    .onConflict((oc) => oc.column('credential').doNothing())
    .returning('id')
    .executeTakeFirst()
  return made ?? 'known'
}

/** Removes a passkey of a person, and returns its name; undefined if the person has no such passkey. */
export const deletePasskey = (db: Db, personId: string, id: string): Promise<{ name: string } | undefined> =>
  db.deleteFrom('passkey').where('id', '=', id).where('person_id', '=', personId).returning('name').executeTakeFirst()

/** Removes all passkeys of a person, and returns their names. */
export const deletePasskeys = (db: Db, personId: string): Promise<{ name: string }[]> =>
  db.deleteFrom('passkey').where('person_id', '=', personId).returning('name').execute()

/**
 * False for a counter that did not rise: the passkey may have been copied. A device that does not count always says 0.
 */
export const isCounterGood = (before: number, shown: number): boolean => shown > before || (shown === 0 && before === 0)

/** Stores a use of a passkey. False if it was removed meanwhile, or if its counter has risen to this one or beyond. */
export async function notePasskeyUse(db: Db, id: string, counter: number, now: number): Promise<boolean> {
  const used = await db
    .updateTable('passkey')
    .set({ counter, used_at: now })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('counter', '<', counter), eb.and([eb('counter', '=', 0), eb.val(counter === 0)])]))
    .returning('id')
    .executeTakeFirst()
  return used !== undefined
}

/** True if a challenge was used already. */
export async function isChallengeSpent(db: Db, { challenge }: { challenge: string }): Promise<boolean> {
  const row = db.selectFrom('passkey_challenge').select('hash').where('hash', '=', hashToken(challenge))
  return (await row.executeTakeFirst()) !== undefined
}

/** Uses a challenge up. False if it was used before. */
export async function spendChallenge(
  db: Db,
  { challenge, expiresAt }: { challenge: string; expiresAt: number },
): Promise<boolean> {
  const spent = await db
    .insertInto('passkey_challenge')
    .values({ hash: hashToken(challenge), expires_at: expiresAt })
    .onConflict((oc) => oc.column('hash').doNothing())
    .returning('hash')
    .executeTakeFirst()
  return spent !== undefined
}
