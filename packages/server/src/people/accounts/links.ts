/**
 * One-time links, such as the first person's sign-up and a person's sign-in: 256 random bits, of which only the hash is
 * stored.
 */
import { randomBytes } from 'node:crypto'
import { shown, type Verdict } from '@svc/protocol'
import type { Db } from '../../platform/db/open.ts'
import type { LinkTable } from '../../platform/db/tables/people.ts'
import { isAheadSql } from '../../platform/db/times.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { dayMs } from '../../platform/limits/units.ts'
import { hashToken } from '../../platform/tokens.ts'
import { done, refuse } from '../../platform/verdict.ts'
import type { ChangeContext } from '../audit/by.ts'
import { audit } from '../audit/store.ts'
import { isEmailConfirmed } from './confirmed.ts'
import { isDisabled } from './disabled.ts'
import { findNamed, type Person, personOfId, unknownPerson } from './store.ts'

const minute = 60_000
/**
 * How long links are valid, in milliseconds. The link for the first person is valid until it is used, somebody has an
 * account, or a later link for the first person replaces it. `claim` is for handing an account over.
 */
export const linkLifetimesMs = {
  first: 3650 * dayMs,
  sign_in: 15 * minute,
  reset: 15 * minute,
  claim: dayMs,
  forgot: 60 * minute,
} as const

/**
 * Makes a link and returns its token, which is shown only this once; `linkUrl` makes its address. A link with the
 * purpose `first` is for nobody in particular; each other link is for the person with the given e-mail address.
 */
export function createLink(
  { db, by, now }: ChangeContext,
  purpose: LinkTable['purpose'],
  email: string | null,
): Promise<Verdict<string, 'person_unknown' | 'account_disabled' | 'email_confirmed'>> {
  return transaction(db, async (trx) => {
    const person = purpose === 'first' ? null : await findNamed(trx, email ?? '')
    if (person === undefined) return unknownPerson(email ?? '')
    if (person && (await isDisabled(trx, person.id))) return disabled(person)
    if (purpose === 'claim' && person && (await isEmailConfirmed(trx, person.id))) return confirmedAlready(person)
    const token = randomBytes(32).toString('base64url')
    if (!person) await trx.deleteFrom('link').where('purpose', '=', 'first').where('used_at', 'is', null).execute()
    await insertLink({ db: trx, by, now }, { purpose, person, token })
    return done(token)
  })
}

/** Stores a link, unless there is one with this token. */
export async function insertLink(
  { db, by, now }: ChangeContext,
  { purpose, person, token }: { purpose: LinkTable['purpose']; person: Person | null; token: string },
): Promise<void> {
  const row = await db
    .insertInto('link')
    .values({
      hash: hashToken(token),
      purpose,
      person_id: person?.id ?? null,
      created_at: now,
      expires_at: now + linkLifetimesMs[purpose],
      used_at: null,
    })
    .onConflict((oc) => oc.column('hash').doNothing())
    .returning('hash')
    .executeTakeFirst()
  const subject = person ? `person ${person.email}` : 'first person'
  if (row) await audit(db, { workspaceId: null, at: now, by, action: 'link.made', subject, details: { purpose } })
}

/**
 * Stores the link of a mail about a forgotten password; each try of the mail has the same token. Returns false if the
 * mail is not needed any longer: the link has expired, or a link for a new password was used since `askedAt`.
 */
export function ensureForgotLink(
  { db, by, now }: ChangeContext,
  person: Person,
  { token, askedAt }: { token: string; askedAt: number },
): Promise<boolean> {
  return transaction(db, async (trx) => {
    const used = await trx
      .selectFrom('link')
      .select('hash')
      .where('person_id', '=', person.id)
      .where('purpose', 'in', ['forgot', 'claim'])
      .where('used_at', '>=', askedAt)
      .executeTakeFirst()
    if (used) return false
    await insertLink({ db: trx, by, now }, { purpose: 'forgot', person, token })
    return isLinkValid(trx, 'forgot', token, now)
  })
}

const confirmedAlready = ({ email }: Person) =>
  refuse(
    'email_confirmed',
    `${email} was handed over to its owner before. Give them a link to sign in, or a new password with person reset. To remove an authenticator app and passkeys: svc-server person reset-factor EMAIL`,
  )

const disabled = ({ email }: Person) =>
  refuse(
    'account_disabled',
    `The account of ${shown(email)} is disabled. Enable it first: svc-server person enable EMAIL`,
  )

/** The address of the page for a link. It contains the token. */
export const linkUrl = (baseUrl: string, purpose: LinkTable['purpose'], token: string): string =>
  `${baseUrl}/${pages[purpose]}?token=${token}`

const pages = { first: 'start', sign_in: 'link', reset: 'link', claim: 'claim', forgot: 'claim' } as const

/**
 * The person of a link, if the link could be used now and the person is not disabled. This call does not use the link
 * up.
 */
export async function linkPerson(db: Db, purpose: LinkTable['purpose'], token: string, now: number) {
  const row = await usableLinks(db, purpose, token, now).select('person_id').executeTakeFirst()
  if (!row?.person_id || (await isDisabled(db, row.person_id))) return undefined
  return await personOfId(db, row.person_id)
}

/** True if a link could be used now. This call does not use the link up. */
export async function isLinkValid(db: Db, purpose: LinkTable['purpose'], token: string, now: number): Promise<boolean> {
  return (await usableLinks(db, purpose, token, now).select('hash').executeTakeFirst()) !== undefined
}

const usableLinks = (db: Db, purpose: LinkTable['purpose'], token: string, now: number) =>
  db
    .selectFrom('link')
    .where('hash', '=', hashToken(token))
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where(isAheadSql('expires_at', now, linkLifetimesMs[purpose]))

/**
 * Uses a link up in one statement, so that only one of two simultaneous callers gets it; undefined when the link is
 * unknown, expired or used. To use the link up together with what it is for, pass a transaction as `db`.
 */
export function useLink(
  db: Db,
  purpose: LinkTable['purpose'],
  token: string,
  now: number,
): Promise<{ person_id: string | null } | undefined> {
  return db
    .updateTable('link')
    .set({ used_at: now })
    .where('hash', '=', hashToken(token))
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where(isAheadSql('expires_at', now, linkLifetimesMs[purpose]))
    .returning('person_id')
    .executeTakeFirst()
}
