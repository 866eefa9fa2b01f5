import type { LogEntry } from '@svc/api'
import { expect, test } from 'vitest'
import { foldLogs, followStep } from './follow.ts'

const minute = 60_000
const followed = { name: 'work', since: 0, askedAt: 0 }
const facts = { now: 30_000, interval: 30_000, isPending: false, isInSight: true }

test.each<[string, Partial<typeof facts>, Partial<typeof followed>, 'ask' | 'wait' | 'over']>([
  ['an interval after the last request', {}, {}, 'ask'],
  ['before that', { now: 29_999 }, {}, 'wait'],
  ['with a short interval, before 20 s', { now: 19_999, interval: 1000 }, {}, 'wait'],
  ['with a short interval, after 20 s', { now: 20_000, interval: 1000 }, {}, 'ask'],
  ['while a request is pending', { isPending: true }, {}, 'wait'],
  ['after ten minutes', { now: 10 * minute }, { askedAt: 9 * minute }, 'over'],
  ['while nobody sees it', { isInSight: false }, {}, 'over'],
])('%s, the step is right', (_when, more, log, step) => {
  expect(followStep({ ...followed, ...log }, { ...facts, ...more })).toBe(step)
})

test('the first request is made at once', () => {
  expect(followStep({ ...followed, askedAt: null }, { ...facts, now: 1 })).toBe('ask')
})

const log = (id: string, minutesAgo: number, more: Partial<LogEntry> = {}): LogEntry => ({
  ...{ id, name: 'work', askedBy: 'Ada', bytes: 1, expiresAt: 0 },
  receivedAt: 1000 * minute - minutesAgo * minute,
  ...more,
})

test('logs of one name and person that came soon after each other are one entry', () => {
  const logs = [
    log('a', 0),
    log('b', 1),
    log('other', 1.5, { name: 'job/backup' }),
    log('c', 2),
    log('bob', 2.5, { askedBy: 'Bob' }),
    log('d', 60),
  ]
  expect(foldLogs(logs).map(({ newest, earlier }) => [newest.id, ...earlier.map(({ id }) => id)])).toEqual([
    ['a', 'b', 'c'],
    ['other'],
    ['bob'],
    ['d'],
  ])
  expect(foldLogs([])).toEqual([])
})
