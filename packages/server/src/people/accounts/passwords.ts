/**
 * Refuses weak passwords, and hashes and checks all others. A password is weak if attackers try it first: the most
 * common ones, and those made of what everybody knows about their owner (ASVS 5, 6.2.4 and 6.2.11). Hashes of both
 * forms, scrypt and argon2id, can be checked; SVC_PASSWORD_HASH names the form of new ones.
 */
import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { hashPassword, verifyPassword } from 'better-auth/crypto'
import type { PasswordForm } from '../../platform/base.ts'
import { pathBeside } from '../../platform/installed.ts'
import { inHashQueue } from './hashing.ts'
import { passwordFormOf } from './password-forms.ts'

/** Facts about a person that people like to use in passwords, and that strangers can easily guess. */
export interface PersonalWords {
  email: string
  name?: string
  /** The names and short names of the person's workspaces. */
  workspaces?: readonly string[]
}

/**
 * The 3,000 most common passwords of ten or more characters, in lower case, one on each line; docs/dependencies.md says
 * where they come from. The file is read once, at the start of the service.
 */
const commonPasswords = new Set(readFileSync(pathBeside('commonPasswords'), 'utf8').trim().split('\n'))

const isCommon = (password: string): boolean => commonPasswords.has(password.trim().toLowerCase())

/** The reason why a password is easy to guess, as a sentence; undefined when it is not. */
export function whyWeak(password: string, own: PersonalWords): string | undefined {
  if (isCommon(password)) {
    return 'This password is among the 3,000 most common ones, which are tried first. Choose another.'
  }
  if (isMadeOf(password, own)) {
    return 'This password is made of your own e-mail address, name or workspace, which are tried first. Choose another.'
  }
  return undefined
}

/**
 * The minimum length of a word that counts as the owner's, because shorter words occur in many good passwords by
 * chance.
 */
const minWord = 3
/**
 * A password made of its owner's words is still refused if it has at most this many further characters, such as
 * "annexample2026!".
 */
const maxRest = 4

function isMadeOf(password: string, { email, name = '', workspaces = [] }: PersonalWords): boolean {
  const texts = [email, ...email.split(/[@.]/), name, ...name.split(/\s+/), ...workspaces]
  const words = [...new Set(texts.map(lettersOf))].filter((word) => word.length >= minWord)
  const letters = lettersOf(password)
  const rest = words.sort((a, b) => b.length - a.length).reduce((left, word) => left.replaceAll(word, ''), letters)
  return rest.length < letters.length && rest.length <= maxRest
}

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

interface Hasher {
  hash(password: string): Promise<string>
  verify(hash: string, password: string): Promise<boolean>
}

/** The cost of a hash: the smallest that OWASP recommends, 19 MiB of memory and two passes. */
const hashCost = { memory: 19_456, passes: 2, parallelism: 1 } as const
/** The maximum memory in KiB that a stored hash may ask for. The service has never written one that asks for more. */
const maxMemory = 262_144

const argonPattern =
  /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replaceAll('=', '')

async function argon2id(password: string, parameters: Omit<Argon2Parameters, 'message'>): Promise<Buffer> {
  const derive = promisify(argon2)
  return await derive('argon2id', { message: password.normalize('NFKC'), ...parameters })
}

const hashers: Readonly<Record<PasswordForm, Hasher>> = {
  scrypt: {
    hash: hashPassword,
    verify: (hash, password) => verifyPassword({ hash, password }),
  },
  argon2id: {
    async hash(password) {
      const nonce = randomBytes(16)
      const key = await argon2id(password, { nonce, tagLength: 32, ...hashCost })
      return `$argon2id$v=19$m=${hashCost.memory},t=${hashCost.passes},p=${hashCost.parallelism}$${base64(nonce)}$${base64(key)}`
    },
    async verify(hash, password) {
      const [, memory, passes, parallelism, nonce = '', key = ''] = argonPattern.exec(hash) ?? []
      const right = Buffer.from(key, 'base64')
      if (right.length === 0 || Number(memory) > maxMemory) throw new Error('A stored password hash cannot be read.')
      const given = await argon2id(password, {
        nonce: Buffer.from(nonce, 'base64'),
        tagLength: right.length,
        memory: Number(memory),
        passes: Number(passes),
        parallelism: Number(parallelism),
      })
      return timingSafeEqual(right, given)
    },
  },
}

/**
 * The two functions that the accounts library needs: `hash` makes hashes in `form`, and `verify` checks hashes of both
 * forms. For an unknown account the library hashes the password instead of verifying it. Once hashes of both forms may
 * be stored, every check costs the work of both, so that the time of an answer does not reveal which accounts exist.
 */
export function passwordHashing(form: PasswordForm, using = hashers) {
  let both = form === 'argon2id'
  const other = (one: PasswordForm): PasswordForm => (one === 'scrypt' ? 'argon2id' : 'scrypt')
  async function judged<T>(stored: PasswordForm, password: string, result: Promise<T>): Promise<T> {
    const value = await result
    if (both) await using[other(stored)].hash(password)
    return value
  }
  return {
    hash: (password: string) => inHashQueue(() => judged(form, password, using[form].hash(password))),
    verify: ({ hash, password }: { hash: string; password: string }) =>
      inHashQueue(() => {
        const stored = passwordFormOf(hash)
        both ||= stored !== form
        return judged(stored, password, using[stored].verify(hash, password))
      }),
  }
}
