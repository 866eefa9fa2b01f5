import type { FleetRow, ProblemCounts } from '@svc/api'
import { parseFilter } from '@svc/api/filter'
import { expect, test } from 'vitest'
import {
  agentCountText,
  fleetQueryOf,
  isOldAddress,
  nextOfflineAt,
  problemsOf,
  readFleetSearch,
  urgentText,
  windowOffsetsOf,
} from './search.ts'
import { type FleetSearch, orderAfterPress, orderText, searchFor } from './state.ts'

test('an address without parameters sorts the worst agents first', () => {
  expect(fleetQueryOf({}, '')).toMatchObject({ sort: 'level', desc: true })
})

test.each<[old: Record<string, unknown>, read: FleetSearch]>([
  [{}, {}],
  [{ q: ' mail  "a b" ' }, { q: 'mail  "a b"' }],
  [
    { q: 'true', reverse: true, sort: 'name' },
    { q: 'true', reverse: true, sort: 'name' },
  ],
  [{ sort: 'nothing', reverse: 'yes' }, {}],
  [{ search: 'mail slow' }, { q: '"mail slow"' }],
  [
    { search: '1.10', sort: 'seen' },
    { q: '"1.10"', sort: 'seen' },
  ],
  [{ search: 'say "hi"' }, { q: '"say \\"hi\\""' }],
  [{ show: 'bad' }, { q: 'level:bad' }],
  [{ show: 'silent' }, { q: 'is:offline' }],
  [{ show: 'stopped' }, { q: 'is:stopped' }],
  [{ show: 'never' }, { q: 'is:never' }],
  [{ show: 'green' }, {}],
  [{ level: 'warn', silent: false }, { q: 'level:warn -is:offline' }],
  [{ silent: true, stopped: true }, { q: 'is:offline is:stopped' }],
  [{ q: 'tag:eu', search: 'mail', show: 'ok' }, { q: 'tag:eu "mail" level:ok' }],
])('the address %j shows %j', (search, read) => {
  expect(readFleetSearch(search)).toEqual(read)
  expect(isOldAddress({ ...read })).toBe(false)
})

test.each<[FleetSearch, order: string]>([
  [{}, '-level'],
  [{ q: 'mail', sort: 'name' }, 'name'],
  [{ sort: 'name', reverse: true }, '-name'],
  [{ sort: 'cost_30' }, '-cost_30'],
  [{ reverse: true }, 'level'],
])('the order of %j is %s, and leads back to the same address', (search, order) => {
  expect(orderText(search)).toBe(order)
  expect(searchFor({ q: search.q ?? '', sort: orderText(search) })).toEqual(search)
})

test('pressing a column sorts it in its first direction, then the other, then the first again', () => {
  const once = orderAfterPress({}, 'cost_30')
  const twice = orderAfterPress(once, 'cost_30')
  expect([once, twice, orderAfterPress(twice, 'cost_30')].map((search) => fleetQueryOf(search, '').desc)).toEqual([
    true,
    false,
    true,
  ])
  expect(fleetQueryOf(orderAfterPress({}, 'name'), '')).toMatchObject({ sort: 'name', desc: false })
})

test('changing the default order and back leaves an address without parameters', () => {
  expect(orderAfterPress(orderAfterPress({}, 'level'), 'level')).toEqual({})
})

test.each([
  [0, 30, [0]],
  [190, 220, [0, 200]],
  [400, 401, [400]],
  [0, 0, [0]],
  [150, 610, [0, 200, 400, 600]],
])('rows %i to %i stand in the windows %j', (first, last, windows) => {
  expect(windowOffsetsOf(first, last, 200)).toEqual(windows)
})

test.each([
  [5_000, 5_000, '5,000 agents'],
  [1, 1, '1 agent'],
  [37, 5_000, '37 of 5,000'],
  [0, 12, '0 of 12'],
])('a list of %i out of %i agents is called "%s"', (total, of, words) => {
  expect(agentCountText({ total, of })).toBe(words)
})

const well: ProblemCounts = {
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
  halted: 0,
}
test.each<[Partial<ProblemCounts>, string, string | undefined]>([
  [{}, '', undefined],
  [{ warn: 1 }, '1 warning', undefined],
  [{ bad: 2, silent: 1, warn: 5 }, '2 bad, 1 offline, 5 warnings', '2 bad'],
  [{ silent: 1200, never: 1 }, '1,200 offline, 1 never reported', '1200 offline'],
  [{ noLevel: 1 }, '1 without a level', undefined],
  [{ warn: 2, late: 1 }, '2 warnings, 1 old status', undefined],
  [{ halted: 1, rolledBack: 2, held: 1 }, '1 rollout halted, 2 updates rolled back, 1 update on hold', undefined],
  [{ failed: 3 }, '3 updates failed', undefined],
])('of %j one reads "%s", and in the tab: %s', (standing, words, tab) => {
  const problems = problemsOf({ ...well, ...standing })
  expect(problems.map((problem) => problem.words).join(', ')).toBe(words)
  expect(urgentText({ ...well, ...standing })).toBe(tab)
})

test('each problem leads to a filter that can be read, or to the rollouts', () => {
  const all = Object.fromEntries(Object.keys(well).map((name) => [name, 1])) as unknown as ProblemCounts
  const filters = problemsOf(all).map(({ q }) => q)
  expect(filters).toHaveLength(Object.keys(well).length)
  expect(filters.filter((q) => q === undefined || !parseFilter(q).ok)).toEqual([undefined])
  const chips = problemsOf(all).flatMap(({ q, hasChip }) => (hasChip ? [q] : []))
  expect(chips).toEqual(['level:bad', 'is:offline', 'level:warn', 'is:stopped', 'is:never'])
})

test.each([
  [[null, 900, 1_000, 1_500, 1_200], 1_200],
  [[null, 900, 1_000], undefined],
])('of those that go offline at %j, at 1000, the next is %s', (times, next) => {
  const rows = times.map((silentAt) => ({ silentAt }) as FleetRow)
  expect(nextOfflineAt({ now: 1_000, rows })).toBe(next)
})
