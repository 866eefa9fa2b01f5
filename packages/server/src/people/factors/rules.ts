/**
 * The rules about second factors, as constants and pure functions: when a proof is valid, who lacks a factor, when and
 * for how long codes are locked.
 */
import type { Role } from '@svc/api'
import { isAhead } from '@svc/protocol'

const minute = 60_000
/** The milliseconds for which a sign-in or a proof allows dangerous operations. */
export const proofMs = 10 * minute
/** The milliseconds after the first half of a sign-in within which the second half must follow. */
export const halfSignInMs = 10 * minute
/** The milliseconds for which a passkey may answer a challenge. */
export const challengeMs = 5 * minute
/** The kinds of keys that a passkey may have, as COSE numbers them: Ed25519, ECDSA with P-256, and RSA. */
export const passkeyAlgorithms = [-8, -7, -257] as const
/** After this number of wrong codes in a row from one party, further codes of the party are refused for `lockMs`. */
export const maxWrongCodes = 10
/** The milliseconds for which a lock lasts. */
export const lockMs = 15 * minute
/**
 * Who gives codes for an account: a browser that signed in to the account before, a session, or all other browsers
 * together (`strangers`). A lock holds for one party, so that nobody locks out the owner. Strangers share one count,
 * because somebody who knows the password can use any number of browsers.
 */
export type PartyOfCodes = `browser ${string}` | `session ${string}` | 'strangers'
/** The milliseconds between two mails about wrong codes to one person. */
export const wrongCodesMailMs = 24 * 60 * minute
/** The milliseconds after which a workspace requires a factor, if no date is named. */
export const requiredInMs = 7 * 24 * 60 * minute

/**
 * The time of a session's sign-in, and the times at which a second factor (`factorAt`) and a password (`proofAt`) were
 * last shown in it; null if none was.
 */
export interface SessionFacts {
  /** The time at which the person signed in to this session. */
  signedInAt: number
  factorAt: number | null
  proofAt: number | null
}

/**
 * Returns the time at which the factor of a sign-in through the provider counts as shown: when the provider last asked
 * the person to sign in there. If the provider does not tell that time, the sign-in is too old to prove anything.
 */
export const shownAtProvider = (authenticatedAt: number | null, now: number): number => authenticatedAt ?? now - proofMs

/**
 * True if the session may do dangerous things. If a person has to prove by a factor, only a factor that was shown in
 * this session counts, so neither a password nor a link of the operator is enough.
 */
export function isProved({ signedInAt, factorAt, proofAt }: SessionFacts, byFactor: boolean, now: number): boolean {
  const signedIn = factorAt !== null && factorAt < signedInAt ? null : signedInAt
  const shown = byFactor ? [factorAt] : [signedIn, factorAt, proofAt]
  return shown.some((at) => at !== null && isAhead(at + proofMs, now, proofMs))
}

/** The rights of a member in one session. */
export interface RoleInSession {
  role: Role
  /** True if the member is an admin without an admin's rights, because the session has shown no second factor. */
  factorMissing: boolean
  /** True if the member is an admin and the session has shown no second factor, whether one is required or not. */
  hasShownNone: boolean
}

/**
 * The rights that a role gives in a session. From the time at which the workspace requires a second factor, an admin
 * has only a member's rights in a session that has shown none.
 */
export function memberRightsOf(
  held: Role,
  { factorFrom, factorAt }: { factorFrom: number | null; factorAt: number | null },
  now: number,
): RoleInSession {
  const hasShownNone = held === 'admin' && factorAt === null
  const factorMissing = hasShownNone && factorFrom !== null && now >= factorFrom
  return { role: factorMissing ? 'member' : held, factorMissing, hasShownNone }
}
