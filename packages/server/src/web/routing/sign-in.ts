/**
 * Lets people sign in and out. The accounts library hashes passwords and makes the session cookies. This module finds
 * the account, because the library accepts only addresses in ASCII; it limits and logs the tries, and writes the answer
 * in the form of the page's routes.
 */
import type { SignInAnswer, SignInRecord } from '@svc/api'
import { foreignLine, maxEmailLength, readPasted } from '@svc/protocol'
import type { Context } from 'hono'
import { addressHeader, passwordLength } from '../../people/accounts/auth.ts'
import { deviceCookies } from '../../people/accounts/device.ts'
import { isDisabled } from '../../people/accounts/disabled.ts'
import { normalEmail } from '../../people/accounts/email.ts'
import { secondsOf, useFactor } from '../../people/accounts/factors.ts'
import { halfCookies, newHalfToken } from '../../people/accounts/half.ts'
import { HashingBusy, inTurn } from '../../people/accounts/hashing.ts'
import {
  maxUserAgent,
  recordSignIn,
  type SignInLine,
  type SignInOutcome,
  shortAccount,
  signInsOf,
} from '../../people/accounts/history.ts'
import { decide } from '../../people/accounts/library.ts'
import { countSignIns } from '../../people/accounts/limits.ts'
import { queueMail, queueNotice } from '../../people/accounts/mails.ts'
import { type Limit, Tries } from '../../people/accounts/rate.ts'
import { renewHash } from '../../people/accounts/renew.ts'
import { endLongestUnused, signedInBy } from '../../people/accounts/sessions.ts'
import { findPerson, type Person, personOfId } from '../../people/accounts/store.ts'
import type { PartyOfCodes } from '../../people/factors/rules.ts'
import {
  beginHalf,
  countCode,
  endHalves,
  forgetWrongCodes,
  halfOf,
  mailsWrongCodes,
  noteProof,
  useHalf,
} from '../../people/factors/store.ts'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import { callerKey } from '../../platform/http/address.ts'
import { loggedAlready } from '../../platform/http/requests.ts'
import { Refusal, type WebCode } from '../../platform/refusal.ts'
import { refuse } from '../../platform/verdict.ts'
import type { Deps } from './deps.ts'
import type { WebEnv } from './guards.ts'

/**
 * The limit of tries of one known browser, or else from one network address, to use one-time links or invitations that
 * do not exist. Nobody can guess 256 random bits, but the tries should not be free.
 */
const perCallerLinks: Limit = { max: 60, seconds: 300 }
/**
 * The limit of tries of one session to change the password or to prove who it is. Somebody with a stolen session must
 * not guess the present password, and each try costs two hashes.
 */
const perSessionPassword: Limit = { max: 8, seconds: 300 }

type Method = SignInRecord['method']
type LinkMethod = Exclude<Method, 'password'>
type Account = Pick<Person, 'id' | 'email'>

export interface SignIn {
  /**
   * Signs in with a password, or asks for the second factor of somebody who has one. Every wrong password gets the same
   * answer, whether the account exists or not.
   */
  withPassword(c: Context<WebEnv>, email: string, password: string): Promise<SignInAnswer>
  /** Signs in somebody who chose a new password with a link, or asks for the second factor. */
  orAsk(c: Context<WebEnv>, person: Account, method: LinkMethod): Promise<SignInAnswer>
  /** Completes a sign-in by a second factor. */
  withSecond(c: Context<WebEnv>, given: { code?: string; recovery?: string }): Promise<void>
  /** Signs in a person who was identified by a one-time link or an invitation. */
  withoutPassword(c: Context<WebEnv>, person: Account, method: LinkMethod): Promise<void>
  out(c: Context<WebEnv>): Promise<void>
  /**
   * Runs `work`, which judges a one-time link or an invitation. A link that does not exist counts against the limit of
   * tries of the network address, and gets a line in the log; above the limit `work` does not run.
   */
  countLink<T>(c: Context<WebEnv>, method: LinkMethod, work: () => Promise<T>): Promise<T>
  /** The id of the browser of a request if anybody has signed in with it before, whatever the account. */
  browserOf(c: Context<WebEnv>): string | undefined
  /** Queues a mail to a person if this party has now given ten wrong codes, and there was no such mail within a day. */
  mailWrongCodes(person: { id: string }, party: PartyOfCodes): Promise<void>
  /**
   * Runs `work`, which checks the password of the signed-in person. Each call counts against the limit of this session,
   * whether it succeeds or fails; above the limit `work` does not run. A stolen session thus locks nobody else.
   */
  countPassword<T>(c: Context<WebEnv>, work: () => Promise<T>): Promise<T>
  /** If the browser has no valid cookie that marks it as known for the account of the signed-in person, it gets one. */
  rememberDevice(c: Context<WebEnv>): void
}

