/** The first request of the page: who is signed in, and what the page shows to a person without a session. */
import type { EntryInfo } from '@svc/api'
import { passkeyObstacle } from '@svc/api/words'
import { Hono } from 'hono'
import { signedInBy } from '../../people/accounts/sessions.ts'
import { hasNoAccounts } from '../../people/accounts/store.ts'
import { callerKey } from '../../platform/http/address.ts'
import { callerAddress } from '../../platform/http/caller.ts'
import { RateWindow } from '../../platform/limits/window.ts'
import { Refusal } from '../../platform/refusal.ts'
import { readMe } from '../queries/me.ts'
import type { WebEnv } from '../routing/guards.ts'
import type { WebDeps } from '../routing/web-deps.ts'

/**
 * The maximum number of requests without a session in a minute: from one network address, which may be that of a whole
 * office, and from one browser in which somebody signed in before.
 */
const perMinute = { caller: 3000, browser: 300 } as const

/**
 * The route of the page's first request. A request with an unknown or ended session gets the same answer as a request
 * without a session, so the page shows no error before signing in.
 */
export const doorRoutes = (deps: WebDeps) => {
  const { auth, config, now, signIn, store } = deps
  const addressOf = callerAddress(deps)
  const strangers = new RateWindow(perMinute.caller)
  const browsers = new RateWindow(perMinute.browser)
  return new Hono<WebEnv>().get('/door', async (c) => {
    const who = await signedInBy({ auth, store }, c.req.raw.headers, now())
    if (!who) {
      const browser = signIn.browserOf(c)
      const wait = browser ? browsers.take(browser, now()) : strangers.take(callerKey(addressOf(c.env.incoming)), now())
      if (wait > 0) throw new Refusal('rate_limited', undefined, wait)
    }
    const door: EntryInfo = {
      me: null,
      first: await hasNoAccounts(store.db),
      mail: config.smtpUrl !== undefined,
      oidc: config.oidc ? { name: config.oidc.name, only: config.oidc.only } : null,
      passkeys: passkeyObstacle(config.baseUrl) === undefined,
      version: null,
    }
    if (!who) return c.json(door)
    for (const cookie of who.cookies) c.header('set-cookie', cookie, { append: true })
    c.set('person', who.person)
    c.set('session', who.session)
    signIn.rememberDevice(c)
    return c.json({ ...door, me: await readMe(deps, who, now()), version: config.version })
  })
}
