import { expect, test } from 'vitest'
import { endOfHours, nextTime, readHours, windowAt, writeHours } from './hours.ts'

const read = (text: string) => {
  const hours = readHours(text)
  if (!hours.ok) throw new Error(hours.message)
  return hours.value
}
const utc = (text: string) => Date.parse(`${text}Z`)
const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString().slice(0, 16))
const within = (text: string, at: string) => {
  const window = windowAt(read(text), utc(at))
  return window && [iso(window.from), iso(window.to)]
}

test.each([
  ['weekdays 08:00-19:00 Europe/Berlin', 'weekdays 08:00-19:00 Europe/Berlin'],
  ['weekdays 08:00–19:00 Europe/Berlin', 'weekdays 08:00-19:00 Europe/Berlin'],
  ['Daily 22:00-06:00 UTC', 'daily 22:00-06:00 UTC'],
  ['mon,WED-fri 00:00-00:00 Asia/Kolkata', 'Mon,Wed,Thu,Fri 00:00-00:00 Asia/Kolkata'],
  ['Sat-Sun 10:00-12:30 UTC', 'weekends 10:00-12:30 UTC'],
  ['Fri-Mon 10:00-12:30 UTC', 'Mon,Fri,Sat,Sun 10:00-12:30 UTC'],
])('hours may be written "%s"', (text, again) => expect(writeHours(read(text))).toBe(again))

test.each([
  ['weekdays 8-19 Europe/Berlin', 'Hours are days, two times and a time zone'],
  ['weekdays 08:00-24:00 UTC', 'Hours are days'],
  ['workdays 08:00-19:00 UTC', 'Hours are days'],
  ['Mon- 08:00-19:00 UTC', 'Hours are days'],
  ['weekdays 08:00-19:00', 'The time zone must be one such as Europe/Berlin'],
  ['weekdays 08:00-19:00 Berlin', 'got "Berlin"'],
  ['weekdays 08:00-19:00 +02:00', 'got "+02:00"'],
  ['weekdays 08:00-19:00 UTC please', 'Hours are days'],
])('the hours "%s" are refused', (text, says) => {
  const verdict = readHours(text)
  expect(verdict.ok ? '' : verdict.message).toContain(says)
})

test.each<[string, string, string, string[] | undefined]>([
  // 22 November 2026 is a Sunday.
  ['daily 08:00-19:00 UTC', 'from their first moment', '2026-11-22T08:00', ['2026-11-22T08:00', '2026-11-22T19:00']],
  ['daily 08:00-19:00 UTC', 'not after their last', '2026-11-22T19:00', undefined],
  ['weekdays 08:00-19:00 UTC', 'not on a Sunday', '2026-11-22T12:00', undefined],
  [
    'weekdays 08:00-19:00 Europe/Berlin',
    'by the clock of the zone',
    '2026-11-23T07:00',
    ['2026-11-23T07:00', '2026-11-23T18:00'],
  ],
  ['daily 22:00-06:00 UTC', 'across midnight', '2026-11-22T05:59', ['2026-11-21T22:00', '2026-11-22T06:00']],
  [
    'Sat 22:00-06:00 UTC',
    'on the morning after their day',
    '2026-11-22T05:59',
    ['2026-11-21T22:00', '2026-11-22T06:00'],
  ],
  ['Sun 22:00-06:00 UTC', 'not on the morning of their day', '2026-11-22T05:59', undefined],
  ['Sun 00:00-00:00 UTC', 'for a whole day', '2026-11-22T23:59', ['2026-11-22T00:00', '2026-11-23T00:00']],
  // The clocks of Berlin go back from 03:00 to 02:00 on 25 October 2026, and forward from 02:00 to 03:00 on 29 March
  // 2026.
  [
    'daily 22:00-06:00 Europe/Berlin',
    'for nine hours when the clocks go back',
    '2026-10-25T00:30',
    ['2026-10-24T20:00', '2026-10-25T05:00'],
  ],
  [
    'daily 22:00-06:00 Europe/Berlin',
    'for seven hours when they go forward',
    '2026-03-29T00:30',
    ['2026-03-28T21:00', '2026-03-29T04:00'],
  ],
  [
    'daily 02:30-04:00 Europe/Berlin',
    'from the first 02:30 of two',
    '2026-10-25T00:45',
    ['2026-10-25T00:30', '2026-10-25T03:00'],
  ],
  [
    'daily 02:30-04:00 Europe/Berlin',
    'though their beginning was left out',
    '2026-03-29T01:45',
    ['2026-03-29T01:30', '2026-03-29T02:00'],
  ],
])('%s: %s', (hours, _when, at, window) => expect(within(hours, at)).toEqual(window))

test('quiet hours end when no window follows at once', () => {
  const end = (hours: string, at: string) => iso(endOfHours(read(hours), utc(at)))
  expect(end('daily 22:00-07:00 UTC', '2026-11-22T23:00')).toBe('2026-11-23T07:00')
  expect(end('daily 22:00-07:00 UTC', '2026-11-22T12:00')).toBe('2026-11-22T12:00')
  expect(end('weekends 00:00-00:00 UTC', '2026-11-21T12:00')).toBe('2026-11-23T00:00')
  expect(end('daily 00:00-00:00 UTC', '2026-11-21T12:00')).toBeUndefined()
})

test('the next 08:00 is the one of the zone, also after a change of the clocks', () => {
  const next = (days: number[], at: string) => iso(nextTime({ days, from: 480, zone: 'Europe/Berlin' }, utc(at)))
  const daily = [1, 2, 3, 4, 5, 6, 7]
  expect(next(daily, '2026-10-24T06:00')).toBe('2026-10-25T07:00')
  expect(next(daily, '2026-10-24T05:59')).toBe('2026-10-24T06:00')
  expect(next([1], '2026-11-23T07:00')).toBe('2026-11-30T07:00')
})

test('stored hours in a zone that this node does not know are hours in UTC', () => {
  const hours = { days: [1, 2, 3, 4, 5, 6, 7], from: 480, to: 600 }
  const windows = ['Mars/Olympus', '', 'UTC'].map((zone) => windowAt({ ...hours, zone }, utc('2026-11-25T09:00')))
  expect(windows[0]).toEqual(windows[2])
  expect(windows[1]).toEqual(windows[2])
})
