/** The answers about second factors and proofs. */

/** The ways in which a person can show a second factor. */
export type SecondKind = 'totp' | 'recovery' | 'passkey'

/**
 * The answer to a right password, and to a new one that was chosen with a link. If the account has a second factor, the
 * person is not signed in yet: `second` lists the ways to show it, and the browser got a cookie for ten minutes.
 */
export type SignInAnswer = { ok: true } | { ok: false; second: SecondKind[] }

export interface Factors {
  /** True if an authenticator app was added. */
  totp: boolean
  /**
   * True if the secret of the authenticator app can no longer be read, because the file `secret` of the service is
   * another one. Its codes are refused then; recovery codes still work.
   */
  unreadable: boolean
  recoveryLeft: number
  passkeys: { id: string; name: string; createdAt: number; usedAt: number | null }[]
  /** The connected account of the sign-in provider; null if there is none. */
  oidc: { name: string } | null
  /** True if a second factor was shown in this session. */
  shown: boolean
}

/** The secret of an authenticator app that is being added, as text and as the address for its QR code. */
export interface NewTotp {
  secret: string
  uri: string
}

/** Recovery codes. They are shown once, and each works once. */
export interface RecoveryCodes {
  recovery: string[]
}
