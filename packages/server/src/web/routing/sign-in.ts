/**
 * Lets people sign in and out. The accounts library hashes passwords and makes the session cookies. This module finds
 * the account, because the library accepts only addresses in ASCII; it limits and logs the tries, and writes the answer
 * in the form of the page's routes. Its steps are in `sign-in-password.ts`, `sign-in-second.ts`, `sign-in-passkey.ts`,
 * `sign-in-oidc.ts`, `sign-in-tries.ts` and `sign-in-session.ts`.
 */
import type { NewPasskeyAnswer, PasskeyAnswer, SignInAnswer } from '@svc/api'
import { maxEmailLength, readPasted } from '@svc/protocol'
import type { Context } from 'hono'
import type { Challenge, ChallengeFor } from '../../people/accounts/challenge.ts'
import { normalEmail } from '../../people/accounts/email.ts'
import { halfCookies } from '../../people/accounts/half.ts'
import { HashingBusy } from '../../people/accounts/hashing.ts'
import type { PasskeyUse } from '../../people/accounts/passkeys.ts'
import { renewHash } from '../../people/accounts/password.ts'
import { TryCounter, type TryLimit } from '../../people/accounts/rate.ts'
import { signedInBy } from '../../people/accounts/sessions.ts'
import { countSignIns } from '../../people/accounts/sign-in-limits.ts'
import type { SignInOutcome } from '../../people/accounts/sign-in-records.ts'
import { findPerson, personOfId } from '../../people/accounts/store.ts'
import { findFirstHalf } from '../../people/factors/first-halves.ts'
import type { PartyOfCodes } from '../../people/factors/rules.ts'
import { countCode, mailsWrongCodes } from '../../people/factors/store.ts'
import { queueNotice } from '../../people/mails/queue.ts'
import type { VisitPurpose } from '../../people/oidc/state.ts'
import { callerKey } from '../../platform/http/address.ts'
import { granted, Refusal, type WebCode } from '../../platform/refusal.ts'
import type { Deps } from './deps.ts'
import type { WebEnv } from './guards.ts'
import { oidcStep } from './sign-in-oidc.ts'
import { passkeyStep } from './sign-in-passkey.ts'
import { passwordStep } from './sign-in-password.ts'
import { type GivenCodes, secondStep, tooManyCodes } from './sign-in-second.ts'
import { isDisabledRefusal, type SignedInAccount, type SignInMethod, sessionMaker } from './sign-in-session.ts'
import { outcomeOf, runAsTry } from './sign-in-tries.ts'

/**
 * The limit of tries of one known browser, or else from one network address, to use one-time links or invitations that
 * do not exist. Nobody can guess 256 random bits, but the tries should not be free.
 */
const perCallerLinks: TryLimit = { max: 60, seconds: 300 }
/**
 * The limit of one session for passwords typed to change the password, or as a proof. It keeps somebody with a stolen
 * session from guessing the password.
 */
const perSessionPassword: TryLimit = { max: 8, seconds: 300 }

/** The limit of passkeys that are not accepted, of one known browser, or else from one network address. */
const perCallerPasskeys: TryLimit = { max: 30, seconds: 300 }

type LinkMethod = Exclude<SignInMethod, 'password' | 'passkey' | 'oidc'>

