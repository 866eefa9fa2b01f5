import { expect, test } from 'vitest'
import { readHours } from './hours.ts'
import type { Alert } from './judge.ts'
import { type DueMessage, isEscalating, type PersonPreferences, personalSendTime } from './routing.ts'

const utc = (text: string) => Date.parse(`${text}Z`)
const hours = (text: string) => {
  const read = readHours(text)
  if (!read.ok) throw new Error(read.message)
  return read.value
}
const bad: DueMessage = { rule: 'silent', level: 'bad', type: 'alert.opened' }
const warn: DueMessage = { rule: 'binding', level: 'warn', type: 'alert.opened' }
const night = hours('daily 22:00-07:00 Europe/Berlin')
const preferences = (more: Partial<PersonPreferences> = {}): PersonPreferences => ({
  rules: null,
  pace: 'at_once',
  quiet: null,
  badPasses: false,
  zone: 'Europe/Berlin',
  ...more,
})
const sent = (more: Partial<PersonPreferences>, at: string, due: DueMessage = bad) => {
  const time = personalSendTime(preferences(more), due, utc(at))
  return time === undefined ? undefined : new Date(time).toISOString().slice(0, 16)
}

test.each<[string, Partial<PersonPreferences>, string, DueMessage, string | undefined]>([
  ['at once', {}, '2026-11-22T23:00', bad, '2026-11-22T23:00'],
  ['only for the rules that the person chose', { rules: ['bad'] }, '2026-11-22T23:00', bad, undefined],
  ['in a daily digest at 08:00 of the zone', { pace: 'daily' }, '2026-11-22T07:01', bad, '2026-11-23T07:00'],
  ['in a weekly one on Monday', { pace: 'weekly' }, '2026-11-24T12:00', bad, '2026-11-30T07:00'],
  ['after the quiet hours, across midnight', { quiet: night }, '2026-11-22T21:30', bad, '2026-11-23T06:00'],
  ['at once before they begin', { quiet: night }, '2026-11-22T20:59', bad, '2026-11-22T20:59'],
  [
    'at once in them where bad may pass',
    { quiet: night, badPasses: true },
    '2026-11-22T23:00',
    bad,
    '2026-11-22T23:00',
  ],
  [
    'after them where only bad may pass',
    { quiet: night, badPasses: true },
    '2026-11-22T23:00',
    warn,
    '2026-11-23T06:00',
  ],
  ['after them in the night of summer time', { quiet: night }, '2026-10-24T22:00', bad, '2026-10-25T06:00'],
  [
    'with the digest where it is always quiet',
    { quiet: hours('daily 00:00-00:00 UTC') },
    '2026-11-22T12:00',
    bad,
    '2026-11-23T07:00',
  ],
  [
    'in a digest that falls into quiet hours after them',
    { pace: 'daily', quiet: hours('daily 07:00-09:00 Europe/Berlin') },
    '2026-11-22T12:00',
    bad,
    '2026-11-23T08:00',
  ],
])('a personal channel is sent %s', (_when, more, at, due, time) => expect(sent(more, at, due)).toBe(time))

const now = utc('2026-11-22T14:00')
const alert = (more: Partial<Alert> = {}): Alert => ({
  phase: 'open',
  phaseSince: now,
  since: now,
  level: 'bad',
  label: null,
  openings: [now],
  unsteadySince: null,
  openedAt: now,
  endedAt: null,
  acknowledged: null,
  told: 'open',
  toldAt: now,
  reminders: 0,
  frozen: false,
  muted: false,
  ...more,
})
const after = { after: 15 * 60_000, channels: ['boss'] }

test('a second set of channels gets an alert that nobody acknowledged in time', () => {
  expect(isEscalating(after, alert(), now + after.after - 1)).toBe(false)
  expect(isEscalating(after, alert(), now + after.after)).toBe(true)
})

test.each<[string, Partial<Alert>]>([
  ['that somebody acknowledged', { acknowledged: { by: 'Ada', at: now, note: null } }],
  ['that is muted', { muted: true }],
  ['that is unsteady', { unsteadySince: now, told: 'unsteady' }],
  ['that is only pending', { phase: 'pending', openedAt: null, told: 'nothing' }],
])('an alert %s does not escalate', (_which, more) => {
  expect(isEscalating(after, alert(more), now + 10 * after.after)).toBe(false)
})
