/**
 * Second factors as rows. Each function runs in the transaction that it is given. Whatever several requests or nodes do
 * at once, single statements guarantee that each step of an authenticator app and each recovery code is used only once.
 */
import type { Db } from '../../platform/db/open.ts'
import { isAheadSql } from '../../platform/db/times.ts'
import { hashRecovery, newRecoveryCodes } from './codes.ts'
import { endFirstHalves } from './first-halves.ts'
import { factorsOfPerson, provesByFactor, type ServiceAddress } from './held.ts'
import { deletePasskeys } from './passkeys.ts'
import { isProved, lockMs, maxWrongCodes, type PartyOfCodes, wrongCodesMailMs } from './rules.ts'

/** The authenticator app of a person. */
export const findTotp = (db: Db, personId: string) =>
  db.selectFrom('totp').selectAll().where('person_id', '=', personId).executeTakeFirst()

/**
 * Stores the secret of an app that is being added, in place of an unconfirmed one. False if an app was added already.
 */
export async function storeTotp(db: Db, personId: string, sealed: string, now: number): Promise<boolean> {
  const row = { secret: sealed, created_at: now, last_step: 0 }
  const stored = await db
    .insertInto('totp')
    .values({ person_id: personId, confirmed_at: null, ...row })
    .onConflict((oc) => oc.column('person_id').doUpdateSet(row).where('totp.confirmed_at', 'is', null))
    .returning('person_id')
    .executeTakeFirst()
  return stored !== undefined
}

/** Makes the app with this sealed secret a second factor. False if it was confirmed, replaced or removed meanwhile. */
export async function confirmFactor(
  db: Db,
  { person_id, secret }: { person_id: string; secret: string },
  step: number,
  now: number,
): Promise<boolean> {
  const confirmed = await db
    .updateTable('totp')
    .set({ confirmed_at: now, last_step: step })
    .where('person_id', '=', person_id)
    .where('secret', '=', secret)
    .where('confirmed_at', 'is', null)
    .returning('person_id')
    .executeTakeFirst()
  return confirmed !== undefined
}

/**
 * Marks the code of a step as used. False if that code or a later one was used: of two nodes with the same code only
 * one succeeds.
 */
export async function spendTotpStep(db: Db, personId: string, step: number): Promise<boolean> {
  const used = await db
    .updateTable('totp')
    .set({ last_step: step })
    .where('person_id', '=', personId)
    .where('confirmed_at', 'is not', null)
    .where('last_step', '<', step)
    .returning('person_id')
    .executeTakeFirst()
  return used !== undefined
}

/** Makes ten recovery codes, which replace the earlier ones, and returns them. */
export async function replaceRecovery(db: Db, personId: string, now: number): Promise<string[]> {
  const codes = newRecoveryCodes()
  await db.deleteFrom('recovery_code').where('person_id', '=', personId).execute()
  const rows = codes.map((code) => ({ hash: hashRecovery(code), person_id: personId, created_at: now }))
  await db.insertInto('recovery_code').values(rows).execute()
  return codes
}

/** Uses a recovery code up, in one statement. False if the person has no such code. */
export async function useRecovery(db: Db, personId: string, typed: string): Promise<boolean> {
  const used = await db
    .deleteFrom('recovery_code')
    .where('hash', '=', hashRecovery(typed))
    .where('person_id', '=', personId)
    .returning('hash')
    .executeTakeFirst()
  return used !== undefined
}

/**
 * Removes the authenticator app of a person, with its recovery codes and everything else that depends on it. True if
 * the app was a confirmed factor. Sessions are changed as `forgetShownFactors` describes.
 */
export async function removeApp(db: Db, personId: string, keeps?: RemovingSession): Promise<boolean> {
  const deleted = await db
    .deleteFrom('totp')
    .where('person_id', '=', personId)
    .returning('confirmed_at')
    .executeTakeFirst()
  await db.deleteFrom('recovery_code').where('person_id', '=', personId).execute()
  await db.deleteFrom('wrong_code').where('person_id', '=', personId).execute()
  await db.deleteFrom('code_try').where('person_id', '=', personId).where('party', '!=', 'mail').execute()
  await endFirstHalves(db, personId)
  await forgetShownFactors(db, personId, keeps)
  return deleted !== undefined && deleted.confirmed_at !== null
}

/** Removes every second factor of a person. True if there was one. */
export async function removeFactors(db: Db, personId: string): Promise<boolean> {
  const passkeys = await deletePasskeys(db, personId)
  const hadApp = await removeApp(db, personId)
  return hadApp || passkeys.length > 0
}

/** The session in which a person removes a factor, and the address of the service. */
interface RemovingSession {
  session: { id: string }
  config: ServiceAddress
}

/**
 * Makes the sessions of a person count as ones that have shown no factor, since they may have shown the one that is
 * removed. The session in `keeps` is left as it is if the person has another factor.
 */
