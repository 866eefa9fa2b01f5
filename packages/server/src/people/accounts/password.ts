import type { Verdict } from '@svc/protocol'
import type { PasswordForm } from '../../platform/base.ts'
import type { Db } from '../../platform/db/open.ts'
import { done, refuse } from '../../platform/verdict.ts'
import { audit } from '../audit/store.ts'
import { endFirstHalves } from '../factors/first-halves.ts'
import { queueNotice } from '../mails/queue.ts'
import { passwordLength } from './auth.ts'
import { decideWithAccounts, type PeopleDeps } from './library.ts'
import { passwordFormOf } from './password-forms.ts'
import { endAllSessionsBut } from './sessions.ts'
import { type Person, passwordRefusal, readPersonalWords } from './store.ts'

/**
 * True if the account has a password. An account that was made at a sign-in through the provider has none until the
 * person chooses one.
 */
export async function hasPassword(db: Db, { id }: { id: string }): Promise<boolean> {
  const stored = db.selectFrom('account').select('id').where('userId', '=', id).where('providerId', '=', 'credential')
  return (await stored.where('password', 'is not', null).executeTakeFirst()) !== undefined
}

/** True if this is the password of a person. */
export async function isPasswordOf({ auth }: PeopleDeps, person: { id: string }, typed: string): Promise<boolean> {
  if (typed.length > passwordLength.max) return false
  const { password, internalAdapter } = await auth.$context
  const account = await internalAdapter.findCredentialAccount(person.id)
  return account?.password != null && (await password.verify({ hash: account.password, password: typed }))
}

/** Sets a person's new password after checking the current one, if there is one. All other sessions end. */
export async function changePassword(
  people: PeopleDeps,
  { person, session }: { person: Person; session: { id: string } },
  { current, next }: { current: string; next: string },
  now: number,
): Promise<Verdict<null, 'password_wrong' | 'password_invalid'>> {
  const { password, internalAdapter } = await people.auth.$context
  const account = await internalAdapter.findCredentialAccount(person.id)
  if (account?.password && !(await password.verify({ hash: account.password, password: current }))) {
    return refuse('password_wrong', 'The current password is not right.')
  }
  const wrong = passwordRefusal(next, await readPersonalWords(people.store.db, person))
  if (wrong) return wrong
  const hash = await password.hash(next)
  return decideWithAccounts(people, async (trx, { own }) => {
    if (await own.findCredentialAccount(person.id)) await own.updatePassword(person.id, hash)
    else await own.linkAccount({ userId: person.id, providerId: 'credential', accountId: person.id, password: hash })
    await endFirstHalves(trx, person.id)
    await queueNotice(trx, people, { person: person.id, what: 'password' }, now)
    const sessionsEnded = await endAllSessionsBut(trx, person, session, now)
    await audit(trx, {
      workspaceId: null,
      at: now,
      by: person,
      action: 'person.password_changed',
      subject: `person ${person.email}`,
      details: { sessionsEnded },
    })
    return done(null)
  })
}

/**
 * Hashes a person's password again after a sign-in, if its stored hash does not have the form `form`. A password that
 * was changed meanwhile stays.
 */
export async function renewHash(
  people: PeopleDeps,
  personId: string,
  password: string,
  form: PasswordForm,
): Promise<void> {
  const context = await people.auth.$context
  const account = await context.internalAdapter.findCredentialAccount(personId)
  if (!account?.password || passwordFormOf(account.password) === form) return
  const hash = await context.password.hash(password)
  await people.store.db
    .updateTable('account')
    .set({ password: hash })
    .where('id', '=', account.id)
    .where('password', '=', account.password)
    .execute()
}
