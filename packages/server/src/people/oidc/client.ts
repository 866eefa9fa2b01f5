/**
 * Talks to the sign-in provider (OpenID Connect) with the library `openid-client`. The provider's metadata, such as its
 * addresses, is read at the first sign-in and again after a failure, so the service starts even if the provider does
 * not answer.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { isAhead } from '@svc/protocol'
import type { Configuration } from 'openid-client'
import { attemptCall } from '../../deliveries/attempt.ts'
import type { OidcSettings } from '../../platform/base.ts'
import type { ProviderClaims } from './judge.ts'
import { type Visit, visitBeganAt } from './state.ts'

/** The path of the address to which the provider sends browsers back. */
export const callbackPath = '/api/web/oidc/callback'

const second = 1000
/**
 * The milliseconds that one press of a sign-in button, or one callback, may wait for the provider, with all its
 * requests.
 */
const withinMs = 10 * second
/** The maximum bytes of an answer of the provider. */
const maxBytes = 1024 * 1024
/** The minimum milliseconds from a failed request for the provider's metadata to the next request. */
const againMs = 10 * second
/**
 * The `max_age` of a request to the provider, in seconds. With this age, the provider does not ask the person to sign
 * in again, but tells when it last asked.
 */
const knownSeconds = 365 * 24 * 60 * 60

/** One press of a sign-in button, or one callback, with all requests to the provider that it needs. */
interface Call {
  /** Aborted at the deadline, and when the service stops. */
  signal: AbortSignal
  /** True once a request has been sent to the provider. */
  requested: boolean
  /** True once the provider has answered a request. */
  answered: boolean
}
/** The call in which a request is made. The library does not pass the call to `limitedFetch`. */
const present = new AsyncLocalStorage<Call>()

/** The error for a call to the provider that failed. */
export class ProviderCallFailed extends Error {
  /** The reason for the log: a code of the library, or the error that the provider names. It holds no token. */
  readonly why: string
  /** True if the provider has answered a request of the call, so that the call cost the provider work. */
  readonly answered: boolean
  constructor(why: string, answered: boolean, cause?: unknown) {
    super(`The call of the sign-in provider failed: ${why}`, { cause })
    this.why = why
    this.answered = answered
  }
}

interface ProviderParts {
  baseUrl: string
  now: () => number
  /** Aborted when the service stops. */
  stop?: AbortSignal | undefined
  /** The milliseconds that one press or one callback may wait for the provider. */
  withinMs?: number
}

interface Provider {
  /**
   * The address of the provider at which a visit begins. Throws `ProviderCallFailed` if the provider does not answer as
   * it should.
   */
  addressFor(visit: Visit): Promise<string>
  /**
   * The claims about the person who came back from a visit to the callback with this query. Throws `ProviderCallFailed`
   * if the provider does not answer as it should, or if the person did not sign in there.
   */
  claimsOf(visit: Visit, query: string): Promise<ProviderClaims>
}

