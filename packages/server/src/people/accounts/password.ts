import type { Verdict } from '@svc/protocol'
import { done, refuse } from '../../platform/verdict.ts'
import { audit } from '../audit/store.ts'
import { decide, type People } from './library.ts'
import type { SignedIn } from './sessions.ts'
import { ownWords, wrongPassword } from './store.ts'

/** Sets a person's new password after checking the current one. All other sessions end. */
export async function changePassword(
  people: People,
  { person, session }: Pick<SignedIn, 'person' | 'session'>,
  { current, next }: { current: string; next: string },
  now: number,
): Promise<Verdict<null, 'password_wrong' | 'password_invalid'>> {
  const { password, internalAdapter } = await people.auth.$context
  const account = await internalAdapter.findCredentialAccount(person.id)
  if (account?.password && !(await password.verify({ hash: account.password, password: current }))) {
    return refuse('password_wrong', 'The current password is not right.')
  }
  const wrong = wrongPassword(next, await ownWords(people.store.db, person))
  if (wrong) return wrong
  const hash = await password.hash(next)
  return decide(people, async (trx, { own }) => {
    await own.updatePassword(person.id, hash)
    const others = (await own.listSessions(person.id)).filter(({ id }) => id !== session.id)
    for (const { token } of others) await own.deleteSession(token)
    await audit(trx, {
      workspaceId: null,
      at: now,
      by: person,
      action: 'person.password_changed',
      subject: `person ${person.email}`,
      details: { sessionsEnded: others.length },
    })
    return done(null)
  })
}
