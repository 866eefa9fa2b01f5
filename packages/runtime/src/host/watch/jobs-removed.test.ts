import { expect, test } from 'vitest'
import type { FoundJobs } from '../jobs/reader.ts'
import { nothingSeen, type SeenJobs } from '../jobs/seen.ts'
import { expiredJobs } from '../watch/jobs-section.ts'

const day = 86_400
const now = 1_800_000_000
type Found = FoundJobs['jobs'][number]
const job = (name: string, days: number, more: Partial<Found> = {}): Found => ({
  name,
  note: { name },
  runs: [{ id: `${(now - days * day) * 1000}-a`, status: 'ok', started: now - days * day }],
  ...more,
})
const seen: SeenJobs = { ...nothingSeen, read: now }
const today = job('today', 0)

test.each<[string, Found[], SeenJobs, string[]]>([
  ['a job without a schedule, 400 days after its last run', [today, job('old', 401)], seen, ['old']],
  [
    'whatever the end of that run',
    [today, job('old', 401, { runs: [{ id: '1-a', status: 'failed', started: now - 401 * day }] })],
    seen,
    ['old'],
  ],
  ['no younger one', [today, job('old', 399)], seen, []],
  ['none with a schedule of its own', [today, job('old', 500, { note: { name: 'old', every: 5 } })], seen, []],
  ['none in the crontab', [today, job('old', 500)], { ...seen, lines: [{ name: 'old', cron: '@yearly' }] }, []],
  ['none that may be in a crontab that nobody could read', [today, job('old', 500)], nothingSeen, []],
  [
    'none that may still run',
    [today, job('old', 500, { runs: [{ id: '1-a', status: 'running', started: now - 500 * day }] })],
    seen,
    [],
  ],
  ['none without a run', [today, job('new', 0, { runs: [] })], seen, []],
  ['none if no run is recent, since the clock may be years ahead', [job('a', 500), job('b', 501)], seen, []],
])('removed is %s', (_what, jobs, note, names) => {
  expect(expiredJobs({ jobs }, note, now)).toEqual(names)
})
