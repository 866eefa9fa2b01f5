import { expect, test } from 'vitest'
import { providerTries } from './sign-in-tries.ts'

const begun = (tries: ReturnType<typeof providerTries>, number: number, key = 'office') =>
  Array.from({ length: number }, () => tries.begin(key, 0)).filter((each) => each !== undefined)

test('ways back that are pending, or ended well, lock nobody out', () => {
  const tries = providerTries()
  for (let round = 0; round < 3; round++) {
    const pending = begun(tries, 100)
    expect(pending).toHaveLength(100)
    for (const each of pending) each.end()
  }
})

test('a hundred ways back of one address are pending at once, and no more; other addresses go on', () => {
  const tries = providerTries()
  const pending = begun(tries, 101)
  expect(pending).toHaveLength(100)
  expect(begun(tries, 1, 'elsewhere')).toHaveLength(1)
  pending[0]?.end()
  expect(begun(tries, 2)).toHaveLength(1)
})

test('after thirty ways back that failed an address waits five minutes', () => {
  const tries = providerTries()
  for (const each of begun(tries, 30)) {
    each.failed(1000)
    each.end()
  }
  expect(tries.begin('office', 2000)).toBeUndefined()
  expect(tries.begin('elsewhere', 2000)).toBeDefined()
  expect(tries.begin('office', 301_001)).toBeDefined()
})
