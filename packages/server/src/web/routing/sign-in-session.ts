/**
 * The session at the end of a sign-in, whichever way it was made: it is recorded, the person gets a mail about a new
 * browser, and the browser gets the cookies.
 */
import type { SignInRecord } from '@svc/api'
import { foreignLine } from '@svc/protocol'
import type { Context } from 'hono'
import { addressHeader } from '../../people/accounts/auth.ts'
import { deviceCookies } from '../../people/accounts/device.ts'
import { isDisabled } from '../../people/accounts/disabled.ts'
import { endLongestUnused, sessionHeaders, signedInBy } from '../../people/accounts/sessions.ts'
import {
  listSignIns,
  maskedEmail,
  maxUserAgent,
  recordSignIn,
  type SignInLine,
} from '../../people/accounts/sign-in-records.ts'
import type { Person } from '../../people/accounts/store.ts'
import { queueMail } from '../../people/mails/queue.ts'
import type { Db } from '../../platform/db/open.ts'
import { noteLogged } from '../../platform/http/requests.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Deps } from './deps.ts'
import type { WebEnv } from './guards.ts'

export type SignInMethod = SignInRecord['method']
export type SignedInAccount = Pick<Person, 'id' | 'email'>
/** The facts about a sign-in that its record contains. */
export type SignInFacts = Pick<SignInLine, 'known'> & { method: SignInMethod }
/** A new session: the headers with its cookie, and its token. */
export type NewSession = { headers: Headers; token: string }

/** The functions that all steps of a sign-in share. */
export interface SessionMaker {
  /** The cookies by which browsers are known for an account. */
  devices: ReturnType<typeof deviceCookies>
  headersOf(c: Context<WebEnv>): Headers
  /** Adds cookies to the answer. */
  take(c: Context<WebEnv>, cookies: string[]): void
  /** Makes the browser a known one for the account. */
  remember(c: Context<WebEnv>, email: string, session: string): void
  note(c: Context<WebEnv>, email: string, line: Omit<SignInLine, 'address' | 'account' | 'request'>): void
  signedIn(
    c: Context<WebEnv>,
    made: NewSession,
    person: SignedInAccount,
    how: SignInFacts & { second?: 'code' | 'recovery' },
  ): Promise<void>
  newSession(c: Context<WebEnv>, person: Pick<Person, 'id'>, db?: Db): Promise<NewSession>
}

/** Makes the functions that all steps of a sign-in share. */
export function sessionMaker(
  { auth, config, log, now, store }: Deps,
  addressOf: (c: Context<WebEnv>) => string,
): SessionMaker {
  const devices = deviceCookies({ secret: auth.options.secret, baseUrl: config.baseUrl })

  /**
   * The headers of the browser's request for the accounts library, with the client's address as the service determined
   * it.
   */
  const headersOf = (c: Context<WebEnv>): Headers => {
    const headers = sessionHeaders(auth, c.req.raw.headers)
    headers.set(addressHeader, addressOf(c))
    return headers
  }
  const take = (c: Context<WebEnv>, cookies: string[]): void => {
    for (const cookie of cookies) c.header('set-cookie', cookie, { append: true })
  }
  const remember = (c: Context<WebEnv>, email: string, session: string): void =>
    take(c, [devices.renew(c.req.header('cookie'), email, now(), session)])
  /** Writes a log line about a try to sign in, for people and for fail2ban. */
  const note = (c: Context<WebEnv>, email: string, line: Omit<SignInLine, 'address' | 'account' | 'request'>): void => {
    const request = c.env.outgoing.getHeader('x-request-id')?.toString()
    const facts: SignInLine = { address: addressOf(c), account: maskedEmail(email), ...line, request }
    log.info(facts, 'sign-in')
    noteLogged(c.env.incoming)
  }

  /**
   * Gives the browser the session that the accounts library made, and ends the session that the browser had (ASVS 5,
   * 7.2.4).
   */
  async function signedIn(
    c: Context<WebEnv>,
    { headers, token }: NewSession,
    { id, email }: SignedInAccount,
    { second, ...how }: SignInFacts & { second?: 'code' | 'recovery' },
  ): Promise<void> {
    await endLongestUnused(store.db, { id }, { token })
    note(c, email, { outcome: 'ok', ...how })
    const userAgent = c.req.header('user-agent') ?? ''
    await noticeDevice(c, { id, email }, userAgent).catch((error) =>
      log.warn({ err: error }, 'no mail about a new device'),
    )
    const record = { at: now(), method: how.method, address: addressOf(c), userAgent }
    await recordSignIn(store.db, id, { ...record, ...(second && { second }) })
    const former = await signedInBy({ auth, store }, c.req.raw.headers, now())
    if (former) await (await auth.$context).internalAdapter.deleteSession(former.session.token)
    take(c, headers.getSetCookie())
    remember(c, email, token)
    await confirmSession(headers, id)
  }

  /**
   * Looks up the new session as the next request will. If it cannot be found, the person sees only that they are not
   * signed in, so the log must show the reason.
   */
  async function confirmSession(made: Headers, person: string): Promise<void> {
    const cookie = made.getSetCookie().map((each) => each.split(';', 1)[0])
    if (await signedInBy({ auth, store }, new Headers({ cookie: cookie.join('; ') }), now())) return
    log.error({ person }, 'a session that was just made cannot be found: check the clock and the database')
  }

  /**
   * Queues a mail about a sign-in from a browser that was not used for the account before. An account's first sign-in
   * needs no mail.
   */
  async function noticeDevice(c: Context<WebEnv>, { id, email }: SignedInAccount, userAgent: string): Promise<void> {
    if (config.smtpUrl === undefined || devices.find(c.req.header('cookie'), email, now()) !== undefined) return
    if ((await listSignIns(store.db, id)).length === 0) return
    const agent = foreignLine(userAgent, maxUserAgent)
    const topic = { kind: 'new_device', person: id, address: addressOf(c), userAgent: agent } as const
    if (!(await queueMail(store.db, topic, now())))
      log.warn('a mail about a new device was dropped: too many wait for the mail server')
  }

  /**
   * Makes a session, unless the person is disabled. It checks this again afterwards: a person who is disabled meanwhile
   * loses only the sessions that existed at that time (people/workspaces/people.ts).
   */
  async function newSession(c: Context<WebEnv>, { id }: SignedInAccount, db: Db = store.db): Promise<NewSession> {
    if (await isDisabled(db, id)) throw new Refusal('account_disabled')
    const body = { userId: id }
    const { headers, response } = await auth.api.signInPerson({ body, headers: headersOf(c), returnHeaders: true })
    if (!(await isDisabled(db, id))) return { headers, token: response.token }
    await (await auth.$context).internalAdapter.deleteSession(response.token)
    throw new Refusal('account_disabled')
  }

  return { devices, headersOf, take, remember, note, signedIn, newSession }
}

export const isDisabledRefusal = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.code === 'account_disabled'