export function openProvider(
  { issuer, clientId, clientSecret }: OidcSettings,
  { baseUrl, now, stop, withinMs: within = withinMs }: ProviderParts,
): Provider {
  // Loading takes 20 ms. It begins with the service, since at the first sign-in reports would have to wait for it.
  const loading = import('openid-client').then(async (library) => {
    // The first use of `fetch` in a process loads its parts. This address connects nowhere.
    await fetch('data:,')
    return library
  })
  loading.catch(() => undefined)
  let asked: { at: number; configuration: Promise<Configuration> } | undefined
  let hasFailed = false

  async function discover(): Promise<Configuration> {
    const library = await loading
    const plain = issuer.startsWith('http:') ? [library.allowInsecureRequests] : []
    const configuration = await library.discovery(new URL(issuer), clientId, undefined, authentication, {
      [library.customFetch]: limitedFetch,
      // Without these checks, the library accepts a token that came over TLS, even with a false signature.
      execute: [...plain, library.enableNonRepudiationChecks],
    })
    // For some providers that serve several companies, the library accepts any issuer. A `sub` or an `email` could then
    // come from different issuers.
    if (new URL(configuration.serverMetadata().issuer).href !== issuer)
      throw failure('issuer_differs', 'The issuer of the provider is another one.')
    return configuration

    /**
     * Sends the client secret in a header (HTTP Basic) if the provider accepts that, otherwise in the body. A provider
     * that names no way accepts the header.
     */
    function authentication(...given: Parameters<ReturnType<typeof library.ClientSecretBasic>>): void {
      const [{ token_endpoint_auth_methods_supported: taken = ['client_secret_basic'] }] = given
      const show = taken.includes('client_secret_basic') ? library.ClientSecretBasic : library.ClientSecretPost
      show(clientSecret)(...given)
    }
  }

  function configuration(): Promise<Configuration> {
    if (asked && !(hasFailed && !isAhead(asked.at + againMs, now(), againMs))) return asked.configuration
    hasFailed = false
    asked = { at: now(), configuration: discover() }
    return asked.configuration
  }

  /**
   * Runs `work`, whose requests share one deadline and end when the service stops. After a failure, the next sign-in
   * reads the provider's metadata again. An answer about this visit is no such failure, and neither is a callback that
   * fails before a request is sent, since anybody can make one up.
   */
  async function talk<T>(work: (configuration: Configuration) => Promise<T>): Promise<T> {
    let call: Call | undefined
    const attempt = (signal: AbortSignal) => {
      call = { signal, requested: false, answered: false }
      return present.run(call, async () => work(await configuration()))
    }
    const attempted = await attemptCall(attempt, { stop, withinMs: within })
    if (attempted.is === 'done') return attempted.value
    const error = attempted.is === 'failed' ? attempted.error : undefined
    hasFailed ||= (call?.requested ?? false) && !isAboutVisit(error)
    const why = attempted.is === 'failed' ? whyFailed(error) : attempted.is
    throw new ProviderCallFailed(why, call?.answered ?? false, error)
  }

  const redirectUri = baseUrl + callbackPath
  return {
    addressFor: ({ state, nonce, verifier, purpose }) =>
      talk(async (configuration) => {
        const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await loading
        const url = buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: 'openid email profile',
          state,
          nonce,
          code_challenge: await calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          max_age: isAgain(purpose) ? '0' : String(knownSeconds),
        })
        return url.href
      }),
    claimsOf: ({ state, nonce, verifier, purpose, expiresAt }, query) =>
      talk(async (configuration) => {
        const { authorizationCodeGrant, fetchUserInfo } = await loading
        const tokens = await authorizationCodeGrant(configuration, new URL(redirectUri + query), {
          ...{ pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true },
          ...(isAgain(purpose) && { maxAge: Math.ceil((now() - visitBeganAt({ expiresAt })) / second) }),
        })
        const claims = tokens.claims()
        const subject = claims?.sub ?? ''
        if (!/^[\x20-\x7e]{1,255}$/.test(subject)) throw failure('names_nobody', 'The provider names nobody.')
        const hasMore = claims?.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
        const said = hasMore ? await fetchUserInfo(configuration, tokens.access_token, subject) : claims
        const { email, email_verified: emailVerified, name } = said ?? {}
        const authenticatedAt = isAgain(purpose) ? now() : millisecondsOf(claims?.auth_time, now())
        return { subject, email, emailVerified, name, authenticatedAt }
      }),
  }
}

const millisecondsOf = (seconds: unknown, now: number): number | null =>
  typeof seconds === 'number' && seconds > 0 ? Math.min(seconds * second, now) : null

/** True if the provider must ask the person even if they are signed in there. */
const isAgain = (purpose: Visit['purpose']): boolean => purpose.is === 'connect' || purpose.again

/** True for an answer of the provider about this visit, such as a refusal. */
const isAboutVisit = (error: unknown): boolean =>
  ['OAUTH_AUTHORIZATION_RESPONSE_ERROR', 'OAUTH_RESPONSE_BODY_ERROR'].includes(
    String((error as { code?: unknown } | undefined)?.code),
  )

/** An error with a code for the log. */
const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code })

/** Makes a request that follows no redirect, and reads at most `maxBytes` of the answer. */
async function limitedFetch(url: string, options: object): Promise<Response> {
  const call = present.getStore()
  if (call) call.requested = true
  const { body, status, headers } = await fetch(url, { ...options, redirect: 'manual', signal: call?.signal ?? null })
  if (call) call.answered = true
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw failure('answer_too_large', 'The answer of the provider is too large.')
    chunks.push(chunk)
  }
  return new Response(bytes === 0 ? null : Buffer.concat(chunks), { status, headers })
}

/**
 * The reason of a failure: the code of the library, or the error that the provider names. Everything else may hold
 * tokens.
 */
function whyFailed(error: unknown): string {
  const { code, error: said, cause } = error as { code?: unknown; error?: unknown; cause?: { code?: unknown } }
  const words = [code, said, cause?.code].filter((each) => typeof each === 'string' && /^[\w.-]{1,100}$/.test(each))
  return words.length > 0 ? [...new Set(words)].join(' ') : (error as Error).name
}
