/** Tables of second factors, of the proofs of sessions, and of accounts at the sign-in provider. */
import type { SignInRecord } from '@svc/api'

/** The authenticator app of a person. It is a second factor from the time at which a code confirmed it. */
export interface TotpTable {
  person_id: string
  /** The secret, sealed with a key that is derived from the file `secret`. */
  secret: string
  created_at: number
  confirmed_at: number | null
  /**
   * The number of the last step (30 seconds) whose code was used. A code for this step or an earlier one is refused.
   */
  last_step: number
}

/** A recovery code that was not used yet, as its hash. Its use deletes the row. */
export interface RecoveryCodeTable {
  hash: string
  person_id: string
  created_at: number
}

/** The wrong codes of a person as a node of an earlier version counts them. */
export interface WrongCodeTable {
  person_id: string
  count: number
  at: number
}

/**
 * The wrong codes that one party gave for a person since the last right one; `at` is the time of the last wrong code.
 */
export interface CodeTryTable {
  person_id: string
  /** The party that gave the codes (`PartyOfCodes`); `mail` marks the row with the time of the last mail about them. */
  party: string
  count: number
  at: number
}

/** The proofs of a session. A session without a row has shown no second factor, and no password since its sign-in. */
export interface SessionProofTable {
  session_id: string
  /** When a second factor was last shown in the session; null if none was. */
  factor_at: number | null
  /** When the person last proved by a password who they are; null if never. */
  proof_at: number | null
}

/** The first half of a sign-in: a right password or a mailed link of somebody who has a second factor. */
export interface FirstHalfTable {
  /** The hash of the token in the browser's cookie. */
  hash: string
  person_id: string
  method: SignInRecord['method']
  expires_at: number
}

/** A workspace whose admins need a second factor from `from_at` on. */
export interface FactorRequirementTable {
  workspace_id: string
  from_at: number
}

/** A node that asks for second factors. Nodes of versions without second factors have no row. */
export interface FactorNodeTable {
  node: string
  at: number
  /** 1 if the node judges a rule only for the agents that its filter names; null for a node of an earlier version. */
  rule_filters: number | null
  /** 1 if the node takes no password as the proof of somebody who has a passkey; null for an earlier version. */
  passkeys: number | null
  /**
   * 1 if the node ends the connection with the sign-in provider when it hands an account over; null for an earlier
   * version.
   */
  oidc: number | null
}

/** A passkey of a person. Only its public key is here. */
export interface PasskeyTable {
  id: string
  person_id: string
  /** The name that the person gave to the passkey. */
  name: string
  /** The host of the base address at which the passkey was added. Browsers offer the passkey only at this host. */
  host: string
  /** The id that the device gave to the passkey, in base64url. */
  credential: string
  /** The public key in the form of COSE, in base64url. */
  public_key: string
  /** The number of uses, as the device counted them at the last use; 0 if the device does not count. */
  counter: number
  created_at: number
  used_at: number | null
}

/** A challenge that a passkey has answered, as its hash, so that no answer is accepted twice. */
export interface PasskeyChallengeTable {
  hash: string
  expires_at: number
}

/** The account at the sign-in provider with which a person signs in. */
export interface OidcConnectionTable {
  person_id: string
  issuer: string
  /** The id that the provider gives the person (`sub`). */
  subject: string
  connected_at: number
  /**
   * The name by which the person knows the account: its verified address, or else the end of its id. Null for a
   * connection of an earlier version.
   */
  account: string | null
}

/** A callback of the sign-in provider that was used, as the hash of its state, so that none is accepted twice. */
export interface OidcCallbackTable {
  hash: string
  /** When the browser's visit to the provider expires. The row is not needed after that. */
  expires_at: number
}
