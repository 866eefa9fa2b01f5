import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundedAnswer, type KeptRows, maxListBytes } from './bounded.ts'

const sizeOf = (json: string) => Buffer.byteLength(json)
const row = (bytes: number) => ({ text: '漢'.repeat(bytes / 3) })
const rows = (count: number, bytes: number) => Array.from({ length: count }, () => row(bytes))
interface Read {
  [key: string]: unknown
  agents?: unknown[]
  length?: number
}
const read = (given: unknown, keep: KeptRows = 'first') => {
  const { json, leftOff } = boundedAnswer(given, keep)
  expect(sizeOf(json)).toBeLessThanOrEqual(maxListBytes)
  return { value: JSON.parse(json) as Read, leftOff }
}

test('an answer below 1 MB is the same, whatever it is', () => {
  const values = fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.array(fc.jsonValue())))
  fc.assert(
    fc.property(values, fc.constantFrom<KeptRows>('first', 'last'), (given, keep) => {
      const { json, leftOff } = boundedAnswer(given, keep)
      expect([JSON.parse(json), leftOff]).toEqual([JSON.parse(JSON.stringify(given)), 0])
    }),
    { numRuns: 200 },
  )
  expect(read({ rows: [undefined, 1], none: undefined }).value).toEqual({ rows: [null, 1] })
})

test('of a list above 1 MB the last rows are left off, and their number is said', () => {
  const { value, leftOff } = read(rows(2000, 900))
  expect([value.length, leftOff]).toEqual([expect.any(Number), 2000 - Number(value.length)])
  expect(Number(value.length)).toBeGreaterThan(1000)
})

test('of a list in the order of time that is above 1 MB the oldest rows are left off', () => {
  const days = rows(2000, 900).map((one, day) => ({ ...one, day }))
  const list = read(days, 'last')
  expect(list.value).toEqual(days.slice(list.leftOff))
  const object = read({ blueprints: ['mail'], days }, 'last')
  expect(object.value).toMatchObject({ blueprints: ['mail'], leftOff: { days: object.leftOff } })
  expect(object.value.days).toEqual(days.slice(object.leftOff))
  expect(list.leftOff).toBeGreaterThan(0)
})

test('of an object the largest list is shortened, and the object says by how many rows', () => {
  const { value, leftOff } = read({ type: 'set', few: rows(3, 30), agents: rows(2000, 900), retries: rows(100, 90) })
  expect(value).toMatchObject({ type: 'set', few: rows(3, 30), retries: rows(100, 90), leftOff: { agents: leftOff } })
  expect((value.agents?.length ?? 0) + leftOff).toBe(2000)
  const both = read({ a: rows(1000, 900), b: rows(2000, 900) })
  expect([both.value.a, both.value.leftOff]).toEqual([rows(1000, 900), { b: both.leftOff }])
  expect(both.leftOff).toBeGreaterThan(1000)
})

test('rows whose next ones are requested by the last one are not lost; a list with a total is', () => {
  const paged = read({ rows: rows(2000, 900), more: false })
  expect([paged.value.more, paged.leftOff, 'leftOff' in paged.value]).toEqual([true, 0, false])
  const counted = read({ rows: rows(2000, 900), total: 2000 })
  expect(counted.value).toMatchObject({ total: 2000, leftOff: { rows: counted.leftOff } })
  expect(counted.leftOff).toBeGreaterThan(0)
})

test('one row above 1 MB is left off, and a text is sent as it is', () => {
  expect(read([row(3 * maxListBytes)])).toEqual({ value: [], leftOff: 1 })
  const text = { text: 'x'.repeat(2 * maxListBytes) }
  expect(boundedAnswer(text)).toEqual({ json: JSON.stringify(text), leftOff: 0 })
})
