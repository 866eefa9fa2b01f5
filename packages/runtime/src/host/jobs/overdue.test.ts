import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dueRun, isOverdue, type JobPlan, nextStart } from './overdue.ts'
import { readCron, timesEvery } from './schedule.ts'

/** Reads and writes times of 2026 in UTC, such as `11-24 03:00`. */
const at = (written: string): number => Date.parse(`2026-${written.replace(' ', 'T')}Z`) / 1000
const written = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time * 1000).toISOString().slice(5, 16).replace('T', ' ')
const minute = 60
const hour = 60 * minute
const day = 24 * hour

const cron = (written: string, more: Partial<JobPlan> = {}): JobPlan => {
  const zone = more.zone ?? 'UTC'
  const read = readCron(written, zone)
  if (!read.ok) throw new Error(read.why)
  return { times: read.times, zone, ...more }
}
const every = (seconds: number, more: Partial<JobPlan> = {}): JobPlan => ({
  times: timesEvery(seconds),
  zone: 'UTC',
  ...more,
})

const daily = cron('0 3 * * *')
const berlin = (written: string, more: Partial<JobPlan> = {}) => cron(written, { zone: 'Europe/Berlin', ...more })
const newYork = (written: string, more: Partial<JobPlan> = {}) => cron(written, { zone: 'America/New_York', ...more })
const lordHowe = (written: string, more: Partial<JobPlan> = {}) =>
  cron(written, { zone: 'Australia/Lord_Howe', ...more })

type Written = { readonly last?: string; readonly lives?: boolean; readonly woke?: string }
type Row = readonly [what: string, plans: readonly JobPlan[], starts: Written, due?: string, until?: string]

