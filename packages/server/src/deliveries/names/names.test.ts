import type { LookupAddress } from 'node:dns'
import { expect, test } from 'vitest'
import type { NameHelper } from './helper.ts'
import { createNameLookups, type NameLookups } from './names.ts'

const address = [{ address: '192.0.2.1', family: 4 }]
const never = new AbortController().signal

/**
 * Look-ups of names over a simulated helper. `ends` are the results of its look-ups, in order; the last one is used for
 * all further look-ups.
 */
function started(...ends: (LookupAddress[] | Error | 'hangs')[]) {
  const asked: string[] = []
  const clock = { mono: 0 }
  const helper: NameHelper = {
    lookUp: (name, _options, signal) => {
      asked.push(name)
      const end = (ends.length > 1 ? ends.shift() : ends[0]) ?? []
      if (end === 'hangs')
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      return end instanceof Error ? Promise.reject(end) : Promise.resolve(end)
    },
  }
  return { asked, clock, names: createNameLookups({ helper, withinMs: 20, mono: () => clock.mono }) }
}

const ask = (names: NameLookups, { name = 'hooks.example.org', fresh = false, signal = never } = {}) =>
  new Promise<unknown>((resolve) => {
    names.lookupFor(signal, fresh)(name, { all: true }, (error, found) => resolve(error?.message ?? found))
  })
const unknown = new Error('getaddrinfo ENOTFOUND hooks.example.org')
const notFound = 'The name hooks.example.org could not be looked up: getaddrinfo ENOTFOUND hooks.example.org.'

test('a look-up whose name servers do not answer ends at its deadline', async () => {
  const { names } = started('hangs')
  expect(await ask(names)).toBe(
    'The name hooks.example.org could not be looked up: its name servers did not answer in time.',
  )
})

test('a look-up ends with the attempt that needs it', async () => {
  const { names } = started('hangs')
  const ending = new AbortController()
  const asked = ask(names, { signal: ending.signal })
  ending.abort()
  expect(await asked).toContain('did not answer in time')
})

test('a name that failed is not asked by every try, and the wait doubles up to a minute', async () => {
  const { asked, clock, names } = started(unknown)
  const waits: number[] = []
  for (let times = 1; times <= 7; times++) {
    expect(await ask(names)).toBe(notFound)
    const failedAt = clock.mono
    while (asked.length === times && clock.mono < failedAt + 100_000) {
      clock.mono += 1000
      const isLast = clock.mono - failedAt >= Math.min(4000 * 2 ** (times - 1), 60_000)
      if (isLast) break
      expect(await ask(names)).toMatch(/^The name .* It is looked up again in \d+ s\.$/)
    }
    waits.push((clock.mono - failedAt) / 1000)
  }
  expect(asked).toHaveLength(7)
  expect(waits).toEqual([4, 8, 16, 32, 60, 60, 60])
})

test('other names are asked meanwhile, and a name that answers again has no wait', async () => {
  const { asked, clock, names } = started(unknown, address, address, unknown, address)
  await ask(names)
  expect(await ask(names, { name: 'other.example.org' })).toEqual(address)
  clock.mono += 4000
  expect(await ask(names)).toEqual(address)
  expect(await ask(names)).toBe(notFound)
  clock.mono += 4000
  expect(await ask(names)).toEqual(address)
  expect(asked).toHaveLength(5)
})

test('for a person who waits, a name that has just failed is asked again', async () => {
  const { names } = started(unknown, address)
  await ask(names)
  expect(await ask(names, { fresh: true })).toEqual(address)
  expect(await ask(names)).toEqual(address)
})

test('an address is not looked up, and a connection that wants one address gets the first one', async () => {
  const { asked, names } = started([...address, { address: '2001:db8::1', family: 6 }])
  expect(await ask(names, { name: '192.0.2.7' })).toEqual([{ address: '192.0.2.7', family: 4 }])
  const one = await new Promise((resolve) =>
    names.lookupFor(never)('hooks.example.org', {}, (...answer) => resolve(answer)),
  )
  expect(one).toEqual([null, '192.0.2.1', 4])
  expect(asked).toEqual(['hooks.example.org'])
})

test('a name without an address is an error', async () => {
  const { names } = started([])
  expect(await ask(names)).toBe('The name hooks.example.org could not be looked up: it has no address.')
})
