/**
 * Sign-in with a password or through the provider, sign-out, passwords, and the one-time links that lead to an account.
 */
import { account, type ForgotPasswordInfo, factors, object, text, workspaces } from '@svc/api'
import { readPasted } from '@svc/protocol'
import { type Context, Hono } from 'hono'
import { readMailbox } from '../../deliveries/recipient.ts'
import { claimAccount, claimablePerson } from '../../people/accounts/claim.ts'
import { isLinkValid, useLink } from '../../people/accounts/links.ts'
import { changePassword } from '../../people/accounts/password.ts'
import { TryCounter, type TryLimit } from '../../people/accounts/rate.ts'
import { signedInBy } from '../../people/accounts/sessions.ts'
import { findPerson, personOfId } from '../../people/accounts/store.ts'
import { queueMail } from '../../people/mails/queue.ts'
import { pageAddress, signInAddress } from '../../people/oidc/state.ts'
import { acceptInvitation, invitationInfo } from '../../people/workspaces/accepting.ts'
import { firstStart } from '../../people/workspaces/making.ts'
import { callerKey } from '../../platform/http/address.ts'
import { callerAddress } from '../../platform/http/caller.ts'
import { granted, Refusal, requireFound } from '../../platform/refusal.ts'
import { readMe } from '../queries/me.ts'
import { personWriter } from '../routing/acting.ts'
import { bodyFor, readInputBody } from '../routing/body.ts'
import { requirePasswords, requireSignedIn, type WebEnv } from '../routing/guards.ts'
import { proofGuard } from '../routing/proof.ts'
import type { WebDeps } from '../routing/web-deps.ts'

const typedMax = 64 * 1024
const credentials = object({ email: text(typedMax), password: text(typedMax) })

/** The routes for sign-in with a password and for sign-out. No other route of the accounts library can be reached. */
export const authRoutes = (deps: WebDeps) => {
  const { signIn } = deps
  return new Hono<WebEnv>()
    .post('/sign-in/email', requirePasswords(deps), async (c) => {
      const { email, password } = await readInputBody(c, credentials)
      return c.json(await signIn.withPassword(c, email, password))
    })
    .post('/sign-out', async (c) => {
      await signIn.out(c)
      return c.json({ ok: true })
    })
}

/**
 * The routes for sign-in through the provider (OpenID Connect), and for connecting an account with the provider. Both
 * lead the browser to the provider, which sends it back to the callback.
 */
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

/**
 * Routes that work without being signed in. Each requires a secret from a link, except the request for a mail about a
 * forgotten password.
 */
export const linkRoutes = (deps: WebDeps) => {
  const { store, now, signIn } = deps
  const forgotten = forgottenPasswords(deps)
  const passwords = requirePasswords(deps)
  return new Hono<WebEnv>()
    .get('/start', async (c) => {
      await signIn.countLink(c, 'first', async () => {
        const good = await isLinkValid(store.db, 'first', pastedLink(c.req.query('token')), now())
        requireFound(good || undefined, 'link_unknown')
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
        const link = requireFound(await useLink(store.db, 'sign_in', asked.token, now()), 'link_unknown')
        return requireFound(await personOfId(store.db, link.person_id ?? ''), 'link_unknown')
      })
      await signIn.withoutPassword(c, person, 'link')
      return c.json({ ok: true })
    })
    .post('/forgot', passwords, async (c) => {
      const { email } = await bodyFor(c, account.forgotPassword)
      return c.json(await forgotten(c, email))
    })
    .get('/claim', passwords, async (c) => {
      const token = pastedLink(c.req.query('token'))
      const { person, purpose } = await signIn.countLink(c, 'claim', async () =>
        requireFound(await claimablePerson(store.db, token, now()), 'link_unknown'),
      )
      const { email, name } = person
      return c.json({ email, name, forgot: purpose === 'forgot' })
    })
    .post('/claim', passwords, async (c) => {
      const asked = await bodyFor(c, account.claim)
      const person = await signIn.countLink(c, 'claim', async () => granted(await claimAccount(deps, asked, now())))
      await deps.live.rightsChanged()
      return c.json(await signIn.orAsk(c, person, 'claim'))
    })
}