/** Each row ends with the time at which the job is due, and the time by which a run has to begin. All are of 2026. */
const table: readonly Row[] = [
  ['a daily job has two hours', [daily], { last: '11-24 03:00' }, '11-25 03:00', '11-25 05:00'],
  ['an hourly job has six minutes', [cron('@hourly')], { last: '11-24 03:00' }, '11-24 04:00', '11-24 04:06'],
  [
    'a job of every five minutes has five',
    [cron('*/5 * * * *')],
    { last: '11-24 03:00' },
    '11-24 03:05',
    '11-24 03:10',
  ],
  ['a job of every minute has five', [cron('* * * * *')], { last: '11-24 03:00' }, '11-24 03:02', '11-24 03:07'],
  [
    'a person set the grace',
    [cron('0 3 * * *', { grace: 600 })],
    { last: '11-24 03:00' },
    '11-25 03:00',
    '11-25 03:10',
  ],
  ['odd days that are Mondays', [cron('0 3 */2 * 1')], { last: '01-05 03:00' }, '01-19 03:00', '01-19 05:00'],
  ['the 13th or a Friday', [cron('0 3 13 * 5')], { last: '11-13 03:00' }, '11-20 03:00', '11-20 05:00'],
  ['a run began a minute early', [daily], { last: '11-25 02:59' }, '11-26 03:00', '11-26 05:00'],
  ['a run began between two times', [daily], { last: '11-24 15:00' }, '11-25 03:00', '11-25 05:00'],
  ['@reboot is never overdue', [cron('@reboot')], { last: '11-24 03:00' }],
  ['no schedule', [], { last: '11-24 03:00' }],
  ['an interval counts from the last start', [every(day)], { last: '11-24 15:07' }, '11-25 15:07', '11-25 17:07'],
  ['an interval of ten minutes', [every(600)], { last: '11-24 15:07' }, '11-24 15:17', '11-24 15:22'],
  [
    'a job that never ran, whose schedule is new',
    [cron('0 3 * * *', { since: at('11-24 10:00') })],
    {},
    '11-25 03:00',
    '11-25 05:00',
  ],
  ['an interval that never began', [every(hour, { since: at('11-24 10:00') })], {}, '11-24 11:00', '11-24 11:06'],
  ['neither a run nor a first sight', [daily], {}],
  [
    'a changed crontab: the old run does not make the new schedule late',
    [cron('0 9 * * *', { since: at('11-25 10:00') })],
    { last: '11-23 03:00' },
    '11-26 09:00',
    '11-26 11:00',
  ],
  [
    'a run since the change counts',
    [cron('0 9 * * *', { since: at('11-20 10:00') })],
    { last: '11-25 09:00' },
    '11-26 09:00',
    '11-26 11:00',
  ],
  [
    'two lines: the times of both count',
    [cron('0 3 * * *'), cron('0 15 * * *')],
    { last: '11-24 03:00' },
    '11-24 15:00',
    '11-24 16:12',
  ],
  [
    'two lines: each has its own first sight',
    [cron('0 3 * * *', { since: at('11-01 00:00') }), cron('0 4 * * *', { since: at('11-24 12:00') })],
    { last: '11-23 03:00' },
    '11-24 03:00',
    '11-24 05:00',
  ],
  [
    'two lines: the grace is that of the line that is due',
    [cron('0 3 * * *', { grace: 60 }), cron('0 15 * * *')],
    { last: '11-24 15:00' },
    '11-25 03:00',
    '11-25 03:01',
  ],
  [
    'two lines with the same time',
    [cron('0 3 * * *', { grace: 60 }), cron('0 3 * * 3', { grace: 120 })],
    { last: '11-24 03:00' },
    '11-25 03:00',
    '11-25 03:02',
  ],
  [
    'a line of which one half is @reboot',
    [cron('@reboot'), daily],
    { last: '11-24 03:00' },
    '11-25 03:00',
    '11-25 05:00',
  ],
  ['a run that lives may miss one time', [daily], { last: '11-24 03:00', lives: true }, '11-26 03:00', '11-26 05:00'],
  ['a hung run of an interval', [every(hour)], { last: '11-24 03:00', lives: true }, '11-24 05:00', '11-24 05:06'],
  [
    'a hung run without --no-overlap: the newest start counts',
    [daily],
    { last: '11-25 03:00', lives: true },
    '11-27 03:00',
    '11-27 05:00',
  ],
  [
    'a run of every minute that lives',
    [cron('* * * * *')],
    { last: '11-24 03:00', lives: true },
    '11-24 03:03',
    '11-24 03:08',
  ],
  [
    'the machine slept through the time',
    [daily],
    { last: '11-24 03:00', woke: '11-25 09:00' },
    '11-25 03:00',
    '11-25 11:00',
  ],
  [
    'the machine started before the time',
    [daily],
    { last: '11-24 03:00', woke: '11-25 01:00' },
    '11-25 03:00',
    '11-25 05:00',
  ],
  [
    'the machine woke up within the grace',
    [daily],
    { last: '11-24 03:00', woke: '11-25 04:00' },
    '11-25 03:00',
    '11-25 06:00',
  ],
  [
    'Berlin in March: 02:30 is due at 03:00, and has an hour more',
    [berlin('30 2 * * *', { grace: 600 })],
    { last: '03-28 01:30' },
    '03-29 01:00',
    '03-29 02:10',
  ],
  [
    'Berlin in October: the first 02:30, and an hour more',
    [berlin('30 2 * * *', { grace: 600 })],
    { last: '10-24 00:30' },
    '10-25 00:30',
    '10-25 01:40',
  ],
  [
    'Berlin in October: a job of the hour that comes twice, after its first run',
    [berlin('30 2 * * *', { grace: 600 })],
    { last: '10-25 00:30' },
    '10-26 01:30',
    '10-26 01:40',
  ],
  [
    'Berlin in October: every half hour runs in both hours',
    [berlin('*/30 * * * *')],
    { last: '10-25 00:30' },
    '10-25 01:00',
    '10-25 02:05',
  ],
  [
    'Berlin: three hours after the change',
    [berlin('0 6 * * *', { grace: 600 })],
    { last: '03-28 05:00' },
    '03-29 04:00',
    '03-29 05:10',
  ],
  [
    'Berlin: later on the same day',
    [berlin('1 6 * * *', { grace: 600 })],
    { last: '03-28 05:01' },
    '03-29 04:01',
    '03-29 04:11',
  ],
  [
    'Berlin: the evening before',
    [berlin('0 23 * * *', { grace: 600 })],
    { last: '03-27 22:00' },
    '03-28 22:00',
    '03-28 22:10',
  ],
  ['New York in March', [newYork('30 2 * * *', { grace: 600 })], { last: '03-07 07:30' }, '03-08 07:00', '03-08 08:10'],
  [
    'New York in November',
    [newYork('30 1 * * *', { grace: 600 })],
    { last: '10-31 05:30' },
    '11-01 05:30',
    '11-01 06:40',
  ],
  [
    'New York in November: the next day',
    [newYork('30 1 * * *', { grace: 600 })],
    { last: '11-01 05:30' },
    '11-02 06:30',
    '11-02 06:40',
  ],
  [
    'Lord Howe in October: half an hour is missing',
    [lordHowe('15 2 * * *', { grace: 600 })],
    { last: '10-02 15:45' },
    '10-03 15:30',
    '10-03 16:40',
  ],
  [
    'Lord Howe in April: half an hour comes twice',
    [lordHowe('45 1 * * *', { grace: 600 })],
    { last: '04-03 14:45' },
    '04-04 14:45',
    '04-04 15:55',
  ],
]

for (const [what, plans, { last, lives = false, woke }, due, until] of table)
  test(what, () => {
    const found = dueRun(plans, {
      last: last === undefined ? undefined : at(last),
      lives,
      woke: woke === undefined ? undefined : at(woke),
    })
    expect({ due: written(found?.due), until: written(found?.until) }).toEqual({ due, until })
    expect(isOverdue(found, found?.until ?? at('12-31 23:59'))).toBe(false)
    expect(isOverdue(found, (found?.until ?? 0) + 1)).toBe(found !== undefined)
  })

