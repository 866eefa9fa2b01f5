/** Counts the agents of a workspace in groups, and makes the answer for the map. The work is in slices. */
import type { FleetCounts, FleetGroup, FleetGroups, FleetMap, FleetRow, MapSquare } from '@svc/api'
import {
  type FilterTerm,
  type Grouping,
  groupValuesOf,
  isOffline,
  levelOf,
  mapStateOf,
  mapStates,
} from '@svc/api/filter'
import { forEachInSlices, type SlicedWork, sortInSlices } from '../../platform/http/slices.ts'
import { byText } from '../../platform/lists.ts'
import { countRow, noFleetCounts, plus, selectedRows, troubleRank } from './fleet.ts'

/** The groups of the agents that a filter selects. */
export function* fleetGroups(
  all: ReadonlyMap<string, FleetRow>,
  filter: readonly FilterTerm[],
  by: Grouping,
  now: number,
): SlicedWork<FleetGroups> {
  const rows = yield* selectedRows(all, filter, now)
  return { total: rows.length, groups: yield* groupsIn(rows, by, now) }
}

interface CountedGroup extends Omit<FleetGroup, 'worst' | 'counts' | 'states' | 'costToday'> {
  counts: FleetCounts
  costToday: number | null
  states: number[]
  /** The value by which the list sorts the worst agent. */
  trouble: number | null
  worst: FleetRow
}

/** The groups of these agents in their order. */
export function* groupsIn(rows: readonly FleetRow[], by: Grouping, now: number): SlicedWork<FleetGroup[]> {
  const groups = new Map<string | null, CountedGroup>()
  yield* forEachInSlices(rows, (row) => {
    const own = troubleRank(row, now)
    const state = mapStates.indexOf(mapStateOf(row, now))
    for (const value of groupValuesOf(by, row)) {
      let group = groups.get(value)
      if (!group) {
        const states = mapStates.map(() => 0)
        group = { value, agents: 0, trouble: null, worst: row, counts: noFleetCounts(), costToday: null, states }
        groups.set(value, group)
      }
      group.agents++
      group.costToday = plus(group.costToday, row.costToday)
      countRow(group.counts, row, now)
      group.states[state] = (group.states[state] ?? 0) + 1
      if ((own ?? -1) > (group.trouble ?? -1)) Object.assign(group, { trouble: own, worst: row })
    }
  })
  const ordered = yield* sortInSlices([...groups.values()], (a, b) => {
    if (a.value === null || b.value === null) return a.value === b.value ? 0 : a.value === null ? 1 : -1
    return (b.trouble ?? -1) - (a.trouble ?? -1) || b.agents - a.agents || byText(a.value, b.value)
  })
  const finished: FleetGroup[] = []
  yield* forEachInSlices(ordered, ({ trouble, worst, counts: { all: _, ...counts }, ...rest }) =>
    finished.push({ ...rest, worst: trouble === null ? null : worstOf(worst, now), counts }),
  )
  return finished
}

/** The state by which the list sorts an agent: offline is worse than every level except bad. */
function worstOf(row: FleetRow, now: number): FleetGroup['worst'] {
  const level = levelOf(row)
  return isOffline(row, now) && level !== 'bad' ? 'offline' : level
}

/** The agents that a filter selects, as the map shows them. */
export function* fleetMap(
  all: ReadonlyMap<string, FleetRow>,
  filter: readonly FilterTerm[],
  by: Grouping | undefined,
  now: number,
): SlicedWork<FleetMap> {
  const rows = yield* selectedRows(all, filter, now)
  const groups = by ? (yield* groupsIn(rows, by, now)).map(({ value }) => value) : []
  const places = new Map(groups.map((value, place) => [value, place]))
  const squares: MapSquare[] = []
  yield* forEachInSlices(rows, (row) => {
    const own = by ? groupValuesOf(by, row).map((value) => places.get(value) ?? 0) : []
    squares.push([row.name, mapStates.indexOf(mapStateOf(row, now)), ...own])
  })
  return { total: rows.length, groups, squares }
}
