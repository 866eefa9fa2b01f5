/**
 * The signed-in person, and the sessions of a person. The accounts library keeps the sessions; the service adds their
 * maximum lifetime.
 */

import type { Verdict } from '@svc/protocol'
import type { Db } from '../../platform/db/open.ts'
import { piecesOf } from '../../platform/lists.ts'
import { done, refuse } from '../../platform/verdict.ts'
import type { ChangeContext } from '../audit/by.ts'
import { audit } from '../audit/store.ts'
import { type Auth, addressHeader, maxSessionMs } from './auth.ts'
import { sessionCookie, withPresentName } from './cookies.ts'
import { isDisabled } from './disabled.ts'
import { decideWithAccounts, type PeopleDeps } from './library.ts'
import type { Person } from './store.ts'

export interface SignedIn {
  person: Person
  session: { id: string; token: string; createdAt: number }
  /** The cookies to send to the browser again, because the library extends a session when it is used. */
  cookies: string[]
}

/**
 * Converts the headers of a request for the accounts library: the session's cookie gets its present name, and the
 * header with which the client could claim an address is removed.
 */
export function sessionHeaders(auth: Auth, given: Headers): Headers {
  const headers = new Headers(given)
  const cookies = headers.get('cookie')
  if (cookies !== null) headers.set('cookie', withPresentName(cookies, sessionCookie(auth.options.baseURL)))
  headers.delete(addressHeader)
  return headers
}

/** Returns the person and session that the request's cookie names. The session of a disabled person does not count. */
export async function signedInBy(
  { auth, store }: Pick<PeopleDeps, 'auth' | 'store'>,
  given: Headers,
  now: number,
): Promise<SignedIn | undefined> {
  if (!given.get('cookie')) return undefined
  const headers = sessionHeaders(auth, given)
  const ask = (query?: { disableRefresh: true }) =>
    auth.api.getSession({ headers, returnHeaders: true, ...(query && { query }) })
  // The library may extend the session. While another program holds SQLite's lock, the session is only read.
  const { response, headers: set } = await ask().catch((error) => {
    if (store.engine === 'sqlite' && store.lock.heldSince !== undefined) return ask({ disableRefresh: true })
    throw error
  })
  if (!response) return undefined
  const { user, session } = response
  if (isOld(session.createdAt, now) || (await isDisabled(store.db, user.id))) return undefined
  return {
    person: { id: user.id, name: user.name, email: user.email },
    session: { id: session.id, token: session.token, createdAt: new Date(session.createdAt).getTime() },
    cookies: set.getSetCookie(),
  }
}

/**
 * Lists the sessions of a person that have not ended, those used last first. The accounts library cannot do this, since
 * its lists end after 100 rows.
 */
export async function listSessions(db: Db, personId: string, now: number): Promise<ListedSession[]> {
  const rows = await db
    .selectFrom('session')
    .select(['id', 'createdAt', 'updatedAt', 'ipAddress', 'userAgent'])
    .where('userId', '=', personId)
    .where('expiresAt', '>', new Date(now))
    .orderBy('updatedAt', 'desc')
    .execute()
  const time = (at: Date | string) => new Date(at).getTime()
  return rows
    .filter(({ createdAt }) => !isOld(createdAt, now))
    .map((row) => ({ ...row, createdAt: time(row.createdAt), updatedAt: time(row.updatedAt) }))
}

interface ListedSession {
  id: string
  createdAt: number
  updatedAt: number
  ipAddress: string | null
  userAgent: string | null
}

/** Ends one session of a person. */
export const endSession = (
  people: PeopleDeps,
  person: Person,
  id: string,
  now: number,
): Promise<Verdict<null, 'session_unknown'>> =>
  decideWithAccounts<null, 'session_unknown'>(people, async (trx) => {
    const isOwn = (await listSessions(trx, person.id, now)).some((session) => session.id === id)
    if (!isOwn) return refuse('session_unknown', 'There is no such session.')
    await trx.deleteFrom('session').where('id', '=', id).where('userId', '=', person.id).execute()
    return noteEnded({ db: trx, by: person, now }, 1)
  })

