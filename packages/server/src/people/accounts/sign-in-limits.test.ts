import { expect, test } from 'vitest'
import { TryCounter } from './rate.ts'
import { countSignIns, type SignInAttempt } from './sign-in-limits.ts'

const ann = 'ann@example.org'
const second = 1000

/**
 * Returns functions that try to sign in at a time in seconds, by default to the account of Ann and in an unknown
 * browser.
 */
function tries() {
  const { begin } = countSignIns()
  const attempt = (more: Partial<SignInAttempt>) => ({
    caller: '203.0.113.1',
    account: ann,
    device: undefined,
    ...more,
  })
  return {
    fails: (at: number, more: Partial<SignInAttempt> = {}) => begin(attempt(more), at * second).ok,
    waits: (at: number, more: Partial<SignInAttempt> = {}) => {
      const admission = begin(attempt(more), at * second)
      return admission.ok ? undefined : admission.wait
    },
    succeeds: (at: number, more: Partial<SignInAttempt> = {}) => {
      const admission = begin(attempt(more), at * second)
      if (admission.ok) admission.value.succeeded()
      return admission.ok
    },
  }
}
const strangers = (count: number) => Array.from({ length: count }, (_, i) => `198.51.100.${i}`)

test('an address that has not failed may always try, however many others failed at the account', () => {
  const { fails, succeeds } = tries()
  for (const caller of strangers(250)) expect(fails(0, { caller })).toBe(true)
  expect(succeeds(1, { caller: '192.0.2.1' })).toBe(true)
})

test('addresses that failed at an account under attack are slowed down, and only at that account', () => {
  const { fails, waits } = tries()
  for (const caller of strangers(100)) fails(0, { caller })
  const caller = '203.0.113.1'
  expect([fails(1, { caller }), fails(2, { caller })]).toEqual([true, true])
  expect(waits(3, { caller })).toBe(898)
  expect(fails(3, { caller, account: 'bob@example.org' })).toBe(true)
  expect(fails(902, { caller })).toBe(true)
})

test('a browser that signed in before is not slowed down by strangers, nor by its own address', () => {
  const { fails, succeeds } = tries()
  for (const caller of strangers(100)) fails(0, { caller })
  for (let i = 0; i < 30; i++) fails(0, { account: `somebody-${i}@example.org` })
  expect(fails(1)).toBe(false)
  expect(succeeds(1, { device: 'of ann' })).toBe(true)
})

test('a browser that signed in before has a separate limit, which a success resets', () => {
  const { fails, succeeds, waits } = tries()
  const device = 'of ann'
  for (let i = 0; i < 7; i++) expect(fails(i, { device })).toBe(true)
  expect(succeeds(7, { device })).toBe(true)
  for (let i = 0; i < 8; i++) expect(fails(10 + i, { device })).toBe(true)
  expect(waits(18, { device })).toBe(292)
  expect(fails(18, { device: 'another' })).toBe(true)
})

test('successes are not counted: an office behind one address signs in as often as it likes', () => {
  const { succeeds } = tries()
  for (let i = 0; i < 200; i++) expect(succeeds(i / 100, { account: `person-${i}@example.org` })).toBe(true)
})

test('simultaneous tries count together, before anybody knows how they end', () => {
  const { begin } = countSignIns()
  const all = Array.from({ length: 20 }, () => begin({ caller: '203.0.113.1', account: ann, device: undefined }, 0))
  expect(all.filter(({ ok }) => ok)).toHaveLength(8)
})

test('a try whose password was not checked is not counted', () => {
  const { begin } = countSignIns()
  for (let i = 0; i < 100; i++) {
    const admission = begin({ caller: '203.0.113.1', account: ann, device: undefined }, 0)
    expect(admission.ok).toBe(true)
    if (admission.ok) admission.value.undo()
  }
})

test('tries are counted in a sliding window, for each key', () => {
  const limit = { max: 2, seconds: 60 }
  const rate = new TryCounter(limit)
  const take = (key: string, now: number) => {
    const wait = rate.wait(key, limit, now)
    if (wait === undefined) rate.add(key, now)
    return wait
  }
  expect([take('a', 0), take('a', 30_000), take('a', 40_000)]).toEqual([undefined, undefined, 20])
  expect(take('b', 40_000)).toBeUndefined()
  expect(take('a', 60_001)).toBeUndefined()
  expect(take('a', 60_002)).toBe(30)
  rate.forget('a')
  expect(take('a', 60_003)).toBeUndefined()
})

test('the memory of tries is bounded: keys have a fixed size, and the ones tried longest ago are dropped', () => {
  const limit = { max: 2, seconds: 3600 }
  const rate = new TryCounter(limit, 1000)
  for (let i = 0; i < 5000; i++) rate.add(`${i}`.repeat(5000), i)
  expect(rate.size).toBe(1000)
  rate.add('4999'.repeat(5000), 5000)
  expect(rate.wait('4999'.repeat(5000), limit, 5000)).toBeDefined()
  rate.add('later', 10_000_000)
  expect(rate.size).toBe(1)
})
