import type { FleetRow } from '@svc/api'
import { expect, test } from 'vitest'
import { fleetPage } from './fleet.ts'

const now = 1_000_000
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
    statusLate: false,
    secretsMissing: false,
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
  return fleetPage(fleet, { ...view, sort: 'level', desc }, now).rows.map(({ name }) => name)
}
const view = { search: undefined, level: undefined, silent: undefined, stopped: undefined, offset: 0, limit: 200 }

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
  const { counts, rows } = fleetPage(frozen, { ...view, sort: 'level', desc: true }, now)
  expect(counts).toMatchObject({ ok: 1, warn: 2, bad: 1, all: 4 })
  expect(rows.map(({ name }) => name)).toEqual(['frozen-bad', 'frozen', 'without-secrets', 'fine'])
  const warns = fleetPage(frozen, { ...view, level: 'warn', sort: 'name', desc: false }, now)
  expect(warns.rows.map(({ name }) => name)).toEqual(['frozen', 'without-secrets'])
})

test('an agent that was stopped on its machine counts as stopped, not as offline (D66)', () => {
  const some = new Map([row('stopped', 'info', now, { stopped: 'person' }), row('silent', 'ok', now)])
  const { counts } = fleetPage(some, { ...view, sort: 'name', desc: false }, now)
  expect(counts).toMatchObject({ stopped: 1, silent: 1, all: 2 })
  const stopped = fleetPage(some, { ...view, stopped: true, sort: 'name', desc: false }, now)
  expect(stopped.rows.map(({ name }) => name)).toEqual(['stopped'])
})