/** Ends every session of a person except one. */
export const endOtherSessions = (
  people: PeopleDeps,
  person: Person,
  kept: { id: string },
  now: number,
): Promise<Verdict<null, never>> =>
  decideWithAccounts<null, never>(people, async (trx) =>
    noteEnded({ db: trx, by: person, now }, await endAllSessionsBut(trx, person, kept, now)),
  )

/** Ends all sessions of a person but one, in the given transaction. Returns how many of them could still be used. */
export async function endAllSessionsBut(
  trx: Db,
  person: { id: string },
  kept: { id: string },
  now: number,
): Promise<number> {
  const others = (await listSessions(trx, person.id, now)).filter(({ id }) => id !== kept.id)
  await trx.deleteFrom('session').where('userId', '=', person.id).where('id', '!=', kept.id).execute()
  return others.length
}

/**
 * Ends the other sessions of a person who has just added a factor, in the given transaction. If it is the first factor,
 * all of them end; otherwise only those in which no factor was shown, since they may belong to somebody who knows only
 * the password. Returns how many of the ended sessions could still be used.
 */
export async function endSessionsBeforeFactor(
  trx: Db,
  person: { id: string },
  { kept, isFirst }: { kept: { id: string }; isFirst: boolean },
  now: number,
): Promise<number> {
  if (isFirst) return endAllSessionsBut(trx, person, kept, now)
  const shown = await trx
    .selectFrom('session_proof')
    .innerJoin('session', 'session.id', 'session_proof.session_id')
    .select('session.id')
    .where('userId', '=', person.id)
    .where('factor_at', 'is not', null)
    .execute()
  const keptIds = new Set([kept.id, ...shown.map(({ id }) => id)])
  const ended = (await listSessions(trx, person.id, now)).filter(({ id }) => !keptIds.has(id))
  await trx
    .deleteFrom('session')
    .where('userId', '=', person.id)
    .where('id', 'not in', [...keptIds])
    .execute()
  return ended.length
}

/** The maximum number of sessions of a person. A further sign-in ends the one that was unused longest. */
export const maxSessions = 100

/** Ends the sessions of a person beyond the maximum, those that were unused longest. Keeps the new session `kept`. */
export async function endLongestUnused(db: Db, person: { id: string }, kept: { token: string }): Promise<void> {
  const used = db
    .selectFrom('session')
    .select('id')
    .where('userId', '=', person.id)
    .where('token', '!=', kept.token)
    .orderBy('updatedAt', 'desc')
    .orderBy('id')
    .limit(maxSessions - 1)
  await db
    .deleteFrom('session')
    .where('userId', '=', person.id)
    .where('token', '!=', kept.token)
    .where('id', 'not in', used)
    .execute()
}

async function noteEnded({ db, by: person, now }: ChangeContext<Person>, sessions: number) {
  const note = { workspaceId: null, at: now, by: person, subject: `person ${person.email}` }
  await audit(db, { ...note, action: 'person.sessions_ended', details: { sessions } })
  return done(null)
}

/** The number of sessions that are read in one query. */
const sessionsAtOnce = 500

/** The given tokens whose session is still valid. Streams that stay open are checked with this function. */
export async function validSessions(auth: Auth, tokens: readonly string[], now: number): Promise<Set<string>> {
  const { internalAdapter } = await auth.$context
  const good = new Set<string>()
  for (const some of piecesOf(tokens, sessionsAtOnce)) {
    for (const { session } of await internalAdapter.findSessions(some, { onlyActiveSessions: true })) {
      if (!isOld(session.createdAt, now)) good.add(session.token)
    }
  }
  return good
}

const isOld = (createdAt: Date | string, now: number): boolean => now - new Date(createdAt).getTime() > maxSessionMs
