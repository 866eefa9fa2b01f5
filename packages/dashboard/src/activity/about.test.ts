import { expect, test } from 'vitest'
import { subjectOf, subjects } from './about.ts'
import { knownActions } from './sentence.ts'

test('every kind of line is found by exactly one subject', () => {
  expect(knownActions.filter((action) => subjectOf(action) === undefined)).toEqual([])
  const kinds = Object.values(subjects).flatMap(({ kinds }) => kinds)
  expect(new Set(kinds).size).toBe(kinds.length)
  expect(subjectOf('weather.changed')).toBeUndefined()
})
