import { expect, test } from 'vitest'
import { paddedIfLarge, paddedJson } from './padding.ts'

test.each([
  ['{}', 8],
  ['{"a":1}', 8],
  ['{"a":12}', 8],
  ['{"a":123}', 16],
])('%j has %i characters, and the same value', (json, length) => {
  expect(paddedJson(json, 8)).toHaveLength(length)
  expect(JSON.parse(paddedJson(json, 8))).toEqual(JSON.parse(json))
})

test.each([
  [5000, 5120],
  [30_000, 30_208],
  [250_000, 251_904],
])('a row with %i other characters gets a size of %i', (others, size) => {
  const sums = [[20_000, '', 1, 5, 9]]
  const json = paddedIfLarge(JSON.stringify(sums), others) ?? ''
  expect(json.length + others).toBe(size)
  expect(JSON.parse(json)).toEqual(sums)
  expect(JSON.parse(paddedIfLarge(null, others) ?? '')).toEqual([])
})

test('the size of a large row stays the same while its texts grow a little', () => {
  const sizes = new Set<number>()
  let json: string | null = null
  for (let others = 5000; others < 5050; others++) {
    json = paddedIfLarge(json, others)
    sizes.add((json?.length ?? 0) + others)
  }
  expect([...sizes]).toEqual([5120])
})

test.each([null, '[]', '[[1,"",1,2,3]]'])('%j in a small row is left as it is', (json) =>
  expect(paddedIfLarge(json, 3000)).toBe(json),
)
