/**
 * The forms in which passwords are stored. Separate from the hashing code, so that settings are read without the
 * library.
 */
import { argon2 } from 'node:crypto'

export const passwordForms = ['scrypt', 'argon2id'] as const
export type PasswordForm = (typeof passwordForms)[number]

/** Node has it from 24.7 on, if its OpenSSL does. */
export const hasArgon2 = typeof argon2 === 'function'

/** The accounts library's own form has no mark. */
export const formOf = (hash: string): PasswordForm => (hash.startsWith('$argon2id$') ? 'argon2id' : 'scrypt')
