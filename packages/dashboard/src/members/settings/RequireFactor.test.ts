import type { Role } from '@svc/api'
import { expect, test } from 'vitest'
import { localDayOf } from '../../ui/forms/local-time.ts'
import { adminsWithoutFactorText, requiredFrom, requirementInWords, wrongWithDay } from './RequireFactor.tsx'

const at = (day: number, hour = 0) => new Date(2026, 11, day, hour).getTime()
const now = at(3, 15)

test.each([
  ['2026-12-03', null, now],
  ['2026-12-04', null, at(4)],
  ['2027-01-31', null, new Date(2027, 0, 31).getTime()],
  ['2026-12-02', 'This day is past. Choose today, and it holds at once.', now],
  ['', 'Enter a date.', now],
  ['soon', 'Enter a date.', now],
])('a factor is required from the beginning of the day %j', (typed, wrong, from) => {
  expect(wrongWithDay(typed, now)).toBe(wrong)
  expect(requiredFrom(typed, now)).toBe(from)
})

test('the days that the page proposes can be read again', () => {
  expect([localDayOf(now), localDayOf(at(31, 23))]).toEqual(['2026-12-03', '2026-12-31'])
})

test.each([
  [null, 'Admins may sign in with a password alone.'],
  [at(10), 'From 10 Dec, 00:00 on, admins need a second factor. Without one they then have the rights of a member.'],
  [at(1), 'Admins have needed a second factor since 1 Dec, 00:00. Without one they have the rights of a member.'],
])('the requirement from %j in words', (from, words) => expect(requirementInWords(from, now)).toBe(words))

const person = (name: string, factor: boolean | null, more: { role?: Role; self?: boolean } = {}) => ({
  ...{ name, factor, role: 'admin' as Role, self: false },
  ...more,
})
test.each([
  [[person('Ada', true, { self: true })], 'You have a second factor.'],
  [[person('Ada', true, { self: true }), person('Bo', true)], 'All admins have a second factor.'],
  [[person('Ada', true, { self: true }), person('Cy', false, { role: 'member' })], 'You have a second factor.'],
  [[person('Ada', false, { self: true }), person('Bo', true)], 'Without a second factor: you.'],
  [[person('Bo', false), person('Ada', false, { self: true })], 'Without a second factor: you and Bo.'],
  [
    ['B', 'C', 'D', 'E', 'F', 'G', 'H'].map((name) => person(name, false)),
    'Without a second factor: B, C, D, E, F and 2 more.',
  ],
])('%j: who has no factor, in words', (members, words) => expect(adminsWithoutFactorText(members)).toBe(words))
