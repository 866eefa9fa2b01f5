/** Codes of authenticator apps (TOTP, RFC 6238): six digits for each 30 seconds, made from a secret of 160 bits. */
import { Secret, TOTP } from 'otpauth'

export const stepMs = 30_000
/** A code for the step before or after the present one is accepted, since clocks differ and people need time to type. */
const window = 1
const issuer = 'svc'

/** A new secret, in base32, as people type it into an app. */
export const newTotpSecret = (): string => new Secret({ size: 20 }).base32

/** The address from which an app reads the secret, usually as a QR code. The host tells installations apart. */
export const totpUri = (secret: string, { email, host }: { email: string; host: string }): string =>
  new TOTP({ issuer: `${issuer} ${host}`, label: email, secret: Secret.fromBase32(secret) }).toString()

/**
 * The step for which a typed code is right; undefined if it is wrong. A step that was used, or one before it, does not
 * count: so a code that somebody looked at is worth nothing once its owner has used it.
 */
export function stepOf(typed: string, secret: string, lastStep: number, now: number): number | undefined {
  const token = typed.replace(/\s/g, '')
  if (!/^\d{6}$/.test(token)) return undefined
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  for (let delta = -window; delta <= window; delta++) {
    const timestamp = now + delta * stepMs
    const step = Math.floor(timestamp / stepMs)
    if (step > lastStep && totp.validate({ token, timestamp, window: 0 }) === 0) return step
  }
  return undefined
}
