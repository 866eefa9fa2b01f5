/** The first request of the page: who is signed in, and what the page shows to a person without a session. */
import type { Door } from '@svc/api'
import { Hono } from 'hono'
import { type Limit, Tries } from '../../people/accounts/rate.ts'
import { signedInBy } from '../../people/accounts/sessions.ts'
import { hasNoAccounts } from '../../people/accounts/store.ts'
import { callerKey } from '../../platform/http/address.ts'
import { callerAddress } from '../../platform/http/caller.ts'
import { Refusal } from '../../platform/refusal.ts'
import { meOf } from '../queries/me.ts'
import type { WebEnv } from '../routing/guards.ts'
import type { WebDeps } from '../routing/web-deps.ts'

/**
 * The limit of requests without a session from one network address. Requests with a session do not count, so nobody can
 * lock signed-in people out of the page.
 */
const perCaller: Limit = { max: 300, seconds: 300 }

/** A session that is unknown or has ended gets the same answer as none, so the page shows no error before signing in. */
export const doorRoutes = (deps: WebDeps) => {
  const { auth, config, now, signIn, store } = deps
  const addressOf = callerAddress(deps)
  const strangers = new Tries(perCaller)
  return new Hono<WebEnv>().get('/door', async (c) => {
    const who = await signedInBy({ auth, store }, c.req.raw.headers, now())
    if (!who) {
      const caller = callerKey(addressOf(c.env.incoming))
      const wait = strangers.wait(caller, perCaller, now())
      if (wait !== undefined) throw new Refusal('rate_limited', undefined, wait)
      strangers.add(caller, now())
    }
    const door: Door = {
      me: null,
      first: await hasNoAccounts(store.db),
      mail: config.smtpUrl !== undefined,
      oidc: null,
      version: null,
    }
    if (!who) return c.json(door)
    for (const cookie of who.cookies) c.header('set-cookie', cookie, { append: true })
    c.set('person', who.person)
    signIn.rememberDevice(c)
    return c.json({ ...door, me: await meOf(deps, who, now()), version: config.version })
  })
}