export function signInOf({ auth, config, log, now, store }: Deps, addressOf: (c: Context<WebEnv>) => string): SignIn {
  const limits = countSignIns()
  const links = new Tries(perCallerLinks)
  const passwords = new Tries(perSessionPassword)
  const halves = halfCookies({ https: config.baseUrl.startsWith('https:') })
  const devices = deviceCookies({ secret: auth.options.secret, https: config.baseUrl.startsWith('https:') })

  /**
   * The headers of the browser's request for the accounts library, with the client's address as the service determined
   * it.
   */
  const headersOf = (c: Context<WebEnv>): Headers => {
    const headers = new Headers(c.req.raw.headers)
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
    const facts: SignInLine = { address: addressOf(c), account: shortAccount(email), ...line, request }
    log.info(facts, 'sign-in')
    loggedAlready(c.env.incoming)
  }

  /**
   * Gives the browser the session that the accounts library made, and ends the session that the browser had (ASVS 5,
   * 7.2.4).
   */
  async function signedIn(
    c: Context<WebEnv>,
    { headers, token }: Made,
    { id, email }: Account,
    { second, ...how }: How & { second?: 'code' | 'recovery' },
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
   * Looks the new session up as the next request will. If it cannot be found, nobody stays signed in, and the answers to
   * people only say that they are not: the log must say it.
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
  async function noticeDevice(c: Context<WebEnv>, { id, email }: Account, userAgent: string): Promise<void> {
    if (config.smtpUrl === undefined || devices.find(c.req.header('cookie'), email, now()) !== undefined) return
    if ((await signInsOf(store.db, id)).length === 0) return
    const agent = foreignLine(userAgent, maxUserAgent)
    const topic = { kind: 'new_device', person: id, address: addressOf(c), userAgent: agent } as const
    if (!(await queueMail(store.db, topic, now())))
      log.warn('a mail about a new device was dropped: too many wait for the mail server')
  }

  /**
   * Returns the person's new session, or the first half of a sign-in if the person has a second factor;
   * undefined if the password is wrong or nobody has that address. Throws if the person is disabled and the password
   * right, if the queue for hashing is full, without checking the password, or if the database cannot be reached.
   */
  async function judge(c: Context<WebEnv>, person: Account | undefined, { password, known }: Try) {
    const turn = { known, caller: callerKey(addressOf(c)) }
    return await inTurn(turn, async () => {
      const before = person ? await storedPassword(store.db, person.id) : null
      if (!(await isRight(password, before)) || !person) return undefined
      const half = await halfFor(person, 'password')
      const made = half ? undefined : await newSession(c, person)
      if (!(await wasChanged(person, password, before))) return half ?? made
      if (made) await (await auth.$context).internalAdapter.deleteSession(made.token)
      else await endHalves(store.db, person.id)
      return undefined
    })
  }

  /** Stores the first half of a sign-in; undefined if the person has no second factor. */
  async function halfFor({ id }: Account, method: Method): Promise<Half | undefined> {
    const second = await secondsOf(store.db, { id })
    if (second.length === 0) return undefined
    if (await isDisabled(store.db, id)) throw new Refusal('account_disabled')
    const token = newHalfToken()
    await beginHalf(store.db, { token, personId: id, method }, now())
    return { token, second }
  }

  /** Gives the browser the first half of a sign-in, and asks for the second factor. */
  function ask(c: Context<WebEnv>, { email }: Account, { token, second }: Half, how: How): SignInAnswer {
    note(c, email, { outcome: 'asked', ...how })
    take(c, [halves.set(token)])
    return { ok: false, second }
  }

  /**
   * Makes the session of a completed sign-in, in the transaction that uses the first half and the code up. So no session
   * is made after the password was changed or the factors were removed.
   */
  const complete = (c: Context<WebEnv>, half: { hash: string }, { person, party }: Giver, given: Given) =>
    decide<Made, 'second_factor_failed' | 'factor_unreadable'>({ store, auth }, async (trx) => {
      if (!(await useHalf(trx, half, now()))) return secondFailed
      let off: number | undefined
      const clocksDiffer = (seconds: number) => {
        off = seconds
        noteClocks(log, person, seconds)
      }
      const used = await useFactor({ db: trx, config, person, now: now(), clocksDiffer }, given)
      if (!used.ok && used.code === 'factor_unreadable') return { ...used, code: used.code }
      if (!used.ok) return off === undefined ? secondFailed : refuse('second_factor_failed', used.message)
      await forgetWrongCodes(trx, person.id, party)
      const made = await newSession(c, person, trx)
      const session = await trx
        .selectFrom('session')
        .select('id')
        .where('token', '=', made.token)
        .executeTakeFirstOrThrow()
      await noteProof(trx, session, 'factor', now())
      return { ok: true, value: made }
    })

  /** Checks a password. Without a stored one a hash is made as well, so that the answer takes the same time. */
  async function isRight(password: string, hash: string | null): Promise<boolean> {
    if (password.length > passwordLength.max) return false
    const hashing = (await auth.$context).password
    if (hash !== null) return hashing.verify({ hash, password })
    await hashing.hash(password)
    return false
  }

  /**
   * True if the account got another password while the typed one was being checked. The new session must then end,
   * because the change of the password ended only the sessions that existed at that time.
   */
  async function wasChanged({ id }: Account, password: string, before: string | null): Promise<boolean> {
    const hash = await storedPassword(store.db, id)
    if (hash === before) return false
    return hash === null || !(await (await auth.$context).password.verify({ hash, password }))
  }

  /**
   * Makes a session, unless the person is disabled. That is checked afterwards, because a person who is disabled at the
   * same time loses only the sessions that existed at that time (people/workspaces/people.ts).
   */
  async function newSession(c: Context<WebEnv>, { id }: Account, db: Db = store.db): Promise<Made> {
    if (await isDisabled(db, id)) throw new Refusal('account_disabled')
    const body = { userId: id }
    const { headers, response } = await auth.api.signInPerson({ body, headers: headersOf(c), returnHeaders: true })
    if (!(await isDisabled(db, id))) return { headers, token: response.token }
    await (await auth.$context).internalAdapter.deleteSession(response.token)
    throw new Refusal('account_disabled')
  }

  return {
    async withPassword(c, email, password) {
      const person = email.length > maxTyped ? undefined : await findPerson(store.db, email)
      const account = person?.email ?? normalEmail(email)
      const device = devices.find(c.req.header('cookie'), account, now())
      const known = device !== undefined
      const fails = (outcome: SignInOutcome, refusal: Refusal): Refusal => {
        note(c, account, { outcome, method: 'password', known })
        return refusal
      }
      if (account.length > maxEmailLength) throw fails('wrong', new Refusal('email_invalid', tooLong))
      const pasted = readPasted('The email address', email)
      if (!person && !pasted.ok) throw fails('wrong', new Refusal('email_invalid', pasted.message))
      const admission = limits.begin({ caller: callerKey(addressOf(c)), account, device }, now())
      if (!admission.ok) throw fails('limited', new Refusal('rate_limited', undefined, admission.wait))
      const judged = await judge(c, person, { password, known }).catch((error) => {
        admission.value.undo()
        if (isDisabledRefusal(error)) throw fails('disabled', error)
        throw error instanceof HashingBusy ? fails('busy', busy()) : error
      })
      if (!judged || !person) throw fails('wrong', new Refusal('sign_in_failed'))
      admission.value.succeeded()
      await renewHash({ auth, store }, person.id, password, config.passwordForm).catch((error) =>
        log.warn({ err: error }, 'the hash of a password was not renewed'),
      )
      const how = { method: 'password', known } as const
      if ('second' in judged) return ask(c, person, judged, how)
      await signedIn(c, judged, person, how)
      return { ok: true }
    },
    async orAsk(c, person, method) {
      const half = await halfFor(person, method)
      if (half) return ask(c, person, half, { method, known: false })
      await this.withoutPassword(c, person, method)
      return { ok: true }
    },
    async withSecond(c, given) {
      const token = halves.find(c.req.header('cookie'))
      const half = token === undefined ? undefined : await halfOf(store.db, token, now())
      const person = half && (await personOfId(store.db, half.person_id))
      const method = given.recovery === undefined ? 'code' : 'recovery'
      const email = person?.email ?? ''
      const device = person && devices.find(c.req.header('cookie'), email, now())
      const party: PartyOfCodes = device === undefined ? 'strangers' : `browser ${device}`
      const known = device !== undefined
      const fails = (outcome: SignInOutcome, refusal: Refusal): Refusal => {
        note(c, email, { outcome, method, known })
        return refusal
      }
      if (!half || !person) throw fails('wrong', new Refusal('second_factor_failed'))
      const wait = method === 'code' ? await countCode(store.db, person.id, now(), party) : undefined
      if (wait !== undefined) throw fails('limited', new Refusal('rate_limited', tooManyCodes, wait))
      const made = await complete(c, half, { person, party }, given)
      if (!made.ok) {
        await this.mailWrongCodes(person, party)
        throw fails('wrong', new Refusal(made.code, made.message))
      }
      await signedIn(c, made.value, person, { method: half.method, known, second: method })
      take(c, [halves.clear()])
    },
    async withoutPassword(c, person, method) {
      const made = await newSession(c, person).catch((error) => {
        if (isDisabledRefusal(error)) note(c, person.email, { outcome: 'disabled', method, known: false })
        throw error
      })
      await signedIn(c, made, person, { method, known: false })
    },
    async out(c) {
      const { headers } = await auth.api.signOut({ headers: headersOf(c), returnHeaders: true })
      take(c, headers.getSetCookie())
    },
    async countLink(c, method, work) {
      const key = this.browserOf(c) ?? callerKey(addressOf(c))
      return await counted({ tries: links, limit: perCallerLinks, key, now: now(), wrong: noSuchLink }, work).catch(
        (error) => {
          const outcome = outcomeOf(error, noSuchLink)
          if (outcome) note(c, '', { outcome, method, known: false })
          throw error
        },
      )
    },
    browserOf: (c) => devices.browser(c.req.header('cookie'), now()),
    async mailWrongCodes({ id }, party) {
      if (config.smtpUrl === undefined || !(await mailsWrongCodes(store.db, id, party, now()))) return
      await queueNotice(store.db, { config }, { person: id, what: 'wrong_codes' }, now())
    },
    countPassword: (c, work) => {
      const count = { tries: passwords, limit: perSessionPassword, key: c.var.session.id, now: now() }
      return counted({ ...count, wrong: 'all' }, work)
    },
    rememberDevice(c) {
      const { email } = c.var.person
      const cookies = c.req.header('cookie')
      if (devices.find(cookies, email, now()) === undefined || devices.browser(cookies, now()) === undefined)
        remember(c, email, c.var.session.token)
    },
  }
}

type How = Pick<SignInLine, 'known'> & { method: Method }
/** The person of a code, and who gave it. */
type Giver = { person: Person; party: PartyOfCodes }
type Given = { code?: string; recovery?: string }
/** The first half of a sign-in: the token for the browser's cookie, and the ways to show the second factor. */
type Half = { token: string; second: Extract<SignInAnswer, { ok: false }>['second'] }
/** A new session: the headers with its cookie, and its token. */
type Made = { headers: Headers; token: string }
type Try = { password: string; known: boolean }

/**
 * The stored hash of the account's password. On PostgreSQL the query waits for a change of the password that is in
 * progress.
 */
async function storedPassword(db: Db, personId: string): Promise<string | null> {
  const row = db
    .selectFrom('account')
    .select('password')
    .where('userId', '=', personId)
    .where('providerId', '=', 'credential')
  const account = await (isPostgres(db) ? row.forShare() : row).executeTakeFirst()
  return account?.password ?? null
}

/** Tells the operator that an authenticator app and the service disagree about the time. */
export const noteClocks = (log: Deps['log'], person: { id: string }, seconds: number): void =>
  log.warn({ person: person.id, seconds }, 'clocks differ: a code of an authenticator app is from another time')

/** A longer text is no address, whatever is removed at its ends. */
const maxTyped = 4 * maxEmailLength
const tooLong = `An e-mail address has at most ${maxEmailLength} characters.`
const secondFailed = refuse('second_factor_failed', new Refusal('second_factor_failed').message)
export const tooManyCodes =
  'Too many wrong codes: further ones are refused here for a while. A recovery code still signs you in.'
const noSuchLink: readonly WebCode[] = ['link_unknown', 'invitation_unknown']

const isDisabledRefusal = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.code === 'account_disabled'

const busy = () => new Refusal('rate_limited', HashingBusy.words, HashingBusy.retryAfter)

interface Count {
  tries: Tries
  limit: Limit
  key: string
  now: number
  /** The codes of the refusals that count as failed tries. With `all`, every run counts, even one that succeeded. */
  wrong: readonly WebCode[] | 'all'
}

/**
 * Runs `work`, unless the limit is reached. A run counts as a try while it lasts; afterwards it still counts only if it
 * ended with one of the refusals in `wrong`, or if `wrong` is `all`.
 */
async function counted<T>({ tries, limit, key, now, wrong }: Count, work: () => Promise<T>): Promise<T> {
  const wait = tries.wait(key, limit, now)
  if (wait !== undefined) throw new Refusal('rate_limited', undefined, wait)
  tries.add(key, now)
  let outcome: SignInOutcome | undefined
  try {
    return await work()
  } catch (error) {
    if (wrong !== 'all') outcome = outcomeOf(error, wrong)
    throw error
  } finally {
    if (wrong !== 'all' && outcome !== 'wrong') tries.takeBack(key)
  }
}

function outcomeOf(error: unknown, wrong: readonly WebCode[]): SignInOutcome | undefined {
  if (!(error instanceof Refusal)) return undefined
  return wrong.includes(error.code) ? 'wrong' : error.code === 'rate_limited' ? 'limited' : undefined
}
