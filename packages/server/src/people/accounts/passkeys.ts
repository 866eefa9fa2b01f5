/**
 * Passkeys of people: makes the requests to browsers, and acts on their answers. A passkey counts as both factors,
 * because the device verifies the person. It works only at the host of the base address at which it was made.
 */
import type { NewPasskeyAnswer, Passkey, PasskeyAnswer, PasskeyCreation, PasskeyRequest } from '@svc/api'
import { passkeyObstacle } from '@svc/api/words'
import { readName, type Verdict } from '@svc/protocol'
import type { Db } from '../../platform/db/open.ts'
import { done, refuse } from '../../platform/verdict.ts'
import { audit } from '../audit/store.ts'
import { factorKindsOf, factorsOfPerson, passkeyHost, type ServiceAddress } from '../factors/held.ts'
import {
  deletePasskey,
  deletePasskeys,
  findPasskey,
  insertPasskey,
  isChallengeSpent,
  isCounterGood,
  maxPasskeys,
  notePasskeyUse,
  readPasskeys,
  spendChallenge,
} from '../factors/passkeys.ts'
import { challengeMs, passkeyAlgorithms } from '../factors/rules.ts'
import { forgetShownFactors, noteProof } from '../factors/store.ts'
import { queueNotice } from '../mails/queue.ts'
import type { Challenge } from './challenge.ts'
import { type ConnectionConfig, lastWayIn, waysIn } from './connection.ts'
import { checkNewPasskey, checkUse, type PasskeyChecked } from './passkey-thread.ts'
import { endSessionsBeforeFactor } from './sessions.ts'
import { lockPerson, type Person } from './store.ts'

/** The context of a change that a person makes in a session. */
interface Ctx {
  db: Db
  config: ConnectionConfig
  by: Person
  session: { id: string }
  now: number
}

/** The id of a person in the form in which a device stores it. */
const handleOf = (personId: string): string => Buffer.from(personId).toString('base64url')

/** Returns the refusal if browsers allow no passkeys at the base address; otherwise undefined. */
export function refuseNoPasskeys({ baseUrl }: ServiceAddress) {
  const why = passkeyObstacle(baseUrl)
  if (why === undefined) return undefined
  const needs = why === 'address' ? 'a name, and this one is an IP address' : 'https'
  return refuse('passkeys_off', `Passkeys need an address of the service with ${needs}.`)
}

/** Makes the request to a browser to use a passkey for this challenge. */
export const passkeyRequestFor = (config: ServiceAddress, challenge: string): PasskeyRequest => ({
  challenge,
  timeout: challengeMs,
  rpId: passkeyHost(config) ?? '',
  userVerification: 'required',
  allowCredentials: [],
})

/** Makes the request for a new passkey. The challenge is made only if the person may have one more passkey. */
export async function passkeyCreationFor(
  { db, config, by }: Pick<Ctx, 'db' | 'config' | 'by'>,
  challenge: () => string,
): Promise<Verdict<PasskeyCreation, 'passkeys_too_many'>> {
  const there = await readPasskeys(db, by.id)
  if (there.length >= maxPasskeys) return tooMany
  return done({
    rp: { id: passkeyHost(config) ?? '', name: 'svc' },
    user: { id: handleOf(by.id), name: by.email, displayName: by.name },
    challenge: challenge(),
    timeout: challengeMs,
    pubKeyCredParams: passkeyAlgorithms.map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: there.map(({ credential }) => ({ type: 'public-key', id: credential })),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    attestation: 'none',
  })
}

export async function listPasskeys(db: Db, config: ServiceAddress, person: { id: string }): Promise<Passkey[]> {
  const rows = await readPasskeys(db, person.id)
  return rows.map(({ id, name, host, created_at, used_at }) => ({
    ...{ id, name, createdAt: Number(created_at), usedAt: used_at === null ? null : Number(used_at) },
    here: host === passkeyHost(config),
  }))
}

/** A new passkey that was checked before the transaction that stores it. */
interface ReadyPasskey {
  name: string
  passkey: PasskeyChecked
  challenge: Challenge
}
type NewRefusal = 'name_invalid' | 'passkey_wrong'

/** Checks the answer of a browser that has made a new passkey for this challenge. */
export async function checkNewPasskeyAnswer(
  config: ServiceAddress,
  challenge: Challenge | undefined,
  { name: typed, response }: { name: string; response: NewPasskeyAnswer },
): Promise<Verdict<ReadyPasskey, NewRefusal>> {
  const name = readName(typed, maxPasskeyName)
  if (!name.ok) return name
  const passkey = challenge && (await checkNewPasskey(config.baseUrl, challenge.challenge, response))
  return passkey ? done({ name: name.value, passkey, challenge }) : wrongPasskey
}

/**
 * Adds a passkey. The session then counts as one in which a factor was shown. If this is the person's first factor, all
 * other sessions end; otherwise those end in which no factor was shown.
 */
