/** The answers about second factors and proofs. */

/** The ways in which a person can show a second factor. */
export type SecondKind = 'totp' | 'recovery' | 'passkey'

/**
 * The answer to a right password, or to a password that was set by a link. If `ok` is false, the person must still show
 * a second factor within ten minutes; `second` lists the ways.
 */
export type SignInAnswer = { ok: true } | { ok: false; second: SecondKind[] }

export interface Passkey {
  id: string
  name: string
  createdAt: number
  /** When the passkey was last used; null if it never was. */
  usedAt: number | null
  /**
   * False if the passkey was added at another address of the service. It can be used only there, and does not count as
   * a factor here.
   */
  here: boolean
}

/**
 * The request with which a browser asks a device for a passkey (`parseRequestOptionsFromJSON`). No passkey is named, so
 * the device shows those that it has for this service.
 */
export interface PasskeyRequest {
  challenge: string
  timeout: number
  rpId: string
  userVerification: 'required'
  allowCredentials: []
}

/** The request with which a browser has a device make a passkey (`parseCreationOptionsFromJSON`). */
export interface PasskeyCreation {
  rp: { id: string; name: string }
  user: { id: string; name: string; displayName: string }
  challenge: string
  timeout: number
  pubKeyCredParams: { type: 'public-key'; alg: number }[]
  excludeCredentials: { type: 'public-key'; id: string }[]
  authenticatorSelection: { residentKey: 'required'; requireResidentKey: true; userVerification: 'required' }
  attestation: 'none'
}

/** The answer of a device to the use of a passkey, as `toJSON` of the browser makes it. */
export interface PasskeyAnswer {
  id: string
  rawId: string
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string | null }
}

/** The answer of a device that made a passkey, as `toJSON` of the browser makes it. */
export interface NewPasskeyAnswer {
  id: string
  rawId: string
  response: { clientDataJSON: string; attestationObject: string }
}

/** The second factors of a person, and the other ways in which they can sign in. */
export interface Factors {
  /** True if an authenticator app was added. */
  totp: boolean
  /**
   * True if the codes of the authenticator app are refused, because the file `secret` of the service was replaced.
   * Recovery codes still work.
   */
  unreadable: boolean
  recoveryLeft: number
  passkeys: Passkey[]
  /**
   * The connection of the account with the sign-in provider `name`, made at the time `since`; null if there is none.
   * `account` is the address at the provider, or the end of the id there; null if neither is known.
   */
  oidc: { name: string; since: number; account?: string | null } | null
  /** True if the account has a password with which its person can sign in. */
  password: boolean
  /** True if a second factor was shown in this session. */
  shown: boolean
}

/** The address of the sign-in provider to which the browser goes now. */
export interface ProviderAddress {
  location: string
}

/**
 * The reason why a sign-in through the provider failed. The browser is led to `/sign-in?oidc=REASON`.
 *
 * - `failed`: the provider did not answer as it should, or the sign-in was cancelled, too old, or of another browser.
 * - `unverified`: the provider does not say that it has verified the address of the person.
 * - `domain`: addresses of this domain get no account.
 * - `exists`: the address has an account that must be connected by its person, on My account.
 * - `disabled`: the account is disabled.
 * - `limited`: too many strangers made accounts from this network address, or at the provider.
 * - `busy`: too many sign-ins from this browser or network address failed, or too many are pending.
 */
export type ProviderFailure = 'failed' | 'unverified' | 'domain' | 'exists' | 'disabled' | 'limited' | 'busy'

/**
 * The end of an attempt to connect an account with the provider. The browser is led to `/account?oidc=END`.
 *
 * - `connected`: the account is connected.
 * - `failed`: as in `ProviderFailure`, or the session ended meanwhile.
 * - `taken`: another account is connected with the person at the provider, or this account with another person there.
 * - `busy`: as in `ProviderFailure`.
 */
export type ConnectionEnd = 'connected' | 'failed' | 'taken' | 'busy'

/** The secret of an authenticator app that is being added, as text and as the address for its QR code. */
export interface NewTotp {
  secret: string
  uri: string
}

/** Recovery codes. They are shown once, and each works once. */
export interface RecoveryCodes {
  recovery: string[]
}
