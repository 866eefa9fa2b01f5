/**
 * Hashes passwords as the service does, with scrypt, but at the lowest cost. A real hash takes a tenth of a second,
 * which only tests of hashing and of signing in need.
 */
import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import { passwordHashing } from '../src/people/accounts/passwords.ts'

const keyOf = (password: string, salt: string): Buffer => scryptSync(password.normalize('NFKC'), salt, 64, { N: 2 })

const quick = {
  hash: async (password: string) => {
    const salt = randomBytes(16).toString('hex')
    return `${salt}:${keyOf(password, salt).toString('hex')}`
  },
  verify: async (hash: string, password: string) => {
    const [salt = '', key = ''] = hash.split(':')
    return timingSafeEqual(keyOf(password, salt), Buffer.from(key, 'hex'))
  },
}

export const quickPasswords = passwordHashing('scrypt', { scrypt: quick, argon2id: quick })
