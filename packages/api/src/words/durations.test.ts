import fc from 'fast-check'
import { expect, test } from 'vitest'
import { durationText, elapsedText, maxDurationSeconds, readDuration, writeDuration } from './durations.ts'

const [second, minute, hour] = [1000, 60_000, 3_600_000]

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

test.each([
  [0, '0 seconds'],
  [90, '90 seconds'],
  [60, '1 minute'],
  [7200, '2 hours'],
  [86_400, '1 day'],
])('%i seconds are %s', (seconds, words) => expect(durationText(seconds)).toBe(words))

test.each([
  [0, '0 seconds'],
  [-5, '0 seconds'],
  [second, '1 second'],
  [minute, '1 minute'],
  [10 * minute + 31 * second, '10 minutes'],
  [hour, '1 hour'],
  [hour + 30 * minute, '1 hour 30 minutes'],
  [25 * hour + 59 * minute, '1 day 1 hour'],
  [48 * hour + 5 * minute, '2 days'],
])('%d ms are %s', (ms, text) => expect(elapsedText(ms)).toBe(text))
