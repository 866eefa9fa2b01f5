/**
 * The codes that a person types as a second factor: those of an authenticator app (TOTP, RFC 6238), which makes six
 * digits for each 30 seconds from a secret of 160 bits, and recovery codes of 80 random bits, which are stored as
 * hashes. Recovery codes need no secret of the service, so they still work after the file `secret` was replaced.
 */
import { randomBytes } from 'node:crypto'
import { codeIn } from '@svc/protocol'
import { Secret, TOTP } from 'otpauth'
import { hashToken } from '../../platform/tokens.ts'

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

/** The characters of recovery codes: the digits and letters of Crockford's base32, none of which look alike. */
const recoveryAlphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const recoveryLength = 16
const recoveryCount = 10

/** Makes ten recovery codes such as `7k2m-9xq4-b0c1-z8nd`. Each is shown once and valid once. */
export const newRecoveryCodes = (): string[] => Array.from({ length: recoveryCount }, newRecoveryCode)

function newRecoveryCode(): string {
  const letters = [...randomBytes(recoveryLength)].map((byte) => recoveryAlphabet[byte % recoveryAlphabet.length])
  return (letters.join('').match(/.{4}/g) ?? []).join('-')
}

/**
 * The hash of a recovery code as a person typed it: separators and capitals do not matter, and letters that look like
 * digits count as these digits.
 */
export function hashRecovery(typed: string): string {
  const bare = codeIn(typed).toLowerCase().replace(/o/g, '0').replace(/[il]/g, '1')
  return hashToken(`recovery code ${bare}`)
}
