import type { SignInRecord } from '@svc/api'
import { expect, test } from 'vitest'
import { onEveryEngine } from '../../../testing/stores.ts'
import { openAuth } from './auth.ts'
import { listSignIns, nextToDrop, recordSignIn } from './sign-in-records.ts'
import { createPerson } from './store.ts'

const operator = { id: null, name: 'operator' }

onEveryEngine('sign-ins', (open) => {
  const newSetup = async () => {
    const store = await open()
    const auth = openAuth(store, { baseUrl: 'http://localhost', secret: 'a secret of the tests, long enough' })
    const make = async (name: string) => {
      const person = { email: `${name}@example.org`, name, password: 'correct horse battery' }
      const made = await createPerson({ people: { store, auth }, by: operator, now: 0 }, person)
      if (!made.ok) throw new Error(made.message)
      return made.value.id
    }
    const record = (at: number, more: Partial<SignInRecord> = {}): SignInRecord => ({
      ...{ at, method: 'password', address: '192.0.2.1', userAgent: 'x'.repeat(999) },
      ...more,
    })
    return { store, ann: await make('ann'), bob: await make('bob'), record }
  }

  test('the last sign-ins of a person are listed, newest first, equal ones in one line', async () => {
    const { store, ann, bob, record } = await newSetup()
    await recordSignIn(store.db, bob, record(1))
    await recordSignIn(store.db, ann, record(2))
    for (const at of [3, 4, 5]) await recordSignIn(store.db, ann, record(at, { second: 'code' }))
    await recordSignIn(store.db, ann, record(6))
    const userAgent = 'x'.repeat(300)
    expect(await listSignIns(store.db, ann)).toEqual([
      { ...record(6), userAgent, times: 2, since: 2 },
      { ...record(5), userAgent, second: 'code', times: 3, since: 3 },
    ])
    expect(await listSignIns(store.db, bob)).toEqual([{ ...record(1), userAgent }])
  })

  const floods: Record<string, (i: number) => Partial<SignInRecord>> = {
    'equal ones': () => ({}),
    'ones with browsers of many names': (i) => ({ userAgent: `browser ${i}` }),
    'ones from many addresses of a network': (i) => ({ address: `2001:db8:1:2::${i}`, userAgent: `browser ${i}` }),
  }
  test(`an intruder's push out none of other places: ${Object.keys(floods).join(', ')}`, async () => {
    const { store, ann, record } = await newSetup()
    const homes = ['203.0.113.1', '203.0.113.2'].map((address, i) => record(i, { address, userAgent: 'home' }))
    const [max, many] = [5, 12]
    for (const [name, flood] of Object.entries(floods)) {
      await store.db.deleteFrom('sign_in').execute()
      for (const home of homes) await recordSignIn(store.db, ann, home, max)
      for (let i = 0; i < many; i++) await recordSignIn(store.db, ann, record(10 + i, flood(i)), max)
      const kept = await listSignIns(store.db, ann)
      expect(kept.length, name).toBeLessThanOrEqual(max)
      expect(kept.slice(-2), name).toEqual(homes.toReversed())
      const flooded = kept.slice(0, -2)
      expect(flooded.reduce((sum, { times = 1 }) => sum + times, 0)).toBe(many)
      expect(Math.min(...flooded.map(({ at, since = at }) => since))).toBe(10)
    }
  })
})

test.each<[string, string[], [dropped: number, into: number | undefined]]>([
  ['the oldest, where each address has one', ['a', 'b', 'c'], [2, undefined]],
  ['the oldest of the address with most', ['a', 'a', 'b'], [1, 0]],
  ['the older ones of two addresses with as many', ['a', 'b', 'a', 'b'], [3, 1]],
  ['the oldest of a network', ['2001:db8::1', 'b', '2001:db8::2', '::1'], [2, 0]],
])('without room goes %s', (_, addresses, [dropped, into]) => {
  const rows = addresses.map((address) => ({ address }))
  expect(nextToDrop(rows)).toEqual([rows[dropped], into === undefined ? undefined : rows[into]])
  expect(nextToDrop(rows)[0]).toBe(rows[dropped])
})
