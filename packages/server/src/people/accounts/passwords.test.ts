import { hashPassword } from 'better-auth/crypto'
import { expect, test } from 'vitest'
import type { PasswordForm } from '../../platform/base.ts'
import { passwordFormOf } from './password-forms.ts'
import { passwordHashing, whyWeak } from './passwords.ts'

const password = 'correct horse battery'

test.each(['scrypt', 'argon2id'] as const)(
  'a password stored as %s is read, whichever form is written',
  async (form) => {
    const stored = await passwordHashing(form).hash(password)
    expect(passwordFormOf(stored)).toBe(form)
    for (const written of ['scrypt', 'argon2id'] as const) {
      const { verify } = passwordHashing(written)
      expect(await verify({ hash: stored, password })).toBe(true)
      expect(await verify({ hash: stored, password: `${password}.` })).toBe(false)
    }
  },
)

test('a hash of the previous version is read, and the previous version can read the form written by default', async () => {
  expect(await passwordHashing('scrypt').verify({ hash: await hashPassword(password), password })).toBe(true)
  expect(await passwordHashing('scrypt').hash(password)).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/)
})

test('argon2id hashes are PHC strings with 19 MiB and two passes, each with its own salt', async () => {
  const { hash } = passwordHashing('argon2id')
  const [one, two] = await Promise.all([hash(password), hash(password)])
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  expect(one).not.toBe(two)
})

test.each(['$argon2id$', '$argon2id$v=19$m=999999,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAA'])(
  'the damaged hash %s is an error, not a password',
  async (hash) => {
    await expect(passwordHashing('scrypt').verify({ hash, password })).rejects.toThrow('cannot be read')
  },
)

/** Makes password hashing that computes nothing, but records which kinds of hashing would be done. */
function counting(form: PasswordForm) {
  const done: PasswordForm[] = []
  const hasher = (name: PasswordForm) => ({
    hash: async () => {
      done.push(name)
      return name
    },
    verify: async () => {
      done.push(name)
      return false
    },
  })
  const passwords = passwordHashing(form, { scrypt: hasher('scrypt'), argon2id: hasher('argon2id') })
  /** Returns which kinds of hashing `check` does, sorted. */
  const work = async (check: () => Promise<unknown>) => {
    done.length = 0
    await check()
    return [...done].sort()
  }
  return { ...passwords, work }
}

test('an unknown account costs the same work as a known one, in either form', async () => {
  const old = 'salt:key'
  const renewed = '$argon2id$v=19$…'
  const { hash, verify, work } = counting('argon2id')
  const unknown = await work(() => hash(password))
  expect(unknown).toEqual(['argon2id', 'scrypt'])
  expect(await work(() => verify({ hash: old, password }))).toEqual(unknown)
  expect(await work(() => verify({ hash: renewed, password }))).toEqual(unknown)

  const before = counting('scrypt')
  expect(await before.work(() => before.hash(password))).toEqual(['scrypt'])
  expect(await before.work(() => before.verify({ hash: old, password }))).toEqual(['scrypt'])
  await before.verify({ hash: renewed, password })
  expect(await before.work(() => before.hash(password))).toEqual(['argon2id', 'scrypt'])
  expect(await before.work(() => before.verify({ hash: old, password }))).toEqual(['argon2id', 'scrypt'])
})

const ann = { email: 'ann.lee@example.org', name: 'Ann-Sophie Lee', workspaces: ['North wind', 'north'] }

test.each(['1234567890', 'password12', 'QWERTYUIOP', ' basketball '])(
  '%j is refused as one of the most common passwords',
  (password) => {
    expect(whyWeak(password, ann)).toMatch(/^This password is among the 3,000 most common ones/)
  },
)

test.each([
  'ann.lee@example.org',
  'Ann.Lee@Example.org2026',
  'annsophielee',
  'AnnSophie-Lee!',
  'northwind1',
  'northnorthnorth',
  'northwind-example',
])('%j is refused because it consists of its owner’s address, name and workspace', (password) => {
  expect(whyWeak(password, ann)).toMatch(/^This password is made of your own e-mail address, name or workspace/)
})

test.each(['correct horse battery', 'annapurna-range-8091', 'lee side of the moon', 'J5p!0xq-aa', '……………………………'])(
  '%j is accepted',
  (password) => expect(whyWeak(password, ann)).toBeUndefined(),
)

test('a very short name does not cause refusals by chance', () => {
  expect(whyWeak('so many horses', { email: 'so@e.eu', name: 'So' })).toBeUndefined()
})
