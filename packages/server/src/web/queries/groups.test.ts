import type { FleetRow } from '@svc/api'
import { type Grouping, mapStates } from '@svc/api/filter'
import { expect, test } from 'vitest'
import { runWithoutPauses } from '../../platform/http/slices.ts'
import { filterOf } from './filter.ts'
import { fleetNames, fleetPage } from './fleet.ts'
import { fleetGroups, fleetMap } from './groups.ts'

const now = 1_000_000
const later = now + 1
const row = (name: string, level: FleetRow['level'], more: Partial<FleetRow> = {}): [string, FleetRow] => [
  name,
  {
    ...{ name, level, silentAt: later, seenAt: 1, stopped: null, statusLate: false, secretsMissing: false },
    ...{ label: null, host: null, tags: [], costToday: null, cost30: null },
    ...{ updates: { blueprint: null, wishState: 'none', runtimeWishState: 'none', runtimeHeld: false } },
    ...more,
  } as FleetRow,
]
const fleet = new Map([
  row('a', 'ok', { tags: ['eu', 'prod'], host: 'north' }),
  row('b', 'ok', { tags: ['eu'], silentAt: now, host: 'north' }),
  row('c', 'warn', { tags: ['prod'], host: 'south' }),
  row('d', 'bad', { tags: ['us'] }),
  row('e', null, { silentAt: null, seenAt: null }),
  row('f', 'info', { label: 'Paused', host: '' }),
])
const groups = (by: Grouping, q = '') => runWithoutPauses(fleetGroups(fleet, filterOf({ q }), by, now))
const short = (by: Grouping, q?: string) =>
  groups(by, q).groups.map(({ value, agents, worst }) => [value, agents, worst])

test('groups come with the worst first, then the largest, and agents without a value last', () => {
  expect(short('tag')).toEqual([
    ['us', 1, 'bad'],
    ['eu', 2, 'offline'],
    ['prod', 2, 'warn'],
    [null, 2, 'info'],
  ])
  expect(short('host')).toEqual([
    ['north', 2, 'offline'],
    ['south', 1, 'warn'],
    [null, 3, 'bad'],
  ])
  expect(short('blueprint')).toEqual([[null, 6, 'bad']])
})

test('an agent with two tags is in both groups and counts once in the sum', () => {
  const { total, groups: all } = groups('tag', 'tag:*')
  expect(total).toBe(4)
  expect(all.reduce((sum, { agents }) => sum + agents, 0)).toBe(5)
  expect(all.find(({ value }) => value === 'eu')?.counts).toEqual({
    ...{ ok: 2, info: 0, warn: 0, bad: 0, silent: 1, stopped: 0, never: 0 },
  })
  const inStates = (state: (typeof mapStates)[number]) =>
    all.find(({ value }) => value === 'eu')?.states?.[mapStates.indexOf(state)]
  expect([inStates('ok'), inStates('offline'), inStates('warn')], 'each agent is in one state').toEqual([1, 1, 0])
})

test('the costs of a group are those of its agents, and unknown if no run named one', () => {
  const paid = new Map([
    row('a', 'ok', { host: 'north', costToday: 0.1 }),
    row('b', 'ok', { host: 'north', costToday: 0.2 }),
    row('c', 'ok', { host: 'south' }),
  ])
  const { groups: all } = runWithoutPauses(fleetGroups(paid, [], 'host', now))
  expect(all.map(({ value, costToday }) => [value, costToday])).toEqual([
    ['north', 0.3],
    ['south', null],
  ])
})

test('a filter that names a tag shows the other tags of its agents, too', () => {
  expect(short('tag', 'tag:eu')).toEqual([
    ['eu', 2, 'offline'],
    ['prod', 1, 'ok'],
  ])
})

test('the list has the rows of one group, whatever the filter', () => {
  const rows = (by: Grouping, value: string | null, q = '') => {
    const query = { ...{ filter: filterOf({ q }), group: { by, value } }, ...{ offset: 0, limit: 200, desc: false } }
    const page = runWithoutPauses(fleetPage(fleet, { ...query, sort: 'name' }, { now, halted: 0 }))
    const names = page.rows.map(({ name }) => name)
    expect(runWithoutPauses(fleetNames(fleet, query, now))).toEqual({ names, total: page.total })
    return [page.total, names, page.counts.all]
  }
  expect(rows('tag', 'prod')).toEqual([2, ['a', 'c'], 6])
  expect(rows('tag', 'prod', 'tag:eu')).toEqual([1, ['a'], 2])
  expect(rows('tag', null)).toEqual([2, ['e', 'f'], 6])
  expect(rows('host', null)).toEqual([3, ['d', 'e', 'f'], 6])
})

test('the map has a square for each agent with its state and the places of its groups', () => {
  const map = runWithoutPauses(fleetMap(fleet, [], 'tag', now))
  expect(map.groups).toEqual(short('tag').map(([value]) => value))
  expect(map.squares.map(([name, state, ...places]) => [name, mapStates[state], ...places])).toEqual([
    ['a', 'ok', 1, 2],
    ['b', 'offline', 1],
    ['c', 'warn', 2],
    ['d', 'bad', 0],
    ['e', 'never', 3],
    ['f', 'paused', 3],
  ])
  expect(runWithoutPauses(fleetMap(fleet, filterOf({ q: 'level:bad' }), undefined, now))).toEqual({
    ...{ total: 1, groups: [], squares: [['d', 0]] },
  })
})
