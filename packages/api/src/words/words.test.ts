import { expect, test } from 'vitest'
import { lengthOf, namesOf } from './index.ts'

test.each([
  [0, '0 seconds'],
  [90, '90 seconds'],
  [60, '1 minute'],
  [7200, '2 hours'],
  [86_400, '1 day'],
])('%i seconds are %s', (seconds, words) => expect(lengthOf(seconds)).toBe(words))

test('of many names ten are shown', () => {
  const names = Array.from({ length: 12 }, (_, i) => `a${i}`)
  expect(namesOf(names)).toBe('a0, a1, a2, a3, a4, a5, a6, a7, a8, a9 and 2 more')
  expect(namesOf(['a', 'b'])).toBe('a, b')
})
