/** Sign-in and sign-out, passwords, and the one-time links that lead to an account. */
import { account, object, text } from '@svc/api'
import { Hono } from 'hono'
import { claimAccount, claimable } from '../../people/accounts/claim.ts'
import { isLinkValid, useLink } from '../../people/accounts/links.ts'
import { changePassword } from '../../people/accounts/password.ts'
import { personOfId } from '../../people/accounts/store.ts'
import { firstStart } from '../../people/workspaces/making.ts'
import { found, granted } from '../../platform/refusal.ts'
import { meOf } from '../queries/me.ts'
import { personWriter } from '../routing/acting.ts'
import { bodyFor, bodyOf } from '../routing/body.ts'
import { signedIn, type WebEnv } from '../routing/guards.ts'
import { pastedLink } from '../routing/pasted.ts'
import { proofGuard } from '../routing/proof.ts'
import type { WebDeps } from '../routing/web-deps.ts'
import { forgottenPasswords } from './forgotten.ts'

const typedMax = 64 * 1024
const credentials = object({ email: text(typedMax), password: text(typedMax) })

/**
 * The two routes of the accounts library that the page uses, for signing in and out. None of its other routes can be
 * reached.
 */
export const authRoutes = ({ signIn }: WebDeps) =>
  new Hono<WebEnv>()
    .post('/sign-in/email', async (c) => {
      const { email, password } = await bodyOf(c, credentials)
      return c.json(await signIn.withPassword(c, email, password))
    })
    .post('/sign-out', async (c) => {
      await signIn.out(c)
      return c.json({ ok: true })
    })

/**
 * Routes that work without being signed in. Each requires a secret from a link, except the request for a mail about a
 * forgotten password.
 */
export const linkRoutes = (deps: WebDeps) => {
  const { store, now, signIn } = deps
  const forgotten = forgottenPasswords(deps)
  return new Hono<WebEnv>()
    .get('/start', async (c) => {
      await signIn.countLink(c, 'first', async () => {
        const good = await isLinkValid(store.db, 'first', pastedLink(c.req.query('token')), now())
        found(good || undefined, 'link_unknown')
      })
      return c.json({ ok: true })
    })
    .post('/start', async (c) => {
      const asked = await bodyFor(c, account.firstStart)
      const person = await signIn.countLink(c, 'first', async () => granted(await firstStart(deps, asked, now())))
      await signIn.withoutPassword(c, person, 'first')
      return c.json({ slug: asked.slug })
    })
    .post('/link', async (c) => {
      const asked = await bodyFor(c, account.spendLink)
      const person = await signIn.countLink(c, 'link', async () => {
        const link = found(await useLink(store.db, 'sign_in', asked.token, now()), 'link_unknown')
        return found(await personOfId(store.db, link.person_id ?? ''), 'link_unknown')
      })
      await signIn.withoutPassword(c, person, 'link')
      return c.json({ ok: true })
    })
    .post('/forgot', async (c) => {
      const { email } = await bodyFor(c, account.forgotPassword)
      return c.json(await forgotten(c, email))
    })
    .get('/claim', async (c) => {
      const token = pastedLink(c.req.query('token'))
      const { person, purpose } = await signIn.countLink(c, 'claim', async () =>
        found(await claimable(store.db, token, now()), 'link_unknown'),
      )
      const { email, name } = person
      return c.json({ email, name, forgot: purpose === 'forgot' })
    })
    .post('/claim', async (c) => {
      const asked = await bodyFor(c, account.claim)
      const person = await signIn.countLink(c, 'claim', async () => granted(await claimAccount(deps, asked, now())))
      await deps.live.rightsChanged()
      return c.json(await signIn.orAsk(c, person, 'claim'))
    })
}

/** The routes with which the signed-in person reads who they are and changes their password. */
export const ownRoutes = (deps: WebDeps) => {
  const only = signedIn(deps)
  return new Hono<WebEnv>()
    .get('/me', only, async (c) => {
      deps.signIn.rememberDevice(c)
      return c.json(await meOf(deps, c.var, deps.now()))
    })
    .post('/password', only, proofGuard(deps, account.changePassword), async (c) => {
      const asked = await bodyFor(c, account.changePassword)
      const people = { ...deps, write: personWriter(deps, c.var) }
      await deps.signIn.countPassword(c, async () => granted(await changePassword(people, c.var, asked, deps.now())))
      await deps.live.rightsChanged()
      return c.json({ ok: true })
    })
}
