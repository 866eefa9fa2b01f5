/** Signing in and out: the library decides and sets the cookies; here tries are counted and the answer is made ours. */
import type { Context } from 'hono'
import type { Deps } from '../deps.ts'
import { callerKey } from '../web/address.ts'
import type { WebEnv } from '../web/guards.ts'
import { Refusal } from '../web/refusal.ts'
import { addressHeader } from './auth.ts'
import { rateLimit } from './rate.ts'
import { signedInBy } from './sessions.ts'

/** An account under attack from many addresses can still be used by its person from one that tried less. */
const perCaller = { most: 30, seconds: 300 }
const perAccountAndCaller = { most: 8, seconds: 300 }
const perAccount = { most: 100, seconds: 3600 }

/** One-time links and invitations: guesses at 256 random bits are hopeless, but need not be free. */
const perCallerLinks = { most: 60, seconds: 300 }

export interface SignIn {
  /** With a password. Every wrong one gives the same answer, whether there is such an account or not. */
  withPassword(c: Context<WebEnv>, email: string, password: string): Promise<void>
  /** A person whom we know by a one-time link or an invitation. */
  withoutPassword(c: Context<WebEnv>, personId: string): Promise<void>
  out(c: Context<WebEnv>): Promise<void>
  /** Counts a try with a one-time link or an invitation. */
  countLink(c: Context<WebEnv>): void
  /** Counts a try at one's current password: a borrowed session is no way to guess it. */
  countPassword(c: Context<WebEnv>): void
}

export function signInOf({ auth, now }: Deps, addressOf: (c: Context<WebEnv>) => string): SignIn {
  const callers = rateLimit(perCaller.most, perCaller.seconds)
  const pairs = rateLimit(perAccountAndCaller.most, perAccountAndCaller.seconds)
  const accounts = rateLimit(perAccount.most, perAccount.seconds)
  const links = rateLimit(perCallerLinks.most, perCallerLinks.seconds)

  /** What the library is told of the request: the caller's address is ours to say. */
  const headersOf = (c: Context<WebEnv>): Headers => {
    const headers = new Headers(c.req.raw.headers)
    headers.set(addressHeader, addressOf(c))
    return headers
  }
  const take = (c: Context<WebEnv>, cookies: string[]): void => {
    for (const cookie of cookies) c.header('set-cookie', cookie, { append: true })
  }
  /** A new sign-in ends the session that the browser had (ASVS 5, 7.2.4). */
  const endFormer = async (c: Context<WebEnv>): Promise<void> => {
    const former = await signedInBy(auth, c.req.raw.headers, now())
    if (former) await (await auth.$context).internalAdapter.deleteSession(former.session.token)
  }

  return {
    async withPassword(c, email, password) {
      const caller = callerKey(addressOf(c))
      const account = email.trim().toLowerCase()
      const pair = `${caller} ${account}`
      const wait = callers.take(caller, now()) ?? pairs.take(pair, now()) ?? accounts.take(account, now())
      if (wait !== undefined) throw new Refusal('rate_limited', undefined, wait)
      const answer = await auth.api.signInEmail({
        body: { email: account, password },
        headers: headersOf(c),
        asResponse: true,
      })
      if (answer.status >= 500) throw new Error('The accounts library failed to sign somebody in.')
      if (!answer.ok) throw new Refusal('sign_in_failed')
      pairs.forget(pair)
      await endFormer(c)
      take(c, answer.headers.getSetCookie())
    },
    async withoutPassword(c, personId) {
      const { headers } = await auth.api.signInPerson({
        body: { userId: personId },
        headers: headersOf(c),
        returnHeaders: true,
      })
      await endFormer(c)
      take(c, headers.getSetCookie())
    },
    async out(c) {
      const { headers } = await auth.api.signOut({ headers: headersOf(c), returnHeaders: true })
      take(c, headers.getSetCookie())
    },
    countPassword(c) {
      const wait = pairs.take(`password ${c.var.person.id}`, now())
      if (wait !== undefined) throw new Refusal('rate_limited', undefined, wait)
    },
    countLink(c) {
      const wait = links.take(callerKey(addressOf(c)), now())
      if (wait !== undefined) throw new Refusal('rate_limited', undefined, wait)
    },
  }
}
