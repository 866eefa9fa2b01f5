/**
 * The signed-in person, and the sessions of a person. The accounts library keeps the sessions; the service adds their
 * maximum lifetime.
 */
import type { Verdict } from '@svc/protocol'
import { done, refuse } from '../../platform/verdict.ts'
import type { ChangeContext } from '../audit/by.ts'
import { audit } from '../audit/store.ts'
import { type Auth, longestSession } from './auth.ts'
import { isDisabled } from './disabled.ts'
import { type Accounts, decide, type People, type Trx } from './library.ts'
import type { Person } from './store.ts'

export interface SignedIn {
  person: Person
  session: { id: string; token: string; createdAt: number }
  /** The cookies to send to the browser again, because the library extends a session when it is used. */
  cookies: string[]
}

/**
 * The person whose session the request's cookie names. The session of a disabled person, which a node of an earlier
 * version may have made, does not count.
 */
export async function signedInBy(
  { auth, store }: Pick<People, 'auth' | 'store'>,
  headers: Headers,
  now: number,
): Promise<SignedIn | undefined> {
  if (!headers.get('cookie')) return undefined
  const { response, headers: set } = await auth.api.getSession({ headers, returnHeaders: true })
  if (!response) return undefined
  const { user, session } = response
  if (isOld(session.createdAt, now) || (await isDisabled(store.db, user.id))) return undefined
  return {
    person: { id: user.id, name: user.name, email: user.email },
    session: { id: session.id, token: session.token, createdAt: new Date(session.createdAt).getTime() },
    cookies: set.getSetCookie(),
  }
}

export async function sessionsOf(auth: Auth, personId: string, now: number) {
  const { internalAdapter } = await auth.$context
  const all = await internalAdapter.listSessions(personId, { onlyActiveSessions: true })
  return all.filter(({ createdAt }) => !isOld(createdAt, now))
}

/** Ends one session of a person. */
export const endSession = (
  people: People,
  person: Person,
  id: string,
  now: number,
): Promise<Verdict<null, 'session_unknown'>> =>
  decide<null, 'session_unknown'>(people, async (trx, accounts) => {
    const session = (await allOf(accounts, person, now)).find((each) => each.id === id)
    if (!session) return refuse('session_unknown', 'There is no such session.')
    return end({ db: trx, by: person, now }, accounts, [session.token])
  })

/** Ends every session of a person except one. */
export const endOtherSessions = (
  people: People,
  person: Person,
  kept: { id: string },
  now: number,
): Promise<Verdict<null, never>> =>
  decide<null, never>(people, async (trx, accounts) => {
    const others = (await allOf(accounts, person, now)).filter(({ id }) => id !== kept.id)
    return end(
      { db: trx, by: person, now },
      accounts,
      others.map(({ token }) => token),
    )
  })

async function allOf({ own }: Accounts, person: Person, now: number) {
  const all = await own.listSessions(person.id, { onlyActiveSessions: true })
  return all.filter(({ createdAt }) => !isOld(createdAt, now))
}

async function end({ db: trx, by: person, now }: ChangeContext<Person, Trx>, { own }: Accounts, tokens: string[]) {
  for (const token of tokens) await own.deleteSession(token)
  const note = { workspaceId: null, at: now, by: person, subject: `person ${person.email}` }
  await audit(trx, { ...note, action: 'person.sessions_ended', details: { sessions: tokens.length } })
  return done(null)
}

/** The given tokens whose session is still valid. Streams that stay open are checked with this function. */
export async function validSessions(auth: Auth, tokens: readonly string[], now: number): Promise<Set<string>> {
  const { internalAdapter } = await auth.$context
  const good = new Set<string>()
  const atOnce = 500
  for (let i = 0; i < tokens.length; i += atOnce) {
    const some = tokens.slice(i, i + atOnce)
    for (const { session } of await internalAdapter.findSessions(some, { onlyActiveSessions: true })) {
      if (!isOld(session.createdAt, now)) good.add(session.token)
    }
  }
  return good
}

const isOld = (createdAt: Date | string, now: number): boolean => now - new Date(createdAt).getTime() > longestSession