/** The ways to sign in, to prove, and to sign out, as the routes call them. */
export interface SignIn {
  /**
   * Signs in with a password, or asks for the second factor of somebody who has one. Every wrong password gets the same
   * answer, whether the account exists or not.
   */
  withPassword(c: Context<WebEnv>, email: string, password: string): Promise<SignInAnswer>
  /** Signs in somebody who chose a new password with a link, or asks for the second factor. */
  orAsk(c: Context<WebEnv>, person: SignedInAccount, method: LinkMethod): Promise<SignInAnswer>
  /** Completes a sign-in by a second factor. */
  withSecond(c: Context<WebEnv>, given: GivenCodes): Promise<void>
  /**
   * Gives the browser a challenge for a sign-in or, in a session, for a proof, and returns it. The service stores no
   * challenge.
   */
  challenge(c: Context<WebEnv>): Promise<string>
  /** Gives the browser a challenge for a new passkey of the signed-in person, and returns it. */
  challengeToAdd(c: Context<WebEnv>): string
  /** Signs in with a passkey. Any passkey that is not accepted gets the answer of a wrong password. */
  withPasskey(c: Context<WebEnv>, answer: PasskeyAnswer): Promise<void>
  /**
   * Checks a passkey that the signed-in person shows, and runs `work`, which uses it up. A wrong passkey counts like
   * one at a sign-in.
   */
  showPasskey(c: Context<WebEnv>, answer: PasskeyAnswer, work: (use: PasskeyUse) => Promise<void>): Promise<void>
  /**
   * Runs `work`, which checks a new passkey and adds it, with the challenge to which the answer belongs. A wrong
   * passkey counts like one at a sign-in.
   */
  addPasskey<T>(c: Context<WebEnv>, answer: NewPasskeyAnswer, work: (to?: Challenge) => Promise<T>): Promise<T>
  /** Throws if no sign-in provider is set up, or while accounts cannot be connected with it. */
  demandProvider(): Promise<void>
  /** Begins a visit to the sign-in provider, and returns the provider's address; undefined if it does not answer. */
  toProvider(c: Context<WebEnv>, purpose: VisitPurpose): Promise<string | undefined>
  /**
   * Signs in, or connects the account of the signed-in person, when a browser comes back from the provider. Returns the
   * address of the page to which the browser goes.
   */
  fromProvider(c: Context<WebEnv>): Promise<string>
  /** Signs in a person who was identified by a one-time link or an invitation. */
  withoutPassword(c: Context<WebEnv>, person: SignedInAccount, method: LinkMethod): Promise<void>
  out(c: Context<WebEnv>): Promise<void>
  /**
   * Runs `work`, which judges a one-time link or an invitation. A link that does not exist counts against the limit of
   * the known browser, or else of the network address, and gets a line in the log. Above the limit `work` does not run.
   */
  countLink<T>(c: Context<WebEnv>, method: LinkMethod, work: () => Promise<T>): Promise<T>
  /** The id of the browser of a request if anybody has signed in with it before, whatever the account. */
  browserOf(c: Context<WebEnv>): string | undefined
  /** Queues a mail to a person if this party has now given ten wrong codes, and there was no such mail within a day. */
  mailWrongCodes(person: { id: string }, party: PartyOfCodes): Promise<void>
  /**
   * Runs `work`, which checks the password of the signed-in person. Each call counts against the limit of this session,
   * whether it succeeds or fails; above the limit `work` does not run. A stolen session thus locks nobody else out.
   */
  countPassword<T>(c: Context<WebEnv>, work: () => Promise<T>): Promise<T>
  /** Gives the browser a cookie that marks it as known for the signed-in person's account, unless it has one. */
  rememberDevice(c: Context<WebEnv>): void
}

