/**
 * Filters, sorts and counts the rows of the fleet's list, which come from web/live/fleet.ts. The work of many rows is
 * in slices, so that reports are answered in between.
 */
import {
  type Fleet,
  type FleetCounts,
  type FleetFacets,
  type FleetNames,
  type FleetRow,
  type FleetSort,
  maxNamedAgents,
} from '@svc/api'
import {
  type FilterTerm,
  filterTest,
  type Grouping,
  groupValuesOf,
  isOffline,
  judgeOf,
  levelOf,
  onlyChips,
  withoutChips,
} from '@svc/api/filter'
import { levels } from '@svc/protocol'
import { firstSorted, forEachInSlices, type SlicedWork, sortInSlices } from '../../platform/http/slices.ts'
import { FairTurns } from '../../platform/http/turns.ts'
import { byText } from '../../platform/lists.ts'

/**
 * Lets the workspaces take turns while long answers are made, such as lists and costs. Each pass of the event loop
 * makes one slice of one workspace's answer.
 */
export const workspaceTurns = new FairTurns()

/** One group of agents: those that share a value of a fact, or have none. */
export interface OneGroup {
  by: Grouping
  value: string | null
}

interface FleetQuery {
  filter: readonly FilterTerm[]
  /** The group of the selected agents whose rows are requested; undefined for the rows of all selected agents. */
  group?: OneGroup | undefined
  sort: FleetSort
  desc: boolean
  offset: number
  limit: number
}

/** The state of a workspace when its list is made. */
interface FleetMoment {
  now: number
  /** The number of halted rollouts. */
  halted: number
  /** True if the rows have no costs yet. */
  costsPending?: boolean
}

/**
 * The part of the list that the query asks for. `counts` has the number of agents that each chip above the list would
 * select, and `standing` the state of the whole fleet.
 */
export function* fleetPage(
  all: ReadonlyMap<string, FleetRow>,
  query: FleetQuery,
  { now, halted, costsPending }: FleetMoment,
): SlicedWork<Fleet> {
  const whole = noFleetCounts()
  const counts = noFleetCounts()
  const problems = { noLevel: 0, late: 0, rolledBack: 0, failed: 0, held: 0 }
  const sums: { costToday: number | null; cost30: number | null } = { costToday: null, cost30: null }
  const judge = judgeOf(query.filter, now)
  const selects = judge.selects(withoutChips(query.filter))
  const selectsByChips = judge.selects(onlyChips(query.filter))
  const isInGroup = memberOf(query.group)
  const fitting: FleetRow[] = []
  let held = 0
  yield* forEachInSlices(yield* byName(all), (row) => {
    countRow(whole, row, now)
    const holding = judge.holding(row)
    held |= holding
    if (selects(holding)) {
      countRow(counts, row, now)
      if (selectsByChips(holding) && isInGroup(row)) fitting.push(row)
    }
    if (row.seenAt !== null && row.stopped === null && levelOf(row) === null) problems.noLevel++
    if (row.statusLate && row.stopped === null) problems.late++
    const update = updateTrouble(row)
    if (update) problems[update]++
    sums.costToday = addCosts(sums.costToday, row.costToday)
    sums.cost30 = addCosts(sums.cost30, row.cost30)
  })
  const idle = judge.idle(held).map(({ at, length }) => ({ at, length }))
  const rows = (yield* sortRows(fitting, query, now)).slice(query.offset, query.offset + query.limit)
  const { ok: _, info: __, all: of, ...troubles } = whole
  const facts = {
    now,
    total: fitting.length,
    of,
    rows,
    counts,
    standing: { ...troubles, ...problems, halted },
    ...sums,
    ...(idle.length > 0 && { idle }),
  }
  return costsPending ? { ...facts, costsPending: true } : facts
}

/** Returns a function that is true for an agent in the group, or for every agent if no group is wanted. */
const memberOf =
  (group: OneGroup | undefined) =>
  (row: FleetRow): boolean =>
    group === undefined || groupValuesOf(group.by, row).includes(group.value)

/** The rows of the agents that a filter selects, in the order of their names. */
export function* selectedRows(
  all: ReadonlyMap<string, FleetRow>,
  filter: readonly FilterTerm[],
  now: number,
): SlicedWork<FleetRow[]> {
  const selects = filterTest(filter, now)
  const rows: FleetRow[] = []
  yield* forEachInSlices(yield* byName(all), (row) => {
    if (selects(row)) rows.push(row)
  })
  return rows
}

/** The names of the selected agents of a group, at most `maxNamedAgents`, and the number of all of them. */
export function* fleetNames(
  all: ReadonlyMap<string, FleetRow>,
  { filter, group }: Pick<FleetQuery, 'filter' | 'group'>,
  now: number,
): SlicedWork<FleetNames> {
  const isInGroup = memberOf(group)
  const names: string[] = []
  yield* forEachInSlices(yield* selectedRows(all, filter, now), (row) => {
    if (isInGroup(row)) names.push(row.name)
  })
  return { names: names.slice(0, maxNamedAgents), total: names.length }
}

