/**
 * The routes for sign-in through the provider (OpenID Connect), and for connecting an account with the provider. Both
 * lead the browser to the provider, which sends it back to the callback.
 */
import { factors } from '@svc/api'
import { Hono } from 'hono'
import { pageAddress, signInAddress } from '../../people/oidc/state.ts'
import { Refusal } from '../../platform/refusal.ts'
import { requireSignedIn, type WebEnv } from '../routing/guards.ts'
import { proofGuard } from '../routing/proof.ts'
import type { WebDeps } from '../routing/web-deps.ts'

export const oidcRoutes = (deps: WebDeps) => {
  const { config, signIn } = deps
  return new Hono<WebEnv>()
    .get('/oidc/start', async (c) => {
      if (!config.oidc) throw new Refusal('not_found')
      const next = pageAddress(c.req.query('next'), config.baseUrl)
      const again = c.req.query('again') !== undefined
      return c.redirect((await signIn.toProvider(c, { is: 'sign-in', next, again })) ?? signInAddress('failed', next))
    })
    .get('/oidc/callback', async (c) => {
      if (!config.oidc) throw new Refusal('not_found')
      return c.redirect(await signIn.fromProvider(c))
    })
    .post('/factors/oidc', requireSignedIn(deps), proofGuard(deps, factors.beginOidc), async (c) => {
      await signIn.demandProvider()
      const location = await signIn.toProvider(c, { is: 'connect', session: c.var.session.id })
      if (location === undefined) throw new Refusal('oidc_failed')
      return c.json({ location })
    })
}
