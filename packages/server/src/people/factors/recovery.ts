/**
 * Recovery codes: 80 random bits each, shown once, valid once, and stored as hashes only. They need no secret of the
 * service, so they still work after the file `secret` was replaced.
 */
import { randomBytes } from 'node:crypto'
import { codeIn } from '@svc/protocol'
import { hashToken } from '../../platform/tokens.ts'

/** The digits and letters of Crockford's base32, none of which look alike. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const codeLength = 16
const recoveryCount = 10

/** Makes ten codes such as `7k2m-9xq4-b0c1-z8nd`. */
export const newRecoveryCodes = (): string[] => Array.from({ length: recoveryCount }, newCode)

function newCode(): string {
  const letters = [...randomBytes(codeLength)].map((byte) => alphabet[byte % alphabet.length])
  return (letters.join('').match(/.{4}/g) ?? []).join('-')
}

/**
 * The hash of a code as a person typed it: separators and capitals do not matter, and letters that look like digits
 * count as these digits.
 */
export function hashRecovery(typed: string): string {
  const bare = codeIn(typed).toLowerCase().replace(/o/g, '0').replace(/[il]/g, '1')
  return hashToken(`recovery code ${bare}`)
}
