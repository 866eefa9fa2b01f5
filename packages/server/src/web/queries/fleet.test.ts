import type { FleetRow } from '@svc/api'
import { expect, test } from 'vitest'
import { runWithoutPauses, type SlicedWork } from '../../platform/http/slices.ts'
import { filterOf } from './filter.ts'
import { fleetFacets, fleetNames, fleetPage as slicedPage } from './fleet.ts'

const now = 1_000_000
const fleetPage = (...of: Parameters<typeof slicedPage>) => runWithoutPauses(slicedPage(...of))
const moment = { now, halted: 0 }
const later = now + 1
const row = (
  name: string,
  level: FleetRow['level'],
  silentAt: number | null,
  more: Partial<FleetRow> = {},
): [string, FleetRow] => [
  name,
  {
    name,
    level,
    silentAt,
    seenAt: silentAt === null ? null : 1,
    stopped: null,
    statusOld: false,
    statusLate: false,
    secretsMissing: false,
    tags: [],
    updates: { wishState: 'none', runtimeWishState: 'none', runtimeHeld: false },
    ...more,
  } as FleetRow,
]
const fleet = new Map([
  row('fine', 'ok', later),
  row('silent-since-fine', 'ok', now),
  row('silent-since-bad', 'bad', now),
  row('silent-without-a-level', null, now),
  row('warns', 'warn', later),
  row('bad', 'bad', later),
  row('new', null, null),
])
const names = (desc: boolean) => {
  return fleetPage(fleet, { ...view, sort: 'level', desc }, moment).rows.map(({ name }) => name)
}
const view = { filter: [], offset: 0, limit: 200 }
const filtered = (text: string) => ({ ...view, filter: filterOf({ q: text }) })

test('the fleet is sorted by trouble: bad, then offline whatever the last level, then warnings, then agents that are well; new ones last', () => {
  const silent = ['silent-since-fine', 'silent-without-a-level']
  expect(names(true)).toEqual(['bad', 'silent-since-bad', ...silent, 'warns', 'fine', 'new'])
  expect(names(false)).toEqual(['fine', 'warns', ...silent, 'bad', 'silent-since-bad', 'new'])
})

test('an agent whose status is too old, or that lacks secrets, counts and sorts as a warning, whatever it reported last (D65)', () => {
  const frozen = new Map([
    row('frozen', 'ok', later, { statusLate: true }),
    row('frozen-bad', 'bad', later, { statusLate: true }),
    row('without-secrets', 'info', later, { secretsMissing: true }),
    row('fine', 'ok', later),
  ])
  const { counts, rows } = fleetPage(frozen, { ...view, sort: 'level', desc: true }, moment)
  expect(counts).toMatchObject({ ok: 1, warn: 2, bad: 1, all: 4 })
  expect(rows.map(({ name }) => name)).toEqual(['frozen-bad', 'frozen', 'without-secrets', 'fine'])
  const warns = fleetPage(frozen, { ...filtered('level:warn'), sort: 'name', desc: false }, moment)
  expect(warns.rows.map(({ name }) => name)).toEqual(['frozen', 'without-secrets'])
})

test('an agent that was stopped on its machine counts as stopped, not as offline (D66)', () => {
  const some = new Map([row('stopped', 'info', now, { stopped: 'person' }), row('silent', 'ok', now)])
  const { counts } = fleetPage(some, { ...view, sort: 'name', desc: false }, moment)
  expect(counts).toMatchObject({ stopped: 1, silent: 1, all: 2 })
  const stopped = fleetPage(some, { ...filtered('is:stopped'), sort: 'name', desc: false }, moment)
  expect(stopped.rows.map(({ name }) => name)).toEqual(['stopped'])
})

test('the counts follow the filter without the terms of chips; the standing follows no filter', () => {
  const some = new Map([
    row('mail-1', 'bad', later),
    row('mail-2', 'ok', later),
    row('link-1', 'bad', later),
    row('link-2', 'warn', now),
  ])
  const asked = (text: string) => fleetPage(some, { ...filtered(text), sort: 'name', desc: false }, moment)
  const { total, of, counts, standing } = asked('mail level:ok')
  expect([total, of]).toEqual([1, 4])
  expect(counts).toEqual({ ok: 1, info: 0, warn: 0, bad: 1, silent: 0, stopped: 0, never: 0, all: 2 })
  expect(standing).toMatchObject({ bad: 2, warn: 1, silent: 1 })
  expect(asked('"mail slow"').counts).toMatchObject({ bad: 0, all: 0 })
  expect(asked('').counts).toMatchObject({ bad: 2, all: 4 })
})

const updates = (more: object) => ({ wishState: 'none', runtimeWishState: 'none', runtimeHeld: false, ...more })
test.each<[string, FleetRow['level'], object, object]>([
  ['an agent without a level', null, {}, { noLevel: 1 }],
  ['a stopped agent without a level', null, { stopped: 'person' }, { stopped: 1 }],
  ['a late status file', 'ok', { statusLate: true }, { late: 1, warn: 1 }],
  ['an update that was rolled back', 'ok', { updates: updates({ wishState: 'rolled_back' }) }, { rolledBack: 1 }],
  ['an update that failed', 'ok', { updates: updates({ wishState: 'failed' }) }, { failed: 1 }],
  ['a version on hold', 'ok', { updates: updates({ wishState: 'held' }) }, { held: 1 }],
  ['a runtime on hold', 'ok', { updates: updates({ runtimeWishState: 'failed', runtimeHeld: true }) }, { failed: 1 }],
  ['an update under way', 'ok', { updates: updates({ wishState: 'trying' }) }, {}],
])('the standing of the fleet counts %s', (_what, level, more, stands) => {
  const { standing } = fleetPage(
    new Map([row('fine', 'ok', later), row('one', level, later, more)]),
    { ...view, sort: 'name', desc: false },
    { now, halted: 3 },
  )
  const none = {
    bad: 0,
    silent: 0,
    warn: 0,
    stopped: 0,
    never: 0,
    noLevel: 0,
    late: 0,
    rolledBack: 0,
    failed: 0,
    held: 0,
  }
  expect(standing).toEqual({ ...none, ...stands, halted: 3 })
})

test('a negated term that excludes no agent is named by its place', () => {
  const { idle, total } = fleetPage(
    fleet,
    { ...filtered('-host:“mail” -level:bad'), sort: 'name', desc: false },
    moment,
  )
  expect([idle, total]).toEqual([[{ at: 0, length: 12 }], 5])
  expect(fleetPage(fleet, { ...filtered('-level:bad'), sort: 'name', desc: false }, moment)).not.toHaveProperty('idle')
})

const many = new Map(
  Array.from({ length: 3200 }, (_, i) =>
    row(`agent-${i}`, 'ok', later, { tags: [`a${i}`, `b${i}`], version: `1.${i}.0` }),
  ),
)
const { filter } = filtered('-tag:*1*2 -agent-77')
test.each<[what: string, work: () => SlicedWork<unknown>]>([
  ['the list', () => slicedPage(many, { ...view, filter, sort: 'name', desc: false }, moment)],
  ['the list by version', () => slicedPage(many, { ...view, filter, sort: 'version', desc: true }, moment)],
  ['the names', () => fleetNames(many, { filter }, now)],
  ['the facets', () => fleetFacets(many, filter, now)],
])('making %s of many agents can be interrupted every few rows, since a filter may take long', (_what, work) => {
  const steps = work()
  let pauses = 0
  while (!steps.next().done) pauses++
  expect(pauses).toBeGreaterThanOrEqual(many.size / 32)
})
