import type { Fleet, FleetRow, LiveFrame } from '@svc/api'
import { expect, test } from 'vitest'
import { changesGroups, changesMembers, mergeFrame, readFrame } from './useLive.ts'

const row = (name: string, more: Partial<FleetRow> = {}): FleetRow => ({
  name,
  level: 'ok',
  label: null,
  detail: null,
  seenAt: 1_000,
  silentAt: 91_000,
  stopped: null,
  statusAt: null,
  statusOld: false,
  statusLate: false,
  secretsMissing: false,
  doing: null,
  version: null,
  controls: [],
  host: null,
  tags: [],
  alerts: { open: 0, acknowledged: 0 },
  costToday: null,
  cost30: null,
  updates: {
    blueprint: null,
    wished: null,
    wishState: 'none',
    runtime: null,
    runtimeWished: null,
    runtimeWishState: 'none',
    runtimeHeld: false,
    runtimeOutdated: false,
    runtimePinned: null,
  },
  ...more,
})
const counts = { ok: 2, info: 0, warn: 0, bad: 0, silent: 0, stopped: 0, never: 0, all: 2 }
const standing = {
  ...{ bad: 0, silent: 0, warn: 0, stopped: 0, never: 0, noLevel: 0, late: 0 },
  ...{ rolledBack: 0, failed: 0, held: 0, halted: 0 },
}
const sums = { counts, standing, costToday: null, cost30: null }
const fleet: Fleet = { now: 1_000, total: 2, of: 2, rows: [row('a'), row('b')], ...sums }
const frame = (...rows: FleetRow[]): LiveFrame => ({
  now: 5_000,
  rows,
  changed: [],
  list: false,
  alerts: false,
  more: false,
})

test('a report changes its row in place; the order and the other rows stay', () => {
  const merged = mergeFrame(fleet, frame(row('b', { label: 'Working', seenAt: 4_900 })))
  expect(merged.rows.map(({ name, label }) => [name, label])).toEqual([
    ['a', null],
    ['b', 'Working'],
  ])
  expect(merged.rows[0]).toBe(fleet.rows[0])
  expect(merged.now).toBe(5_000)
})

test('a frame about agents that are not on screen changes nothing', () => {
  expect(mergeFrame(fleet, frame(row('z')))).toBe(fleet)
})

test.each<[string, Fleet, FleetRow, boolean]>([
  ['the same level', fleet, row('a', { seenAt: 4_000, silentAt: 94_000 }), false],
  ['another level', fleet, row('a', { level: 'bad' }), true],
  ['its first report', { ...fleet, rows: [row('a', { seenAt: null, silentAt: null, level: null })] }, row('a'), true],
  ['a status that grew too old', fleet, row('a', { statusLate: true }), true],
  [
    'an update that was rolled back',
    fleet,
    row('a', { updates: { ...row('a').updates, wishState: 'rolled_back' } }),
    true,
  ],
  ['an update under way', fleet, row('a', { updates: { ...row('a').updates, wishState: 'trying' } }), false],
  ['a stop on its machine', fleet, row('a', { stopped: 'person', silentAt: 1_000 }), true],
  ['back from silence', { ...fleet, now: 95_000 }, row('a', { silentAt: 190_000 }), true],
])('with %s the counts are asked for again: %4$s', (_what, before, after, again) => {
  expect(changesGroups(before, { ...frame(after), now: before.now })).toBe(again)
})

test.each<[string, number, boolean, FleetRow[]]>([
  ['went offline since', 91_000, true, []],
  ['is due in a moment', 90_999, false, []],
  ['was due, and reports in this frame', 91_000, false, [row('a', { silentAt: 181_000 })]],
])('when an agent that is shown %s, the counts are asked for again: %3$s', (_what, now, again, reports) => {
  const before = { ...fleet, rows: [row('a'), row('b', { silentAt: 200_000 })] }
  expect(changesGroups(before, { ...frame(...reports), now })).toBe(again)
})

test.each(['', '{', 'null', '[]', '{"rows": []}', '7'])('%j is not a frame', (text) => {
  expect(readFrame(text)).toBeUndefined()
})

test('parts that a frame leaves out are empty', () => {
  expect(readFrame('{"now": 7}')).toEqual({ now: 7, rows: [], changed: [], list: false, alerts: false, more: false })
})

const isSlow = ({ label }: FleetRow) => label === 'Slow'
test.each<[what: string, total: number, FleetRow, moves: boolean]>([
  ['a row on screen still fits', 2, row('a', { label: 'Slow' }), false],
  ['a row on screen no longer fits', 2, row('a', { label: 'Fast' }), true],
  ['another agent fits now', 2, row('c', { label: 'Slow' }), true],
  ['another agent does not fit', 2, row('c'), false],
  ['an agent fits that may be in a part of the list that is not loaded', 300, row('c', { label: 'Slow' }), false],
])('the list of a filter is loaded again if its agents changed: %s', (_what, total, fresh, moves) => {
  expect(changesMembers({ ...fleet, total }, frame(fresh), isSlow)).toBe(moves)
})