export async function addPasskey(
  { db, config, by, session, now }: Ctx,
  { name, passkey, challenge }: ReadyPasskey,
): Promise<Verdict<{ id: string }, 'passkey_wrong' | 'passkeys_too_many'>> {
  const before = factorKindsOf(await factorsOfPerson(db, config, by.id))
  if (!(await spendChallenge(db, challenge))) return wrongPasskey
  const { id: credential, publicKey, counter } = passkey
  const made = await insertPasskey(
    db,
    { person: by.id, name, host: passkeyHost(config) ?? '', credential, publicKey, counter },
    now,
  )
  if (made === 'full') return tooMany
  if (made === 'known') return wrongPasskey
  await noteProof(db, session, 'factor', now)
  const isFirst = before.length === 0
  const sessionsEnded = await endSessionsBeforeFactor(db, by, { kept: session, isFirst }, now)
  const note = { workspaceId: null, at: now, by, subject: `person ${by.email}` }
  await audit(db, { ...note, action: 'person.passkey_added', details: { name, sessionsEnded } })
  await queueNotice(db, { config }, { person: by.id, what: 'passkey_added' }, now)
  return done(made)
}

/**
 * Removes a passkey. Other sessions then no longer count as ones in which a factor was shown. If no factor is left, the
 * same holds for this session.
 */
export async function removePasskey(
  { db, config, by, session, now }: Ctx,
  id: string,
): Promise<Verdict<null, 'factor_unknown' | 'last_way_in'>> {
  await lockPerson(db, by)
  const removed = await deletePasskey(db, by.id, id)
  if (removed) {
    const { password, passkeys, connected } = await waysIn(db, config, by)
    if (!password && !connected && passkeys === 0) return lastWayIn
  }
  if (!removed) return refuse('factor_unknown', 'You have no such passkey.')
  await forgetShownFactors(db, by.id, { session, config })
  await noteRemoved({ db, by, now }, config, [removed])
  return done(null)
}

/** Removes all passkeys of a person who proves for the first time to own the address of the account. */
export async function removePasskeys(ctx: Pick<Ctx, 'db' | 'by' | 'now'>, config: Ctx['config']): Promise<void> {
  const removed = await deletePasskeys(ctx.db, ctx.by.id)
  if (removed.length === 0) return
  await forgetShownFactors(ctx.db, ctx.by.id)
  await noteRemoved(ctx, config, removed)
}

async function noteRemoved(
  { db, by, now }: Pick<Ctx, 'db' | 'by' | 'now'>,
  config: Ctx['config'],
  removed: { name: string }[],
): Promise<void> {
  const note = { workspaceId: null, at: now, by, subject: `person ${by.email}` }
  for (const { name } of removed) await audit(db, { ...note, action: 'person.passkey_removed', details: { name } })
  await queueNotice(db, { config }, { person: by.id, what: 'passkey_removed' }, now)
}

/** A use of a passkey that was checked but is not stored yet. */
export interface PasskeyUse {
  /** The id of the passkey. */
  id: string
  person: { id: string }
  counter: number
  challenge: Challenge
}

/**
 * Checks the answer of a browser to this challenge; undefined if the answer is not valid. The check takes the same work
 * for known and unknown passkeys. Calls `copied` if the counter did not rise, unless this challenge was used before.
 */
export async function checkPasskey(
  { db, config, copied }: { db: Db; config: ServiceAddress; copied: (passkey: { id: string; person: string }) => void },
  challenge: Challenge | undefined,
  answer: PasskeyAnswer,
): Promise<PasskeyUse | undefined> {
  if (!challenge) return undefined
  const row = await findPasskey(db, answer.id)
  const checked = await checkUse(config.baseUrl, challenge.challenge, answer, row?.public_key)
  if (!checked || !row) return undefined
  const handle = answer.response.userHandle
  if (handle != null && handle !== handleOf(row.person_id)) return undefined
  if (!isCounterGood(Number(row.counter), checked.counter)) {
    if (!(await isChallengeSpent(db, challenge))) copied({ id: row.id, person: row.person_id })
    return undefined
  }
  return { id: row.id, person: { id: row.person_id }, counter: checked.counter, challenge }
}

/**
 * Marks the challenge as used and stores the new counter of the passkey, in the transaction that acts on the answer.
 * False if the challenge was used before, if the passkey was removed, or if its counter has risen to `counter`
 * meanwhile.
 */
export const takePasskey = async (db: Db, { id, counter, challenge }: PasskeyUse, now: number): Promise<boolean> =>
  (await spendChallenge(db, challenge)) && (await notePasskeyUse(db, id, counter, now))

const maxPasskeyName = 60
const tooMany = refuse('passkeys_too_many', `You have ${maxPasskeys} passkeys. Remove one first.`)
const wrongPasskey = refuse('passkey_wrong', 'That passkey was not accepted. Try again.')
