/** A sign-in through the provider (OpenID Connect): sends the browser there, and answers the callback. */
import type { ConnectionEnd, ProviderFailure } from '@svc/api'
import type { Verdict } from '@svc/protocol'
import type { Context } from 'hono'
import type { HalfCookies } from '../../people/accounts/half.ts'
import { decideWithAccounts } from '../../people/accounts/library.ts'
import { signedInBy } from '../../people/accounts/sessions.ts'
import type { Person } from '../../people/accounts/store.ts'
import { spendCallbackState } from '../../people/factors/connections.ts'
import { endFirstHalf } from '../../people/factors/first-halves.ts'
import { shownAtProvider } from '../../people/factors/rules.ts'
import { noteFactorIn, noteProof } from '../../people/factors/store.ts'
import { openProvider, ProviderCallFailed } from '../../people/oidc/client.ts'
import { connectAccount, enterFromProvider, type OidcConfig } from '../../people/oidc/entering.ts'
import { type ProviderClaims, verifiedAddress } from '../../people/oidc/judge.ts'
import { signInAddress, type Visit, type VisitPurpose, visitCookies } from '../../people/oidc/state.ts'
import { isInvited } from '../../people/workspaces/open-invitations.ts'
import { isConstraint } from '../../platform/db/error.ts'
import { callerKey } from '../../platform/http/address.ts'
import { isNodeWithout } from '../../platform/nodes.ts'
import { Refusal } from '../../platform/refusal.ts'
import { done, refuse } from '../../platform/verdict.ts'
import { changeAsPerson } from './acting.ts'
import type { Deps } from './deps.ts'
import type { WebEnv } from './guards.ts'
import { isDisabledRefusal, type NewSession, type SessionMaker } from './sign-in-session.ts'
import { providerTries } from './sign-in-tries.ts'

/** Somebody who came back from the provider, with a new session. */
interface Entered {
  person: Person
  made: NewSession
  /** The number of the person's other sessions that ended because the account was just connected. */
  sessionsEnded: number
}
interface OidcParts extends SessionMaker {
  addressOf: (c: Context<WebEnv>) => string
  halves: HalfCookies
}

/**
 * The steps of a sign-in through the provider; undefined if none is set up. The message of each refusal is the reason
 * for the log.
 */
