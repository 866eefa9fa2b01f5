import { readStrip, type StripState, stripText } from '@svc/api/words'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { backgroundOf, columnCount, dayWords, stretchesOf } from './day.ts'

const noon = Date.UTC(2026, 10, 22, 12)
const hour = 3600
const states: readonly StripState[] = [
  'ok',
  'info',
  'warn',
  'bad',
  'none',
  'paused',
  'offline',
  'stopped',
  'often',
  'unknown',
]

test.each([
  ['o86400', '24 hours: OK'],
  ['u86400', '24 hours: not known'],
  ['', '24 hours: not known'],
  ['u82800o3600', '24 hours: OK since 11:00'],
  [`o${hour}w2280o${23 * hour - 2280}`, '24 hours: OK, Warning from 13:00 to 13:38'],
  [`x${2 * hour}o${20 * hour}b${2 * hour}`, '24 hours: OK, Bad since 10:00, offline until 14:00'],
  [`o${hour}x${hour}o${hour}x${hour}o${20 * hour}`, '24 hours: OK, offline 2 times, 2\u00a0h'],
  [`f${20 * hour}b${2 * hour}o${2 * hour}`, '24 hours: changed often, Bad from 08:00 to 10:00, OK since 10:00'],
])('the strip %s reads "%s"', (text, words) => {
  expect(dayWords(readStrip(text), noon)).toBe(words)
})

test('a state of a minute is seen, and a worse one hides the others of its quarter of an hour', () => {
  expect(stretchesOf(readStrip('o43200b60o43140'))).toEqual([
    { state: 'ok', from: 0, to: 48 },
    { state: 'bad', from: 48, to: 49 },
    { state: 'ok', from: 49, to: columnCount },
  ])
  expect(stretchesOf(readStrip('o40000x100w100o46200')).map(({ state }) => state)).toEqual(['ok', 'warn', 'ok'])
})

test('any spans fill the strip without gap, and are written and read without loss', () => {
  const span = fc.record({ state: fc.constantFrom(...states), seconds: fc.integer({ min: 1, max: 90_000 }) })
  fc.assert(
    fc.property(fc.array(span, { maxLength: 70 }), (spans) => {
      expect(readStrip(stripText(spans))).toEqual(spans)
      const stretches = stretchesOf(spans)
      expect([stretches[0]?.from, stretches.at(-1)?.to]).toEqual([0, columnCount])
      for (const [i, { from }] of stretches.entries()) if (i > 0) expect(from).toBe(stretches[i - 1]?.to)
    }),
  )
})

test('each stretch is a layer, what is worse is higher, and what is not known is empty', () => {
  const { backgroundImage, backgroundPosition, backgroundSize } = backgroundOf([
    { state: 'unknown', from: 0, to: 24 },
    { state: 'ok', from: 24, to: 72 },
    { state: 'paused', from: 72, to: 96 },
  ])
  expect(backgroundImage).toMatch(/^linear-gradient\(var\(--day-ok\) 0 0\), repeating-linear-gradient\(/)
  expect(backgroundPosition).toBe('50% 100%, 100% 100%')
  expect(backgroundSize).toBe('50% 32%, 25% 50%')
  const whole = backgroundOf([{ state: 'bad', from: 0, to: 96 }])
  expect([whole.backgroundPosition, whole.backgroundSize]).toEqual(['0% 100%', '100% 100%'])
})
