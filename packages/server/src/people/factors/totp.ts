/** Codes of authenticator apps (TOTP, RFC 6238): six digits for each 30 seconds, made from a secret of 160 bits. */
import { codeIn } from '@svc/protocol'
import { Secret, TOTP } from 'otpauth'

/** The milliseconds of a step. Each step has its own code. */
export const stepMs = 30_000
/**
 * The number of steps before and after the present one whose codes are accepted, since clocks differ and typing takes
 * time.
 */
const acceptedSteps = 1
/**
 * A wrong code is compared with the codes of this number of steps before and after the present one (ten minutes). If
 * one is equal, the clock of the app and that of the service differ.
 */
const comparedSteps = 20
const issuer = 'svc'

/** A new secret, in base32, as people type it into an app. */
export const newTotpSecret = (): string => new Secret({ size: 20 }).base32

/**
 * The address from which an app reads the secret, usually as a QR code. The host and port distinguish installations. A
 * colon would separate issuer and account, so colons in them are replaced.
 */
export const totpUri = (secret: string, { email, host }: { email: string; host: string }): string =>
  new TOTP({
    issuer: `${issuer} ${issuerOf(host)}`,
    label: email.replaceAll(':', '-'),
    secret: Secret.fromBase32(secret),
  }).toString()

function issuerOf(host: string): string {
  const [, name = host, port] =
    /^(.*?)(?::(\d+))?$/.exec(host.replace(/^\[(.*)\]/, (_, v6) => v6.replaceAll(':', '-'))) ?? []
  return `${name.replaceAll(':', '-')}${port === undefined ? '' : ` port ${port}`}`
}

/**
 * The step for which a typed code is right; undefined if it is wrong. The last used step and earlier ones do not count,
 * so each code works only once.
 */
export function stepOf(typed: string, secret: string, lastStep: number, now: number): number | undefined {
  const delta = [0, -1, 1].find((steps) => fits(codeIn(typed), secret, now + steps * stepMs, lastStep))
  return delta === undefined ? undefined : Math.floor(now / stepMs) + delta
}

/**
 * The milliseconds by which the clock that made a wrong code is ahead of the service's clock, negative if it is behind.
 * Undefined if no difference of up to ten minutes explains the code.
 */
export function clockDifferenceOf(typed: string, secret: string, lastStep: number, now: number): number | undefined {
  const token = codeIn(typed)
  for (let steps = acceptedSteps + 1; steps <= comparedSteps; steps++)
    for (const delta of [steps, -steps]) if (fits(token, secret, now + delta * stepMs, lastStep)) return delta * stepMs
  return undefined
}

function fits(token: string, secret: string, timestamp: number, lastStep: number): boolean {
  if (!/^\d{6}$/.test(token) || timestamp < 0 || Math.floor(timestamp / stepMs) <= lastStep) return false
  return new TOTP({ secret: Secret.fromBase32(secret) }).validate({ token, timestamp, window: 0 }) === 0
}
