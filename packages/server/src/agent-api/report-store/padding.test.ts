import { expect, test } from 'vitest'
import { padded } from './padding.ts'

test.each([
  ['{}', 8],
  ['{"a":1}', 8],
  ['{"a":12}', 8],
  ['{"a":123}', 16],
])('%j has %i characters, and the same value', (json, length) => {
  expect(padded(json, 8)).toHaveLength(length)
  expect(JSON.parse(padded(json, 8))).toEqual(JSON.parse(json))
})
