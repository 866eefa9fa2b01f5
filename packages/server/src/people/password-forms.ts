/**
 * The forms in which passwords are stored. They are separate from the hashing code, so that the configuration is read
 * without the library.
 */
import { argon2 } from 'node:crypto'
import type { PasswordForm } from '../base.ts'

export const passwordForms: readonly PasswordForm[] = ['scrypt', 'argon2id']

/** True if this Node can hash with argon2: from 24.7 on, if its OpenSSL supports that. */
export const hasArgon2 = typeof argon2 === 'function'

/** The form of a stored hash. The accounts library's own form has no prefix. */
export const formOf = (hash: string): PasswordForm => (hash.startsWith('$argon2id$') ? 'argon2id' : 'scrypt')
