import { describe, expect, test } from 'vitest'
import { readCron, scheduleFault, timesEvery } from './schedule.ts'
import { clockText, isZone, nameZone, offsetAt } from './zone.ts'

const at = (iso: string): number => Date.parse(iso) / 1000

/** Returns the first times that match after a start, as UTC times without their seconds. */
function times(cron: string, { zone = 'UTC', from, count }: { zone?: string; from: string; count: number }): string[] {
  const read = readCron(cron, zone)
  if (!read.ok) return [read.why]
  const found: string[] = []
  let next = read.times.due(at(from))
  for (; next !== undefined && found.length < count; next = read.times.after(next))
    found.push(new Date(next * 1000).toISOString().slice(5, 16))
  return found
}

test.each([
  ['0 3 * * *', ['01-01T03:00', '01-02T03:00']],
  ['*/5 * * * *', ['01-01T00:05', '01-01T00:10']],
  ['5-20/5 4 * * *', ['01-01T04:05', '01-01T04:10']],
  ['0 3 * jan-mar mon-fri', ['01-01T03:00', '01-02T03:00']],
  ['0 3 * * SUN', ['01-04T03:00', '01-11T03:00']],
  ['0 3 * * 7', ['01-04T03:00', '01-11T03:00']],
  ['0\t3  * * *', ['01-01T03:00', '01-02T03:00']],
  ['0 3 13 * 5', ['01-02T03:00', '01-09T03:00', '01-13T03:00']],
  ['0 3 */2 * 1', ['01-05T03:00', '01-19T03:00']],
  ['0 3 5 * */2', ['02-05T03:00', '03-05T03:00']],
  ['0 3 29 2 *', ['02-29T03:00', '02-29T03:00']],
  ['@hourly', ['01-01T01:00', '01-01T02:00']],
  ['@daily', ['01-02T00:00', '01-03T00:00']],
  ['@Midnight', ['01-02T00:00', '01-03T00:00']],
  ['@weekly', ['01-04T00:00', '01-11T00:00']],
  ['@monthly', ['02-01T00:00', '03-01T00:00']],
  ['@yearly', ['01-01T00:00', '01-01T00:00']],
  ['@annually', ['01-01T00:00', '01-01T00:00']],
  ['@reboot', []],
])('the times of %s are those of cron', (cron, expected) => {
  expect(times(cron, { from: '2026-01-01T00:00:00Z', count: expected.length })).toEqual(expected)
})

test.each([
  ['60 * * * *', 'cannot be read'],
  ['0 24 * * *', 'cannot be read'],
  ['0 3 0 * *', 'cannot be read'],
  ['0 3 * 13 *', 'cannot be read'],
  ['0 3 * * 8', 'cannot be read'],
  ['*/0 * * * *', 'cannot be read'],
  ['5-1 * * * *', 'cannot be read'],
  ['1,,2 * * * *', 'cannot be read'],
  ['0 3 jan * *', 'cannot be read'],
  ['* * * *', 'five fields: got 4'],
  ['* * * * * *', 'five fields: got 6'],
  ['', 'five fields'],
  ['0 3 L * *', 'cron does not know: got "L"'],
  ['0 3 15W * *', 'cron does not know: got "15W"'],
  ['0 3 * * 1#2', 'cron does not know'],
  ['? 3 * * *', 'cron does not know'],
  ['0 3 * * +1', 'cron does not know'],
  ['0 3 31 2 *', 'gives no date'],
  ['0 3 31 4,6,9,11 *', 'gives no date'],
  ['@weekdays', 'must be one of @reboot @hourly'],
  [`${'9'.repeat(2000)} * * * *`, 'cannot be read'],
])('%s is refused', (cron, says) => {
  expect(scheduleFault(cron, 'UTC')).toContain(says)
})

test('a zone that does not exist is refused', () => {
  expect(scheduleFault('0 3 * * *', 'Europe/Nowhere')).toContain('unknown time zone: got "Europe/Nowhere"')
  expect(isZone('')).toBe(false)
  expect(isZone('Europe/Berlin')).toBe(true)
})