export function signInOf(deps: Deps, addressOf: (c: Context<WebEnv>) => string): SignIn {
  const { auth, config, log, now, store } = deps
  const limits = countSignIns()
  const links = new TryCounter(perCallerLinks)
  const passwords = new TryCounter(perSessionPassword)
  const halves = halfCookies(config.baseUrl)
  const sessions = sessionMaker(deps, addressOf)
  const { devices, headersOf, newSession, note, remember, signedIn, take } = sessions
  const { ask, halfFor, judge } = passwordStep(deps, { ...sessions, addressOf, halves })
  const complete = secondStep(deps, sessions)
  const passkeys = new TryCounter(perCallerPasskeys)
  const passkey = passkeyStep(deps, sessions)
  const oidc = oidcStep(deps, { ...sessions, addressOf, halves })

  /** Runs `work`, which checks a passkey, unless this browser or address gave too many wrong ones. */
  const tryPasskey = <T>(c: Context<WebEnv>, work: () => Promise<T>): Promise<T> => {
    const key = devices.browser(c.req.header('cookie'), now()) ?? callerKey(addressOf(c))
    return runAsTry({ tries: passkeys, limit: perCallerPasskeys, key, now: now(), wrong: wrongPasskey }, work)
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
      const half = token === undefined ? undefined : await findFirstHalf(store.db, token, now())
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
    async challenge(c) {
      const who = await signedInBy({ auth, store }, c.req.raw.headers, now())
      if (who) take(c, who.cookies)
      return passkey.give(c, who ? [toSignIn, toProve(who.session)] : [toSignIn])
    },
    challengeToAdd: (c) => passkey.give(c, [toAdd(c.var.session)]),
    async withPasskey(c, answer) {
      let email = ''
      let known = false
      await tryPasskey(c, async () => {
        const use = await passkey.check(c, toSignIn, answer)
        const person = use && (await personOfId(store.db, use.person.id))
        if (!person) throw new Refusal('sign_in_failed')
        email = person.email
        known = devices.find(c.req.header('cookie'), email, now()) !== undefined
        const made = granted(await passkey.complete(c, use, halves.find(c.req.header('cookie'))))
        await signedIn(c, made, person, { method: 'passkey', known })
        passkey.end(c, [toSignIn], answer)
        take(c, [halves.clear()])
      }).catch((error) => {
        const outcome = isDisabledRefusal(error) ? 'disabled' : outcomeOf(error, wrongPasskey)
        if (outcome) note(c, email, { outcome, method: 'passkey', known })
        throw error
      })
    },
    async showPasskey(c, answer, work) {
      await tryPasskey(c, async () => {
        const purpose = toProve(c.var.session)
        const use = await passkey.check(c, purpose, answer)
        if (use?.person.id !== c.var.person.id) throw new Refusal('passkey_wrong')
        await work(use)
        passkey.end(c, [toSignIn, purpose], answer)
      })
    },
    addPasskey: (c, answer, work) =>
      tryPasskey(c, async () => {
        const purpose = toAdd(c.var.session)
        const made = await work(passkey.find(c, purpose, answer))
        passkey.end(c, [purpose], answer)
        return made
      }),
    async demandProvider() {
      if (!oidc) throw new Refusal('oidc_off')
      await oidc.demandNewNodes()
    },
    async toProvider(c, purpose) {
      if (!oidc) throw new Refusal('oidc_off')
      return oidc.begin(c, purpose)
    },
    async fromProvider(c) {
      if (!oidc) throw new Refusal('oidc_off')
      return oidc.handleCallback(c)
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
      return await runAsTry({ tries: links, limit: perCallerLinks, key, now: now(), wrong: noSuchLink }, work).catch(
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
      return runAsTry({ ...count, wrong: 'all' }, work)
    },
    rememberDevice(c) {
      const { email } = c.var.person
      const cookies = c.req.header('cookie')
      if (devices.find(cookies, email, now()) === undefined || devices.browser(cookies, now()) === undefined)
        remember(c, email, c.var.session.token)
    },
  }
}

/** The maximum length of a typed address, before white space is removed at its ends. */
const maxTyped = 4 * maxEmailLength
const tooLong = `An e-mail address has at most ${maxEmailLength} characters.`
const noSuchLink: readonly WebCode[] = ['link_unknown', 'invitation_unknown']
const toSignIn: ChallengeFor = { is: 'sign-in' }
const toProve = ({ id }: { id: string }): ChallengeFor => ({ is: 'proof', session: id })
const toAdd = ({ id }: { id: string }): ChallengeFor => ({ is: 'add', session: id })
const wrongPasskey: readonly WebCode[] = ['sign_in_failed', 'passkey_wrong']

const busy = () => new Refusal('rate_limited', HashingBusy.words, HashingBusy.retryAfter)
