/**
 * The forms in which passwords are stored. They are not in the file with the hashing code, so that the configuration
 * can be read without loading the accounts library.
 */
import { argon2 } from 'node:crypto'
import type { PasswordForm } from '../../platform/base.ts'

export const passwordForms: readonly PasswordForm[] = ['scrypt', 'argon2id']

/** True if this Node can hash with argon2: from 24.7 on, if its OpenSSL supports that. */
export const hasArgon2 = typeof argon2 === 'function'

/**
 * The form of a stored hash. Hashes that the accounts library makes by default, with scrypt, do not begin with the name
 * of the form.
 */
export const passwordFormOf = (hash: string): PasswordForm => (hash.startsWith('$argon2id$') ? 'argon2id' : 'scrypt')