test('the next time of a clock comes after now, and an interval that is overdue has none', () => {
  const now = at('11-27 12:00')
  expect(written(nextStart([daily], at('11-24 03:00'), now))).toBe('11-28 03:00')
  expect(written(nextStart([daily], undefined, now))).toBe('11-28 03:00')
  expect(nextStart([every(hour)], at('11-24 03:00'), now)).toBeUndefined()
  expect(written(nextStart([every(hour)], now - 60, now))).toBe('11-27 12:59')
  expect(nextStart([cron('@reboot')], now, now)).toBeUndefined()
})

/** Each row: the schedule, the last start if there was one, now, and the times that people read as next and as due. */
test.each<[string, JobPlan, string | undefined, string, string | undefined, string | undefined]>([
  ['a job of every minute', cron('* * * * *'), '11-25 21:49:00', '11-25 21:49:34', '11-25 21:50', '11-25 21:50'],
  [
    'a job of every minute, a second late',
    cron('* * * * *'),
    '11-25 21:49:01',
    '11-25 21:49:02',
    '11-25 21:50',
    '11-25 21:50',
  ],
  ['a job of every two minutes', cron('*/2 * * * *'), '11-25 21:48:00', '11-25 21:49:34', '11-25 21:50', '11-25 21:50'],
  ['a daily job, within the last minute', daily, '11-25 03:00:00', '11-26 02:59:30', '11-26 03:00', '11-26 03:00'],
  [
    'a daily job that ran by hand before its time',
    daily,
    '11-26 02:58:00',
    '11-26 02:58:30',
    '11-26 03:00',
    '11-26 03:00',
  ],
  ['a daily job that began early', daily, '11-26 02:59:20', '11-26 02:59:30', '11-27 03:00', '11-27 03:00'],
  [
    'two times within a minute of each other',
    cron('0,1 3 * * *'),
    '11-25 03:00:01',
    '11-25 03:00:30',
    '11-25 03:01',
    '11-25 03:01',
  ],
  [
    'a schedule that was given within a minute of it',
    cron('0 3 * * *', { since: at('11-26 02:59:30') }),
    undefined,
    '11-26 02:59:31',
    '11-26 03:00',
    '11-26 03:00',
  ],
  ['an interval of a minute', every(60), '11-25 21:49:00', '11-25 21:49:34', '11-25 21:50', '11-25 21:50'],
  ['an interval that is over', every(60), '11-25 21:49:00', '11-25 21:51:34', undefined, '11-25 21:50'],
])('%s is shown at its next time', (_what, plan, last, now, next, due) => {
  const start = last === undefined ? undefined : at(last)
  expect(written(nextStart([plan], start, at(now)))).toBe(next)
  expect(written(dueRun([plan], { last: start, lives: false })?.shown)).toBe(due)
})

/** A second reader of simple schedules, which looks at each minute in UTC. */
const matches = (
  { minutes, hours }: { minutes: readonly number[]; hours: readonly number[] },
  time: number,
): boolean => {
  const date = new Date(time * 1000)
  return minutes.includes(date.getUTCMinutes()) && hours.includes(date.getUTCHours())
}

test('a job is never overdue before a time of its schedule and the grace have passed', () => {
  const some = (max: number) => fc.uniqueArray(fc.integer({ min: 0, max }), { minLength: 1, maxLength: 4 })
  const start = at('11-24 00:00')
  const scenario = fc.record({
    minutes: some(59),
    hours: some(23),
    last: fc.integer({ min: 0, max: 2 * day }),
    lives: fc.boolean(),
    woke: fc.option(fc.integer({ min: 0, max: 4 * day }), { nil: undefined }),
    grace: fc.option(fc.integer({ min: 1, max: day }), { nil: undefined }),
    passed: fc.integer({ min: 0, max: 3 * day }),
  })
  const property = fc.property(scenario, ({ minutes, hours, last, lives, woke, grace, passed }) => {
    const plan = cron(`${minutes.join()} ${hours.join()} * * *`, { grace })
    const starts = { last: start + last, lives, ...(woke !== undefined && { woke: start + woke }) }
    const now = start + last + passed
    if (!isOverdue(dueRun([plan], starts), now)) return
    const wait = grace ?? 5 * minute
    expect(now).toBeGreaterThan((starts.woke ?? 0) + wait)
    let missed = 0
    for (let time = Math.ceil((starts.last + 61) / minute) * minute; time < now - wait; time += minute)
      if (matches({ minutes, hours }, time)) missed++
    expect(missed).toBeGreaterThanOrEqual(lives ? 2 : 1)
  })
  fc.assert(property, { numRuns: 300 })
})
