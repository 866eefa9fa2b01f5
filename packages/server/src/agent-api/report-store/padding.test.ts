import { expect, test } from 'vitest'
import { padded, paddedBeside } from './padding.ts'

test.each([
  ['{}', 8],
  ['{"a":1}', 8],
  ['{"a":12}', 8],
  ['{"a":123}', 16],
])('%j has %i characters, and the same value', (json, length) => {
  expect(padded(json, 8)).toHaveLength(length)
  expect(JSON.parse(padded(json, 8))).toEqual(JSON.parse(json))
})

test.each([
  [30, 128],
  [2900, 3008],
  [30_000, 30_208],
  [250_000, 251_904],
])('a row with %i other characters gets a size of %i', (others, size) => {
  const sums = [[20_000, '', 1, 5, 9]]
  const json = paddedBeside(JSON.stringify(sums), others)
  expect(json.length + others).toBe(size)
  expect(JSON.parse(json)).toEqual(sums)
})

test('the size of a row stays the same while its texts grow a little', () => {
  const sizes = new Set<number>()
  let json = '[]'
  for (let others = 2900; others < 2940; others++) {
    json = paddedBeside(json, others)
    sizes.add(json.length + others)
  }
  expect([...sizes]).toEqual([3008])
})
