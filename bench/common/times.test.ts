import { expect, test } from 'vitest'
import { median, middleHalf, valueAt } from './times.ts'

const shuffled = (length: number) => Array.from({ length }, (_, i) => ((i * 7) % length) + 1)

test.each([
  { values: [3], middle: 3, half: [3, 3], highest: 3 },
  { values: [9, 10], middle: 9.5, half: [9, 10], highest: 10 },
  { values: shuffled(5), middle: 3, half: [2, 4], highest: 5 },
  { values: shuffled(8), middle: 4.5, half: [3, 6], highest: 8 },
  { values: shuffled(15), middle: 8, half: [4, 12], highest: 15 },
])('of $values the middle is $middle, and half are from and to $half', ({ values, middle, half, highest }) => {
  expect(median(values)).toBe(middle)
  expect(middleHalf(values)).toEqual(half)
  expect(valueAt(values, 1)).toBe(highest)
})

test('of 200 values, 99 in 100 do not exceed the 199th', () => {
  expect(valueAt(shuffled(200), 0.99)).toBe(199)
  expect(valueAt(shuffled(200), 0)).toBe(1)
})

test('without values there is no result', () => {
  expect([median([]), ...middleHalf([]), valueAt([], 0.5)]).toEqual([Number.NaN, Number.NaN, Number.NaN, Number.NaN])
})
