import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maxDurationSeconds, readDuration, writeDuration } from './duration.ts'

test.each([
  ['0s', 0],
  ['2s', 2],
  ['90s', 90],
  ['10m', 600],
  ['36h', 129_600],
  ['30d', 2_592_000],
  ['720h', 2_592_000],
])('the duration %s has %d seconds', (text, seconds) => expect(readDuration(text)).toBe(seconds))

test.each([
  '',
  '10',
  'm',
  '1.5h',
  '-1m',
  '+1m',
  ' 1m',
  '1m ',
  '1M',
  '1 m',
  '1m30s',
  '31d',
  '2592001s',
  '1e2s',
  '٣m',
  '99999999s',
])('the duration "%s" is refused', (text) => expect(readDuration(text)).toBeUndefined())

test('every duration is read as it was written', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: maxDurationSeconds }), (seconds) => {
      expect(readDuration(writeDuration(seconds))).toBe(seconds)
    }),
  )
  expect([0, 59, 60, 90, 7200, 172_800].map(writeDuration)).toEqual(['0s', '59s', '1m', '90s', '2h', '2d'])
})
