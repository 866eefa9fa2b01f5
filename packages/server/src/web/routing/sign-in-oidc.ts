/** A sign-in through the provider (OpenID Connect): the way there, and the way back. */
import type { ConnectionEnd, ProviderFailure } from '@svc/api'
import type { Context } from 'hono'
import { decideWithAccounts } from '../../people/accounts/library.ts'
import { signedInBy } from '../../people/accounts/sessions.ts'
import type { Person } from '../../people/accounts/store.ts'
import { spendState } from '../../people/factors/connections.ts'
import { shownAtProvider } from '../../people/factors/rules.ts'
import { endHalf, noteFactorIn, noteProof } from '../../people/factors/store.ts'
import { openProvider, whyProviderFailed } from '../../people/oidc/client.ts'
import { connect, enter, type OidcConfig } from '../../people/oidc/entering.ts'
import type { ProviderClaims } from '../../people/oidc/judge.ts'
import { type Visit, type VisitPurpose, visitCookies } from '../../people/oidc/state.ts'
import { isConstraint } from '../../platform/db/error.ts'
import { isNodeWithout } from '../../platform/nodes.ts'
import { Refusal } from '../../platform/refusal.ts'
import { refuse } from '../../platform/verdict.ts'
import { asPerson } from './acting.ts'
import type { Deps } from './deps.ts'
import type { WebEnv } from './guards.ts'
import { isDisabledRefusal, type NewSession, type SessionMaker } from './sign-in-session.ts'

/** Somebody who came back from the provider, with a new session. */
interface Entered {
  person: Person
  made: NewSession
}

/** The steps of a sign-in through the provider; undefined if none is set up. */
export function oidcStep(deps: Deps, { newSession, take }: SessionMaker) {
  const { auth, log, now, store } = deps
  const { oidc } = deps.config
  if (!oidc) return undefined
  const config: OidcConfig = { ...deps.config, oidc }
  const visits = visitCookies(deps.config)
  const provider = openProvider(oidc, { baseUrl: config.baseUrl, now, stop: deps.stopping })

  const heard = (): readonly string[] => deps.live.nodesHeard?.() ?? []
  const failed = (why: string): void => log.warn({ why }, 'a sign-in through the provider failed')

  /** Refuses a connection while a node runs that would leave it behind when it hands an account over. */
  const demandNewNodes = async (): Promise<void> => {
    if (await isNodeWithout('oidc', store.db, heard(), now())) throw new Refusal('nodes_mixed', oldNode)
  }

  return {
    demandNewNodes,
    /** Gives the browser a visit, and returns where it goes; undefined if the provider does not answer. */
    async begin(c: Context<WebEnv>, purpose: VisitPurpose): Promise<string | undefined> {
      const { visit, cookie } = visits.make(c.req.header('cookie'), purpose, now())
      const address = await provider.addressFor(visit).catch((error) => {
        failed(whyProviderFailed(error))
        return undefined
      })
      if (address !== undefined) take(c, [cookie])
      return address
    },
    /** The visit from which the browser comes back, which is then taken from it; undefined if it has no such visit. */
    comeBack(c: Context<WebEnv>): Visit | undefined {
      const [cookies, state] = [c.req.header('cookie'), c.req.query('state') ?? '']
      const visit = visits.find(cookies, state, now())
      if (visit) take(c, [visits.end(cookies, state, now())])
      return visit
    },
    /** The claims about the person who came back; undefined if the provider does not answer as it should. */
    claimsOf: (c: Context<WebEnv>, visit: Visit): Promise<ProviderClaims | undefined> =>
      provider.claimsOf(visit, new URL(c.req.url).search).catch((error) => {
        failed(whyProviderFailed(error))
        return undefined
      }),
    /** Makes the session and its proof, in the transaction that uses up the visit and ends a first half. */
    async enter(
      c: Context<WebEnv>,
      { visit, claims, half }: { visit: Visit; claims: ProviderClaims; half: string | undefined },
    ): Promise<Entered | ProviderFailure> {
      const entered = await decideWithAccounts<Entered, ProviderFailure>({ store, auth }, async (trx, accounts) => {
        if (!(await spendState(trx, visit))) return refuse('failed', '')
        const person = await enter({ db: trx, config, heard: heard(), now: now() }, accounts, claims)
        if (!person.ok) return person
        if (half !== undefined) await endHalf(trx, half)
        const made = await newSession(c, person.value, trx)
        await noteFactorIn(trx, made, shownAtProvider(claims.authenticatedAt, now()))
        return { ok: true, value: { person: person.value, made } }
      }).catch((error) => {
        if (isDisabledRefusal(error)) return refuse('disabled', '')
        // Another request made the same account or connection.
        if (isConstraint(error)) return refuse('failed', '')
        throw error
      })
      return entered.ok ? entered.value : entered.code
    },
    /** Connects the account of the session in which the visit began. */
    async connect(c: Context<WebEnv>, visit: Visit, claims: ProviderClaims): Promise<ConnectionEnd> {
      const who = await signedInBy({ auth, store }, c.req.raw.headers, now())
      if (!who || visit.purpose.is !== 'connect' || who.session.id !== visit.purpose.session) return 'failed'
      let end: ConnectionEnd = 'failed'
      await asPerson(deps, who, async ({ db, by, now: at }) => {
        if (!(await spendState(db, visit))) return refuse('oidc_failed', '')
        end = await connect({ db, config, heard: heard(), by, now: at }, claims)
        if (end !== 'connected') return refuse('oidc_failed', '')
        await noteProof(db, who.session, 'factor', at)
        return { ok: true, value: null }
      }).catch((error) => {
        if (!(error instanceof Refusal)) throw error
      })
      return end
    },
  }
}

const oldNode =
  'A node of an earlier version is still running, which does not know the sign-in provider. Stop it, and try again in two minutes.'