/** The most frequent tags, hosts, blueprints and versions of the agents that a filter selects. */
export function* fleetFacets(
  all: ReadonlyMap<string, FleetRow>,
  filter: readonly FilterTerm[],
  now: number,
): SlicedWork<FleetFacets> {
  const rows = yield* selectedRows(all, filter, now)
  return {
    tag: yield* facet(rows, ({ tags }) => tags),
    host: yield* facet(rows, ({ host }) => [host]),
    blueprint: yield* facet(rows, ({ updates }) => [updates.blueprint]),
    version: yield* facet(rows, ({ version }) => [version]),
  }
}

/** Counts values and returns the most frequent ones; of equally frequent ones, those that come first in their order. */
function* facet(
  rows: readonly FleetRow[],
  valuesOf: (row: FleetRow) => readonly (string | null)[],
): SlicedWork<FleetFacets['tag']> {
  const counts = new Map<string, number>()
  yield* forEachInSlices(rows, (row) => {
    for (const value of valuesOf(row)) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1)
  })
  const first = yield* firstSorted(counts, maxFacets, ([a, aCount], [b, bCount]) => bCount - aCount || byText(a, b))
  return first.map(([value, agents]) => ({ value, agents }))
}

const maxFacets = 20

export const noFleetCounts = (): FleetCounts => ({
  ok: 0,
  info: 0,
  warn: 0,
  bad: 0,
  silent: 0,
  stopped: 0,
  never: 0,
  all: 0,
})

/** Adds an agent to the counts of the fleet. */
export function countRow(counts: FleetCounts, row: FleetRow, now: number): void {
  counts.all++
  const level = levelOf(row)
  if (level) counts[level]++
  if (row.seenAt === null) counts.never++
  if (row.stopped !== null) counts.stopped++
  else if (isOffline(row, now)) counts.silent++
}

/** The worst problem of an agent's updates, those of its blueprint and of its runtime; undefined if there is none. */
function updateTrouble({ updates }: FleetRow): 'rolledBack' | 'failed' | 'held' | undefined {
  const states = [updates.wishState, updates.runtimeWishState]
  if (states.includes('rolled_back')) return 'rolledBack'
  if (states.includes('failed')) return 'failed'
  return states.includes('held') || updates.runtimeHeld ? 'held' : undefined
}

/** The value by which each column of the fleet's list sorts a row. Null comes last in both directions. */
const sorts: Record<FleetSort, (row: FleetRow, now: number) => string | number | null> = {
  name: (row) => row.name,
  level: troubleRank,
  seen: (row) => row.seenAt,
  cost_today: (row) => row.costToday,
  cost_30: (row) => row.cost30,
  version: (row) => row.version,
}

/**
 * The value for sorting by level. An offline agent ranks between warn and bad, or as bad if its level is bad, so that
 * it is not hidden among many healthy ones.
 */
export function troubleRank(row: FleetRow, now: number): number | null {
  const own = levelOf(row)
  const level = own === null ? null : levels.indexOf(own)
  return isOffline(row, now) ? Math.max(level ?? 0, levels.indexOf('warn') + 0.5) : level
}

/** Sorts rows that are in the order of their names; rows with equal values keep that order. */
function* sortRows(rows: FleetRow[], { sort, desc }: FleetQuery, now: number): SlicedWork<FleetRow[]> {
  if (sort === 'name') return desc ? rows.reverse() : rows
  const direction = desc ? -1 : 1
  const valued: { row: FleetRow; value: string | number | null }[] = []
  yield* forEachInSlices(rows, (row) => valued.push({ row, value: sorts[sort](row, now) }))
  const ordered = yield* sortInSlices(valued, ({ value: x }, { value: y }) => {
    if (x === y) return 0
    if (x === null) return 1
    if (y === null) return -1
    return direction * (typeof x === 'string' ? byText(x, String(y)) : x - Number(y))
  })
  return ordered.map(({ row }) => row)
}

/**
 * Each fleet's agents in the order of their names. Comparing ten thousand names in the order of the alphabet takes
 * longer than everything else in this file, and names seldom change.
 */
const orders = new WeakMap<ReadonlyMap<string, FleetRow>, { id: string; name: string }[]>()

/** The rows as they are when the work begins: the map changes while the work is interrupted, and rows never change. */
function* byName(rows: ReadonlyMap<string, FleetRow>): SlicedWork<FleetRow[]> {
  const known = orders.get(rows)
  const ordered: FleetRow[] = []
  for (const { id, name } of known?.length === rows.size ? known : []) {
    const row = rows.get(id)
    if (row?.name !== name) break
    ordered.push(row)
  }
  if (ordered.length === rows.size) return ordered
  const all = yield* sortInSlices([...rows], ([, a], [, b]) => byText(a.name, b.name))
  orders.set(
    rows,
    all.map(([id, { name }]) => ({ id, name })),
  )
  return all.map(([, row]) => row)
}

/** Adds two costs, rounded to millionths of a dollar, so that errors of binary fractions do not add up. */
export const addCosts = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.round((a + b) * 1_000_000) / 1_000_000