export async function forgetShownFactors(db: Db, personId: string, keeps?: RemovingSession): Promise<void> {
  const kept = keeps && provesByFactor(await factorsOfPerson(db, keeps.config, personId)) ? keeps.session.id : ''
  const sessions = db.selectFrom('session').select('id').where('userId', '=', personId).where('id', '!=', kept)
  await db.updateTable('session_proof').set({ factor_at: null }).where('session_id', 'in', sessions).execute()
}

/**
 * Counts a code as wrong before it is checked, so that tries at the same time count together. Returns the seconds to
 * wait if codes of this party are locked; undefined if the code may be checked. If the clock was set back so that the
 * last try is in the future, nothing is locked.
 */
export async function countCode(
  db: Db,
  personId: string,
  now: number,
  party: PartyOfCodes = 'strangers',
): Promise<number | undefined> {
  const counted = await db
    .insertInto('code_try')
    .values({ person_id: personId, party, count: 1, at: now })
    .onConflict((oc) =>
      oc
        .columns(['person_id', 'party'])
        .doUpdateSet((eb) => ({
          count: eb
            .case()
            .when(eb.not(isAheadSql('code_try.at', now - lockMs, lockMs)))
            .then(1)
            .else(eb('code_try.count', '+', 1))
            .end(),
          at: now,
        }))
        .where((eb) =>
          eb.or([eb('code_try.count', '<', maxWrongCodes), eb.not(isAheadSql('code_try.at', now - lockMs, lockMs))]),
        ),
    )
    .returning('count')
    .executeTakeFirst()
  if (counted) return undefined
  const row = await findTries(db, personId, party)
  return Math.max(1, Math.ceil((Number(row?.at ?? now) + lockMs - now) / 1000))
}

/** Forgets the wrong codes of a party after a right one. */
export async function forgetWrongCodes(db: Db, personId: string, party: PartyOfCodes = 'strangers'): Promise<void> {
  await db.deleteFrom('code_try').where('person_id', '=', personId).where('party', '=', party).execute()
}

/**
 * True if this party has given the maximum number of wrong codes, and the person got no mail about wrong codes within a
 * day. Only one of several callers gets true.
 */
export async function mailsWrongCodes(db: Db, personId: string, party: PartyOfCodes, now: number): Promise<boolean> {
  const row = await findTries(db, personId, party)
  if (!row || Number(row.count) < maxWrongCodes) return false
  const mailed = await db
    .insertInto('code_try')
    .values({ person_id: personId, party: 'mail', count: 1, at: now })
    .onConflict((oc) =>
      oc
        .columns(['person_id', 'party'])
        .doUpdateSet({ at: now })
        .where((eb) => eb.not(isAheadSql('code_try.at', now - wrongCodesMailMs, wrongCodesMailMs))),
    )
    .returning('at')
    .executeTakeFirst()
  return mailed !== undefined
}

const findTries = (db: Db, personId: string, party: PartyOfCodes) =>
  db
    .selectFrom('code_try')
    .select(['count', 'at'])
    .where('person_id', '=', personId)
    .where('party', '=', party)
    .executeTakeFirst()

/** Stores that a second factor, or the person's password, was shown in a session. */
export async function noteProof(db: Db, session: { id: string }, what: 'factor' | 'password', now: number) {
  const at = what === 'factor' ? { factor_at: now } : { proof_at: now }
  await db
    .insertInto('session_proof')
    .values({ session_id: session.id, factor_at: null, proof_at: null, ...at })
    .onConflict((oc) => oc.column('session_id').doUpdateSet(at))
    .execute()
}

/** Stores that the session with this token, which was just made, began with a second factor. */
export async function noteFactorIn(db: Db, { token }: { token: string }, now: number): Promise<void> {
  const session = db.selectFrom('session').select('id').where('token', '=', token)
  await noteProof(db, await session.executeTakeFirstOrThrow(), 'factor', now)
}

/** The session whose proof is checked, with the time of its sign-in. */
export interface ProvingSession {
  id: string
  createdAt: number
}

/** The time at which a second factor was last accepted in a session; null if none was. */
export async function lastFactorAt(db: Db, session: { id: string }): Promise<number | null> {
  const row = await shownIn(db, session)
  return row?.factor_at == null ? null : Number(row.factor_at)
}

const shownIn = (db: Db, { id }: { id: string }) =>
  db.selectFrom('session_proof').select(['factor_at', 'proof_at']).where('session_id', '=', id).executeTakeFirst()

/**
 * Returns the reason why the session may not do dangerous things now (`isProved`): its proof is too old, or the person
 * has a factor and the session has shown none. Undefined if the session may do them.
 */
export async function proofMissing(
  db: Db,
  at: ServiceAddress,
  personId: string,
  session: ProvingSession,
  now: number,
): Promise<'old' | 'no factor' | undefined> {
  const row = await shownIn(db, session)
  const time = (at: number | null | undefined) => (at == null ? null : Number(at))
  const shown = { signedInAt: session.createdAt, factorAt: time(row?.factor_at), proofAt: time(row?.proof_at) }
  const byFactor = provesByFactor(await factorsOfPerson(db, at, personId))
  if (isProved(shown, byFactor, now)) return undefined
  return byFactor && shown.factorAt === null ? 'no factor' : 'old'
}