export function oidcStep(deps: Deps, { addressOf, devices, halves, newSession, note, signedIn, take }: OidcParts) {
  const { auth, log, now, store } = deps
  const { oidc } = deps.config
  if (!oidc) return undefined
  const config: OidcConfig = { ...deps.config, oidc }
  const visits = visitCookies(deps.config)
  const provider = openProvider(oidc, { baseUrl: config.baseUrl, now, stop: deps.stopping })
  const tries = providerTries()

  const heard = (): readonly string[] => deps.live.nodesHeard?.() ?? []

  /** Logs the reason of a failure. The line that `note` writes about a sign-in says whose sign-in it was. */
  function noteFailure(c: Context<WebEnv>, purpose: VisitPurpose['is'] | undefined, why: string): void {
    const request = c.env.outgoing.getHeader('x-request-id')?.toString()
    // Anybody can open the callback's address without having been sent to the provider, so this failure is no warning.
    const level = why === 'no_visit' ? 'info' : 'warn'
    log[level]({ why, purpose, request }, 'a sign-in through the provider failed')
  }

  /**
   * Refuses to connect an account while a node runs that does not know connections. Such a node does not remove the
   * connection when the account is handed over to somebody else.
   */
  const demandNewNodes = async (): Promise<void> => {
    if (await isNodeWithout('oidc', store.db, heard(), now())) throw new Refusal('nodes_mixed', oldNode)
  }

  /** The claims about the person who came back, unless this browser or address failed too often. */
  async function claimsFor(c: Context<WebEnv>, visit: Visit): Promise<Verdict<ProviderClaims, 'failed' | 'busy'>> {
    const key = devices.browser(c.req.header('cookie'), now()) ?? callerKey(addressOf(c))
    const begun = tries.begin(key, visit.state, now())
    if (!begun.ok) return begun
    const attempt = begun.value
    try {
      return done(await provider.claimsOf(visit, new URL(c.req.url).search))
    } catch (error) {
      if (!(error instanceof ProviderCallFailed)) throw error
      if (error.answered) attempt.failed(now())
      return refuse('failed', error.why)
    } finally {
      attempt.end()
    }
  }

  /** Makes the session and its proof, in the transaction that uses up the visit and ends a first half. */
  const enterIn = (
    c: Context<WebEnv>,
    { visit, claims, half }: { visit: Visit; claims: ProviderClaims; half: string | undefined },
  ): Promise<Verdict<Entered, ProviderFailure>> =>
    decideWithAccounts<Entered, ProviderFailure>({ store, auth }, async (trx, accounts) => {
      if (!(await spendCallbackState(trx, visit))) return usedBefore
      const [caller, at] = [callerKey(addressOf(c)), now()]
      const invited = (email: string) => isInvited(trx, email, at)
      const ctx = { db: trx, config, heard: heard(), caller, isInvited: invited, now: at }
      const entered = await enterFromProvider(ctx, accounts, claims)
      if (!entered.ok) return entered
      if (half !== undefined) await endFirstHalf(trx, half)
      const made = await newSession(c, entered.value.person, trx)
      await noteFactorIn(trx, made, shownAtProvider(claims.authenticatedAt, now()))
      return done({ ...entered.value, made })
    }).catch((error) => {
      if (isDisabledRefusal(error)) return refuse('disabled', 'disabled')
      // Another request made the same account or connection.
      if (isConstraint(error)) return refuse('failed', 'made_meanwhile')
      throw error
    })

  /** Signs in somebody who came back. Returns the address of the page to which the browser goes. */
  async function signInBy(c: Context<WebEnv>, visit: Visit, next: string): Promise<string> {
    const claims = await claimsFor(c, visit)
    const half = halves.find(c.req.header('cookie'))
    const entered = claims.ok ? await enterIn(c, { visit, claims: claims.value, half }) : claims
    if (!entered.ok) {
      const { code } = entered
      const outcome = code === 'failed' || code === 'busy' ? 'failed' : code === 'disabled' ? code : 'refused'
      const email = claims.ok ? verifiedAddress(claims.value) : undefined
      note(c, email ?? '', { outcome, method: 'oidc', known: false })
      noteFailure(c, 'sign-in', entered.message)
      return signInAddress(entered.code, next)
    }
    const { made, person, sessionsEnded } = entered.value
    // The streams of the ended sessions are closed first, because the next steps may fail.
    if (sessionsEnded > 0) await deps.live.rightsChanged()
    const known = devices.find(c.req.header('cookie'), person.email, now()) !== undefined
    await signedIn(c, made, person, { method: 'oidc', known })
    take(c, [halves.clear()])
    return next
  }

  /** Connects the account of the session in which the visit began. */
  async function connectBy(c: Context<WebEnv>, visit: Visit, session: string): Promise<Verdict<unknown, FailedEnd>> {
    const claims = await claimsFor(c, visit)
    if (!claims.ok) return claims
    const who = await signedInBy({ auth, store }, c.req.raw.headers, now())
    if (who?.session.id !== session) return refuse('failed', 'another_session')
    let end: Verdict<unknown, FailedEnd> = usedBefore
    await changeAsPerson(deps, who, async ({ db, by, now: at }) => {
      const isUnspent = await spendCallbackState(db, visit)
      const ctx = { db, config, heard: heard(), by, now: at }
      end = isUnspent ? await connectAccount(ctx, claims.value, { kept: who.session }) : usedBefore
      if (!end.ok) return refuse('oidc_failed', '')
      await noteProof(db, who.session, 'factor', at)
      return done(null)
    }).catch((error) => {
      if (!(error instanceof Refusal)) throw error
      if (end.ok || error.code !== 'oidc_failed') end = refuse('failed', error.code)
    })
    return end
  }

  async function endVisit(c: Context<WebEnv>, visit: Visit): Promise<string> {
    if (visit.purpose.is === 'sign-in') return signInBy(c, visit, visit.purpose.next)
    const end = await connectBy(c, visit, visit.purpose.session)
    if (end.ok) await deps.live.rightsChanged()
    else noteFailure(c, 'connect', end.message)
    return accountAddress(end.ok ? 'connected' : end.code)
  }

  return {
    demandNewNodes,
    /** Gives the browser the cookie of a visit, and returns the provider's address; undefined if it does not answer. */
    async begin(c: Context<WebEnv>, purpose: VisitPurpose): Promise<string | undefined> {
      const { visit, cookie } = visits.make(c.req.header('cookie'), purpose, now())
      const address = await provider.addressFor(visit).catch((error) => {
        if (!(error instanceof ProviderCallFailed)) throw error
        noteFailure(c, purpose.is, error.why)
        return undefined
      })
      if (address !== undefined) take(c, [cookie])
      return address
    },
    /**
     * Signs in, or connects the account of the signed-in person, when a browser comes back. Returns the address of the
     * page to which the browser goes. An error of the service also leads to a page, because the person would otherwise
     * see the error as JSON.
     */
    async handleCallback(c: Context<WebEnv>): Promise<string> {
      const [cookies, state] = [c.req.header('cookie'), c.req.query('state') ?? '']
      const visit = visits.find(cookies, state, now())
      if (!visit) {
        noteFailure(c, undefined, 'no_visit')
        return signInAddress('failed')
      }
      take(c, [visits.end(cookies, state, now())])
      const { purpose } = visit
      return endVisit(c, visit).catch((error) => {
        log.error({ err: error, purpose: purpose.is }, 'a sign-in through the provider failed')
        return purpose.is === 'connect' ? accountAddress('failed') : signInAddress('failed', purpose.next)
      })
    },
  }
}

const usedBefore = refuse('failed', 'used_before')

type FailedEnd = Exclude<ConnectionEnd, 'connected'>

/** The address of My account, which says how an attempt to connect the account ended. */
const accountAddress = (end: ConnectionEnd): string => `/account?oidc=${end}`

const oldNode =
  'A node of an earlier version is still running, which does not know the sign-in provider. Stop it, and try again in two minutes.'
