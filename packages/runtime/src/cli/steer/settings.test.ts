import type { Setting, SettingValue } from '@svc/protocol'
import { describe, expect, test } from 'vitest'
import { looksAtEnds, wideText } from '../../../../../testing/looks.ts'
import { readPairs, readValue } from './settings.ts'

const options = [
  { value: 1, label: 'One' },
  { value: 'two', label: 'Two' },
]
/** For each type of a setting a text, and the value that is read from it. */
const rows: readonly (readonly [type: Setting['type'], typed: string, value: SettingValue])[] = [
  ['number', '1.5', 1.5],
  ['bool', 'true', true],
  ['select', '1', 1],
  ['select', 'two', 'two'],
  ['datetime', '2026-12-24T18:00:00Z', 1_798_135_200],
]

describe.each(rows)('a setting of the type %s', (type, typed, value) => {
  test.each(looksAtEnds)(`is read from ${typed} with $says`, ({ write }) => {
    expect(readValue({ key: 'x', type, options }, write(typed))).toBe(value)
  })
})

test('a number is read from wide digits, and clears the setting if it is empty', () => {
  expect(readValue({ key: 'x', type: 'number' }, wideText('-15'))).toBe(-15)
  expect(readValue({ key: 'x', type: 'number' }, ' \u200b')).toBeNull()
})

test.each(looksAtEnds)('a text stays as it is with $says', ({ write }) => {
  expect(readValue({ key: 'x', type: 'text' }, write('a'))).toBe(write('a'))
})

test('a key is found with an invisible character at its ends', () => {
  expect(readPairs(['\u200bevery=5'], [{ key: 'every', type: 'number' }])).toEqual({ every: 5 })
})