describe('when clocks change, the times are those of cron', () => {
  test.each([
    ['30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', ['03-29T01:00', '03-30T00:30']],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', ['10-25T00:30', '10-26T01:30']],
    ['30 2,14 * * *', 'Europe/Berlin', '2026-10-24T13:00:00Z', ['10-25T00:30', '10-25T13:30']],
    ['0 2-4/2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', ['10-25T00:00', '10-25T03:00']],
    ['*/30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', ['10-25T00:00', '10-25T00:30', '10-25T01:00']],
    ['*/30 * * * *', 'Europe/Berlin', '2026-03-29T00:10:00Z', ['03-29T00:30', '03-29T01:00']],
    ['30 2 * * *', 'America/New_York', '2026-03-07T12:00:00Z', ['03-08T07:00', '03-09T06:30']],
    ['30 1 * * *', 'America/New_York', '2026-10-31T12:00:00Z', ['11-01T05:30', '11-02T06:30']],
    ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-02T16:00:00Z', ['10-03T15:30', '10-04T15:15']],
    ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-03T16:00:00Z', ['04-04T14:45', '04-05T15:15']],
  ])('%s in %s after %s', (cron, zone, from, expected) => {
    expect(times(cron, { zone, from, count: expected.length })).toEqual(expected)
  })
})

test('a run may begin a minute early and still count as the run of its time', () => {
  expect(times('0 3 * * *', { from: '2026-01-01T02:59:00Z', count: 1 })).toEqual(['01-02T03:00'])
  expect(times('0 3 * * *', { from: '2026-01-01T02:58:59Z', count: 1 })).toEqual(['01-01T03:00'])
})

test('an interval is counted from the last start', () => {
  const { due, after } = timesEvery(3600)
  expect([due(1000), after(4600)]).toEqual([4600, 8200])
})

test('the offset of a zone follows its clocks', () => {
  expect(offsetAt('Europe/Berlin', at('2026-03-29T00:59:59Z'))).toBe(3600)
  expect(offsetAt('Europe/Berlin', at('2026-03-29T01:00:00Z'))).toBe(7200)
  expect(offsetAt('Australia/Lord_Howe', at('2026-07-01T00:00:00Z'))).toBe(10.5 * 3600)
  expect(offsetAt('America/New_York', at('2026-07-01T00:00:00.5Z'))).toBe(-4 * 3600)
})

test('times are shown by the clocks of the zone, with the date only if it is another day', () => {
  const now = at('2026-11-25T22:30:00Z')
  const shown = (iso: string) => clockText(at(iso), now, 'Europe/Berlin')
  expect(shown('2026-11-25T02:12:59Z')).toBe('03:12 UTC+1')
  expect(shown('2026-11-25T23:00:00Z')).toBe('26 Nov 00:00 UTC+1')
  expect(shown('2026-11-24T02:00:00Z')).toBe('24 Nov 03:00 UTC+1')
  expect(shown('2025-01-01T12:00:00Z')).toBe('1 Jan 2025 13:00 UTC+1')
  expect(clockText(1e300, now, 'UTC')).toBe('an unknown time')
})

test.each([
  ['UTC', '2026-11-25T02:12:00Z', '02:12 UTC'],
  ['Europe/London', '2026-07-25T02:12:00Z', '03:12 UTC+1'],
  ['Europe/London', '2026-11-25T02:12:00Z', '02:12 UTC'],
  ['America/St_Johns', '2026-11-25T12:00:00Z', '08:30 UTC-3:30'],
  ['America/New_York', '2026-07-25T12:00:00Z', '08:00 UTC-4'],
  ['Asia/Kathmandu', '2026-11-25T02:12:00Z', '07:57 UTC+5:45'],
  ['Pacific/Kiritimati', '2026-11-25T02:12:00Z', '16:12 UTC+14'],
  [nameZone('<+03>-3', () => 3 * 3600), '2026-11-25T02:12:00Z', '05:12 UTC+3'],
])('a time by the clocks of %s at %s is %s', (zone, iso, text) => {
  expect(clockText(at(iso), at(iso), zone)).toBe(text)
})