/** The routes with which the signed-in person reads who they are and changes their password. */
export const ownRoutes = (deps: WebDeps) => {
  const only = requireSignedIn(deps)
  return new Hono<WebEnv>()
    .get('/me', only, async (c) => {
      deps.signIn.rememberDevice(c)
      return c.json(await readMe(deps, c.var, deps.now()))
    })
    .post('/password', only, requirePasswords(deps), proofGuard(deps, account.changePassword), async (c) => {
      const asked = await bodyFor(c, account.changePassword)
      const people = { ...deps, write: personWriter(deps, c.var) }
      await deps.signIn.countPassword(c, async () => granted(await changePassword(people, c.var, asked, deps.now())))
      await deps.live.rightsChanged()
      return c.json({ ok: true })
    })
}

/** The limit of requests for a new password that come from one known browser, or else from one network address. */
const perCaller: TryLimit = { max: 10, seconds: 3600 }
/**
 * The limit of mails about a forgotten password to one e-mail address. A request beyond it gets the same answer, but no
 * mail is sent.
 */
const perAccount: TryLimit = { max: 3, seconds: 3600 }

/** The maximum number of answered requests whose address is not looked up yet. */
const maxPending = 1000

/**
 * Requests of people who forgot their password. The answer depends only on what was typed, because the service looks up
 * only afterwards whether an address has an account. For an address without an account no mail is queued.
 */
function forgottenPasswords({ store, config, log, now, signIn }: WebDeps) {
  let last: Promise<unknown> = Promise.resolve()
  let pending = 0
  const addressOf = callerAddress({ config, log })
  const callers = new TryCounter(perCaller)
  const accounts = new TryCounter(perAccount)
  return async (c: Context<WebEnv>, typed: string): Promise<ForgotPasswordInfo> => {
    const mails = config.smtpUrl !== undefined
    const caller = signIn.browserOf(c) ?? callerKey(addressOf(c.env.incoming))
    const wait = callers.wait(caller, perCaller, now())
    if (wait !== undefined) throw new Refusal('rate_limited', undefined, wait)
    callers.add(caller, now())
    // An invalid address is looked up, too, because earlier versions stored addresses that are invalid today.
    const read = readMailbox(typed)
    const email = read.ok ? read.value : typed.trim().toLowerCase()
    if (mails && accounts.wait(email, perAccount, now()) === undefined) {
      accounts.add(email, now())
      afterAnswer(c, () => queueIfKnown(typed))
    }
    if (!read.ok) throw new Refusal('email_invalid', read.message)
    return { mails }
  }

  /**
   * Does work after the answer was sent, so that the answer takes the same time in all cases. The work of several
   * requests is done one after the other.
   */
  function afterAnswer(c: Context<WebEnv>, work: () => Promise<void>): void {
    if (pending >= maxPending) {
      log.warn('a request for a new password was dropped: too many are pending')
      return
    }
    pending++
    const { outgoing } = c.env
    const begin = () => {
      last = last
        .then(work)
        .catch((error) => log.warn({ err: error }, 'a request for a new password was lost'))
        .finally(() => pending--)
    }
    if (outgoing.closed) begin()
    else outgoing.once('close', begin)
  }

  /** Queues a mail to the stored address of the account, which may differ from what was typed. */
  async function queueIfKnown(typed: string): Promise<void> {
    const person = await findPerson(store.db, typed)
    if (!person) return
    const isQueued = await queueMail(store.db, { kind: 'forgot', email: person.email }, now())
    if (!isQueued) log.warn('a mail about a forgotten password was dropped: too many wait for the mail server')
  }
}

/** The routes for somebody who opens the link of an invitation, whether they are signed in or not. */
export const invitationRoutes = (deps: WebDeps) => {
  const { auth, config, now, signIn, store } = deps
  return new Hono<WebEnv>()
    .get('/invitations/:id', async (c) =>
      c.json(
        await signIn.countLink(c, 'invitation', async () =>
          granted(await invitationInfo(deps, pastedLink(c.req.param('id')), now())),
        ),
      ),
    )
    .post('/invitations/:id', async (c) => {
      const body = await bodyFor(c, workspaces.acceptInvitation)
      const who = await signedInBy({ auth, store }, c.req.raw.headers, now())
      if (!who && config.oidc?.only) throw new Refusal('oidc_only')
      const people = who ? { ...deps, write: personWriter(deps, who) } : deps
      const { slug, person, made } = await signIn.countLink(c, 'invitation', async () =>
        granted(await acceptInvitation({ people, by: who?.person, now: now() }, pastedLink(c.req.param('id')), body)),
      )
      if (made) await signIn.withoutPassword(c, person, 'invitation')
      return c.json({ slug })
    })
}

/** Reads the secret part of a link from the address of a request, where a person pasted it. */
const pastedLink = (text: string | undefined): string => granted(readPasted('The link', text ?? '', { secret: true }))
