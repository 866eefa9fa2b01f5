/**
 * Decides what follows from the claims of the sign-in provider about a person: a sign-in, a new account, or a refusal.
 */
import { domainToASCII } from 'node:url'
import type { ProviderFailure } from '@svc/api'
import { readMailbox } from '../../deliveries/recipient.ts'
import type { OidcSettings } from '../../platform/base.ts'

/** The claims of a provider about a person. The library has checked signature, audience and time. */
export interface ProviderClaims {
  subject: string
  email: unknown
  emailVerified: unknown
  name: unknown
  /** The time at which the provider last asked the person to sign in, in Unix milliseconds; null if it is not known. */
  authenticatedAt: number | null
}

/** The facts about an account of the service that decide about a sign-in. */
interface AccountFacts {
  person: { id: string }
  disabled: boolean
}

/** The accounts that the claims may mean. */
export interface ProviderFacts {
  /** The account that is connected with this person at the provider. */
  connected: AccountFacts | undefined
  /** The account with the address in the claims. */
  sameAddress: (AccountFacts & { confirmed: boolean; hasFactor: boolean; isConnected: boolean }) | undefined
}

type ProviderJudgement =
  | { is: 'sign-in'; person: { id: string } }
  /** The account of the same address must be connected, and its person signed in. */
  | { is: 'link'; person: { id: string } }
  | { is: 'make'; email: string }
  | { is: 'refused'; why: Exclude<ProviderFailure, 'failed'> }

/**
 * A connected person is known by the id at the provider, whatever address they have there now. Everybody else needs a
 * verified address in an allowed domain. An account that has this address is connected only if the address was
 * confirmed, the account has no connection yet, and it has no second factor that a connection would bypass.
 */
export function judgeClaims(
  claims: ProviderClaims,
  { connected, sameAddress }: ProviderFacts,
  settings: Pick<OidcSettings, 'allow'>,
): ProviderJudgement {
  if (connected) return connected.disabled ? refusedVisit('disabled') : { is: 'sign-in', person: connected.person }
  const email = verifiedAddress(claims)
  if (email === undefined) return refusedVisit('unverified')
  if (!isAllowed(email, settings.allow)) return refusedVisit('domain')
  if (!sameAddress) return { is: 'make', email }
  const { person, confirmed, hasFactor, isConnected, disabled } = sameAddress
  if (!confirmed || hasFactor || isConnected) return refusedVisit('exists')
  return disabled ? refusedVisit('disabled') : { is: 'link', person }
}

const refusedVisit = (why: Exclude<ProviderFailure, 'failed'>) => ({ is: 'refused', why }) as const

/** The address in the claims as it is stored; undefined if there is none, or the provider has not verified it. */
export function verifiedAddress({ email, emailVerified }: ProviderClaims): string | undefined {
  if (emailVerified !== true || typeof email !== 'string' || email.length > maxTyped) return undefined
  const read = readMailbox(email)
  return read.ok ? read.value : undefined
}

/**
 * The name by which people recognize their account at the provider: its verified address, or else the end of its id.
 */
export const accountName = (claims: ProviderClaims): string => verifiedAddress(claims) ?? `…${claims.subject.slice(-8)}`

/** The maximum length of an address that is read. A provider may send a megabyte. */
const maxTyped = 1000

const isAllowed = (email: string, allow: OidcSettings['allow']): boolean =>
  allow === '*' || allow.includes(domainToASCII(email.slice(email.lastIndexOf('@') + 1)).toLowerCase())
