import { expect, test } from 'vitest'
import { firstHours, hoursFormErrors, hoursSentence, readHours, writeHours } from './hours.ts'

const after = 'Outside of these hours it may be offline without an alert.'

test.each([
  [null, 'Expected to report at all times.'],
  [
    'weekdays 08:00-19:00 Europe/Berlin',
    `Expected to report on weekdays from 08:00 to 19:00 (Europe/Berlin). ${after}`,
  ],
  ['daily 00:00-00:00 UTC', `Expected to report every day all day (UTC). ${after}`],
  ['daily 06:00-06:00 UTC', `Expected to report every day for 24 hours from 06:00 (UTC). ${after}`],
  ['weekends 22:00-06:00 UTC', `Expected to report at weekends from 22:00 to 06:00 of the next day (UTC). ${after}`],
  ['Sun 10:00-11:00 UTC', `Expected to report on Sundays from 10:00 to 11:00 (UTC). ${after}`],
  [
    'Mon,Wed,Fri 10:00-11:00 UTC',
    `Expected to report on Mondays, Wednesdays and Fridays from 10:00 to 11:00 (UTC). ${after}`,
  ],
  ['fortnightly 10:00-11:00 UTC', 'Expected to report: fortnightly 10:00-11:00 UTC.'],
])('the hours %j are a sentence', (text, sentence) => expect(hoursSentence(text)).toBe(sentence))

test.each([
  ['weekdays 08:00-19:00 Europe/Berlin', 'Mon,Tue,Wed,Thu,Fri 08:00-19:00 Europe/Berlin'],
  ['Mon,Sat 22:00-06:00 UTC', 'Mon,Sat 22:00-06:00 UTC'],
])('the form of %s, sent unchanged, keeps the hours', (text, sent) => {
  const values = readHours(text)
  expect(values && writeHours(values)).toBe(sent)
})

test('days are sent in the order of the week, whatever the order in which they were chosen', () => {
  const values = { ...firstHours(' Europe/Berlin '), days: ['Sun', 'Mon'] }
  expect(writeHours(values)).toBe('Mon,Sun 08:00-19:00 Europe/Berlin')
})

test.each(['', 'weekdays', 'weekdays 8-19 UTC', 'Mon-Fri 08:00-19:00 UTC', ' 08:00-19:00 UTC'])(
  'the text %j is not read as hours',
  (text) => expect(readHours(text)).toBeNull(),
)

test('each wrong value has a sentence', () => {
  expect([hoursFormErrors.days([]), hoursFormErrors.days(['Mon'])]).toEqual(['Choose at least one day.', null])
  expect([hoursFormErrors.from(''), hoursFormErrors.to('08:00')]).toEqual(['Enter a time.', null])
  const zones = ['', ' ', 'New York', ' Europe/Berlin '].map(hoursFormErrors.zone)
  const wrong = 'Enter a time zone such as America/New_York.'
  expect(zones).toEqual([wrong, wrong, wrong, null])
})
