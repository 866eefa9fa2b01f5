import { expect, test } from 'vitest'
import { endedOffline, levelChangeOf } from './rules.ts'

const at = 1_000_000_000
const facts = (paused: boolean | undefined) => JSON.stringify({ paused, settings: {}, version: '1.0.0' })
const ok = { level: 'ok', label: 'Idle' } as const
const bad = { level: 'bad', label: 'Broken' } as const
const none = { level: null, label: null }
const last = { received_at: at, interval_s: 30, stopped: null, boot: null, seq: null, reporters: '', runs_kept: 0 }

test.each([
  ['the first report', ok, false, undefined, null, { at, ...ok, paused: 0 }],
  ['the first report of a paused agent', ok, true, undefined, null, { at, ...ok, paused: 1 }],
  ['the same level', ok, false, 'ok', facts(false), undefined],
  ['the same level with another label', { ...ok, label: 'Busy' }, false, 'ok', facts(false), undefined],
  ['another level', bad, false, 'ok', facts(false), { at, ...bad, paused: 0 }],
  ['a pause that changes the level', bad, true, 'ok', facts(false), { at, ...bad, paused: 1 }],
  ['a pause that leaves the level', ok, true, 'ok', facts(false), { at, ...ok, paused: 1 }],
  ['a pause that goes on', ok, true, 'ok', facts(true), undefined],
  ['the end of a pause', ok, false, 'ok', facts(true), { at, ...ok, paused: 0 }],
  ['the end of a pause, with another level', bad, false, 'ok', facts(true), { at, ...bad, paused: 0 }],
  ['facts without a pause', ok, false, 'ok', facts(undefined), undefined],
  ['facts of an earlier version', ok, false, 'ok', null, undefined],
  ['a level after a report without one', ok, false, null, facts(false), { at, ...ok, paused: 0 }],
  ['no level', none, false, 'ok', facts(false), undefined],
  ['a pause without a level', none, true, null, facts(false), undefined],
] as const)('the row of a level or pause: %s', (_, columns, paused, level, before, row) => {
  const rows = { last: level === undefined ? undefined : { ...last, level }, facts: before }
  expect(levelChangeOf(columns, paused, rows, at)).toEqual(row)
})

const seconds = (n: number) => at + n * 1000
test.each([
  ['the first report', undefined, 0, undefined],
  ['a report in time', { interval_s: 30, stopped: null }, 90, undefined],
  ['a report a millisecond late', { interval_s: 30, stopped: null }, 90.001, [90, 90.001, null]],
  ['a short interval: offline after 90 s', { interval_s: 5, stopped: null }, 100, [90, 100, null]],
  ['a long interval: offline after three', { interval_s: 300, stopped: null }, 899, undefined],
  ['and after three and a bit', { interval_s: 300, stopped: null }, 901, [900, 901, null]],
  ['stopped by a person', { interval_s: 30, stopped: 'person' }, 20, [0, 20, 'person']],
  ['stopped by a signal', { interval_s: 300, stopped: 'signal' }, 2000, [0, 2000, 'signal']],
  ['a report in the same millisecond as the stop', { interval_s: 30, stopped: 'person' }, 0, undefined],
  ['a clock that went back', { interval_s: 30, stopped: null }, -3600, undefined],
  ['a clock that went back after a stop', { interval_s: 30, stopped: 'signal' }, -3600, undefined],
] as const)('the time offline that a report ends: %s', (_, before, after, row) => {
  expect(endedOffline(before && { received_at: at, ...before }, seconds(after))).toEqual(
    row && { from_at: seconds(row[0]), until_at: seconds(row[1]), stopped: row[2] },
  )
})
