import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { providerTries } from './sign-in-tries.ts'

const begun = (tries: ReturnType<typeof providerTries>, number: number, key = 'office') =>
  Array.from({ length: number }, () => tries.begin(key, randomUUID(), 0)).flatMap((each) =>
    each.ok ? [each.value] : [],
  )

test('callbacks that are pending, or ended well, lock nobody out', () => {
  const tries = providerTries()
  for (let round = 0; round < 3; round++) {
    const pending = begun(tries, 100)
    expect(pending).toHaveLength(100)
    for (const each of pending) each.end()
  }
})

test('a hundred callbacks of one address are pending at once, and no more; other addresses go on', () => {
  const tries = providerTries()
  const pending = begun(tries, 101)
  expect(pending).toHaveLength(100)
  expect(begun(tries, 1, 'elsewhere')).toHaveLength(1)
  pending[0]?.end()
  expect(begun(tries, 2)).toHaveLength(1)
})

test('after thirty callbacks that failed an address waits five minutes', () => {
  const tries = providerTries()
  for (const each of begun(tries, 30)) {
    each.failed(1000)
    each.end()
  }
  expect(tries.begin('office', 'a', 2000)).toEqual({ ok: false, code: 'busy', message: 'too_many_tries' })
  expect(tries.begin('elsewhere', 'a', 2000).ok).toBe(true)
  expect(tries.begin('office', 'b', 301_001).ok).toBe(true)
})

test('three hundred callbacks of all addresses are pending at once, and no more', () => {
  const tries = providerTries()
  const pending = Array.from({ length: 301 }, (_, i) => begun(tries, 1, `address ${i}`)).flat()
  expect(pending).toHaveLength(300)
  expect(tries.begin('elsewhere', 'a', 0)).toEqual({ ok: false, code: 'busy', message: 'too_many_pending' })
  pending[0]?.end()
  expect(tries.begin('elsewhere', 'a', 0).ok).toBe(true)
})

test('a callback is pending once, from whatever address it comes', () => {
  const tries = providerTries()
  const first = tries.begin('office', 'a', 0)
  expect(tries.begin('elsewhere', 'a', 0)).toEqual({ ok: false, code: 'failed', message: 'used_before' })
  if (first.ok) first.value.end()
  expect(tries.begin('elsewhere', 'a', 0).ok).toBe(true)
})
