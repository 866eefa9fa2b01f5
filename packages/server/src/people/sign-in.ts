/** Signing in and out: the library decides and sets the cookies; here tries are counted and the answer is made ours. */
import type { Context } from 'hono'
import type { Deps } from '../deps.ts'
import { callerKey } from '../web/address.ts'
import type { WebEnv } from '../web/guards.ts'
import { Refusal } from '../web/refusal.ts'
import { addressHeader } from './auth.ts'
import { deviceCookies } from './device.ts'
import { inTurn } from './hashing.ts'
import { countSignIns, maxEmailLength } from './limits.ts'
import { type Limit, Tries } from './rate.ts'
import { signedInBy } from './sessions.ts'
import { normalEmail, type Person } from './store.ts'

/** One-time links and invitations: guesses at 256 random bits are hopeless, but need not be free. */
const perCallerLinks: Limit = { max: 60, seconds: 300 }
/** One's current password: a borrowed session is no way to guess it. */
const perPersonPassword: Limit = { max: 8, seconds: 300 }

export interface SignIn {
  /** With a password. Every wrong one gives the same answer, whether there is such an account or not. */
  withPassword(c: Context<WebEnv>, email: string, password: string): Promise<void>
  /** A person whom we know by a one-time link or an invitation. */
  withoutPassword(c: Context<WebEnv>, person: Pick<Person, 'id' | 'email'>): Promise<void>
  out(c: Context<WebEnv>): Promise<void>
  /** Runs `work`, which judges a one-time link or an invitation; counts it when there was no such link. */
  countLink<T>(c: Context<WebEnv>, work: () => Promise<T>): Promise<T>
  /** Runs `work`, which judges one's current password; counts it when that was wrong. */
  countPassword<T>(c: Context<WebEnv>, work: () => Promise<T>): Promise<T>
  /** Remembers a browser that was signed in before there was a cookie for it. */
  rememberDevice(c: Context<WebEnv>): void
}

export function signInOf({ auth, config, now }: Deps, addressOf: (c: Context<WebEnv>) => string): SignIn {
  const limits = countSignIns()
  const links = new Tries(perCallerLinks)
  const passwords = new Tries(perPersonPassword)
  const devices = deviceCookies({ secret: auth.options.secret, https: config.baseUrl.startsWith('https:') })

  /** What the library is told of the request: the caller's address is ours to say. */
  const headersOf = (c: Context<WebEnv>): Headers => {
    const headers = new Headers(c.req.raw.headers)
    headers.set(addressHeader, addressOf(c))
    return headers
  }
  const take = (c: Context<WebEnv>, cookies: string[]): void => {
    for (const cookie of cookies) c.header('set-cookie', cookie, { append: true })
  }
  const remember = (c: Context<WebEnv>, email: string): void =>
    take(c, [devices.renew(c.req.header('cookie'), email, now())])
  /** A new sign-in ends the session that the browser had (ASVS 5, 7.2.4). */
  const endFormer = async (c: Context<WebEnv>): Promise<void> => {
    const former = await signedInBy(auth, c.req.raw.headers, now())
    if (former) await (await auth.$context).internalAdapter.deleteSession(former.session.token)
  }
  /** Counts `work` as a failed try until it has ended otherwise than with this refusal. */
  async function counted<T>(tries: Tries, limit: Limit, key: string, wrong: string[], work: () => Promise<T>) {
    const wait = tries.wait(key, limit, now())
    if (wait !== undefined) throw new Refusal('rate_limited', undefined, wait)
    tries.add(key, now())
    let failed = false
    try {
      return await work()
    } catch (error) {
      failed = error instanceof Refusal && wrong.includes(error.code)
      throw error
    } finally {
      if (!failed) tries.takeBack(key)
    }
  }

  return {
    async withPassword(c, email, password) {
      const account = normalEmail(email)
      if (account.length > maxEmailLength)
        throw new Refusal('email_invalid', 'An e-mail address has at most 254 characters.')
      const caller = callerKey(addressOf(c))
      const device = devices.find(c.req.header('cookie'), account, now())
      const admission = limits.begin({ caller, account, device }, now())
      if (!admission.ok) throw new Refusal('rate_limited', undefined, admission.wait)
      const attempt = admission.value
      const answer = await inTurn({ known: device !== undefined, caller }, () =>
        auth.api.signInEmail({ body: { email: account, password }, headers: headersOf(c), asResponse: true }),
      ).catch((error) => {
        attempt.undo()
        throw error
      })
      if (answer.status >= 500) {
        attempt.undo()
        throw new Error('The accounts library failed to sign somebody in.')
      }
      if (!answer.ok) throw new Refusal('sign_in_failed')
      attempt.succeeded()
      await endFormer(c)
      take(c, answer.headers.getSetCookie())
      remember(c, account)
    },
    async withoutPassword(c, { id, email }) {
      const { headers } = await auth.api.signInPerson({
        body: { userId: id },
        headers: headersOf(c),
        returnHeaders: true,
      })
      await endFormer(c)
      take(c, headers.getSetCookie())
      remember(c, email)
    },
    async out(c) {
      const { headers } = await auth.api.signOut({ headers: headersOf(c), returnHeaders: true })
      take(c, headers.getSetCookie())
    },
    countPassword: (c, work) => counted(passwords, perPersonPassword, c.var.person.id, ['password_wrong'], work),
    countLink: (c, work) =>
      counted(links, perCallerLinks, callerKey(addressOf(c)), ['link_unknown', 'invitation_unknown'], work),
    rememberDevice(c) {
      const { email } = c.var.person
      if (devices.find(c.req.header('cookie'), email, now()) === undefined) remember(c, email)
    },
  }
}
