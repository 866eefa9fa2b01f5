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
import { addCosts, countRow, noFleetCounts, selectedRows, troubleRank } from './fleet.ts'

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
  /** The rank of the worst agent (`troubleRank`). */
  trouble: number | null
  worst: FleetRow
}

/** The groups of these agents: those with the worst agents first, the group without a value last. */
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
      group.costToday = addCosts(group.costToday, row.costToday)
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

// Writes the answer for the map, in slices: it may have 10,000 agents.

interface WrittenMap {
  json: string
  /** The number of groups and agents that are left off. */
  leftOff: number
}

/**
 * The JSON of the map in at most `maxBytes` bytes. If it would be larger, agents are left off: those in the last of
 * `mapStates` first, and of a state the last ones by name. The names of groups get at most half of the room.
 */
export function* mapJson({ total, groups, squares }: FleetMap, maxBytes: number): SlicedWork<WrittenMap> {
  const named = new List(Math.floor(maxBytes / 2))
  yield* forEachInSlices(groups, (value) => named.add(value))
  const written: string[] = []
  const sizes = mapStates.map(() => 0)
  yield* forEachInSlices(squares, (square) => {
    const json = JSON.stringify(square)
    written.push(json)
    sizes[square[1]] = (sizes[square[1]] ?? 0) + bytesOf(json)
  })
  let left = maxBytes - Math.min(named.bytes, named.maxBytes) - otherBytes
  const lists = sizes.map((size) => {
    const list = new List(Math.min(size, Math.max(0, left)))
    left -= list.maxBytes
    return list
  })
  const isKept: boolean[] = []
  yield* forEachInSlices(squares.entries(), ([i, [, state]]) =>
    isKept.push(lists[state]?.takes(written[i] ?? '') === true),
  )
  const kept = written.filter((_, i) => isKept[i])
  const off = { groups: groups.length - named.rows.length, squares: squares.length - kept.length }
  const cut = Object.entries(off).filter(([, number]) => number > 0)
  const fields = [
    `"total":${total}`,
    ...(cut.length > 0 ? [`"leftOff":${JSON.stringify(Object.fromEntries(cut))}`] : []),
    `"groups":[${named.rows.join(',')}]`,
    `"squares":[${kept.join(',')}]`,
  ]
  return { json: `{${fields.join(',')}}`, leftOff: off.groups + off.squares }
}

/** The room for everything but the two lists. */
const otherBytes = 256

/** The rows that fit into a number of bytes. After the first row that does not fit, no further row is added. */
class List {
  readonly rows: string[] = []
  readonly maxBytes: number
  bytes = 0
  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }
  add(value: unknown): void {
    const json = JSON.stringify(value)
    if (this.takes(json)) this.rows.push(json)
  }
  takes(json: string): boolean {
    this.bytes += bytesOf(json)
    return this.bytes <= this.maxBytes
  }
}

/** The bytes of a row with the comma after it. */
const bytesOf = (json: string): number => Buffer.byteLength(json) + 1
