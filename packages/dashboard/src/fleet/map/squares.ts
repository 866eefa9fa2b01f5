/** The squares of the map as they are drawn: group by group, so that an agent in two groups has two squares. */
import type { FleetMap, FleetRow, LiveFrame } from '@svc/api'
import { type Grouping, groupValuesOf, mapStateOf, mapStates } from '@svc/api/filter'

/** The squares of the map, numbered in one sequence from group to group. */
export interface Squares {
  map: FleetMap
  by: Grouping | undefined
  /** The number of squares of each group. */
  sizes: readonly number[]
  /** For each square, the index of its agent in `map.squares`. */
  agents: Int32Array
  /** The state of each agent. Frames change it in place. */
  states: Uint8Array
  /** The index of each agent in `map.squares`, by its name. */
  indexes: ReadonlyMap<string, number>
}

/** The state of each agent when it first appeared on the map, by its name. */
export type FirstStates = Map<string, number>

/** Adds the states of the agents that appear on the map for the first time. */
export function noteFirstStates(first: FirstStates, { squares }: FleetMap): void {
  for (const [name, state] of squares) if (!first.has(name)) first.set(name, state)
}

/**
 * Makes the squares of a map. In each group the worst agents come first, by their states in `first`, so that an agent
 * does not move when its state changes while somebody looks. Agents of one state keep the order of the answer.
 */
export function squaresOf(
  map: FleetMap,
  by: Grouping | undefined,
  first: ReadonlyMap<string, number> = new Map(),
): Squares {
  const groups = (by ? map.groups : [null]).map(() => mapStates.map((): number[] => []))
  const indexes = new Map<string, number>()
  const states = new Uint8Array(map.squares.length)
  for (const [index, [name, state, ...own]] of map.squares.entries()) {
    indexes.set(name, index)
    states[index] = state
    const rank = first.get(name) ?? state
    for (const group of by ? own : [0]) groups[group]?.[rank]?.push(index)
  }
  const sorted = groups.map((ranks) => ranks.flat())
  return { map, by, sizes: sorted.map(({ length }) => length), agents: Int32Array.from(sorted.flat()), states, indexes }
}

/** The name of the state of an agent. */
export const stateOfAgent = ({ states }: Squares, agent: number): (typeof mapStates)[number] =>
  mapStates[states[agent] ?? 0] ?? 'none'

/** Counts the agents of these squares by their states. */
export function countStatesIn(squares: Squares, first: number, end: number): readonly number[] {
  const counts = mapStates.map(() => 0)
  for (let square = first; square < end; square++) add(counts, squares.states[squares.agents[square] ?? 0] ?? 0)
  return counts
}

/** Counts all agents by their states, each once. */
export function countStates({ states }: Squares): readonly number[] {
  const counts = mapStates.map(() => 0)
  for (const state of states) add(counts, state)
  return counts
}

function add(counts: number[], state: number): void {
  counts[state] = (counts[state] ?? 0) + 1
}

/** The square that has the focus: that of the focused agent or, if the agent is gone, the square now in its place. */
export function focusedSquareOf(
  squares: Squares,
  focused: { name: string; square: number } | undefined,
): number | undefined {
  const { agents, map, indexes } = squares
  if (!focused || agents.length === 0) return undefined
  if (map.squares[agents[focused.square] ?? -1]?.[0] === focused.name) return focused.square
  const index = indexes.get(focused.name)
  const moved = index === undefined ? -1 : agents.indexOf(index)
  return moved >= 0 ? moved : Math.min(focused.square, agents.length - 1)
}

/**
 * Writes the states of a frame into `squares`. Returns the indexes of the agents whose state changed. `reload` is true
 * if the frame may have added, removed or regrouped squares.
 */
export function applyFrame(
  squares: Squares,
  frame: Pick<LiveFrame, 'now' | 'rows' | 'list' | 'more'>,
  selects: (row: FleetRow) => boolean,
): { changed: ReadonlySet<number>; reload: boolean } {
  const changed = new Set<number>()
  let reload = frame.list || frame.more
  for (const row of frame.rows) {
    const index = squares.indexes.get(row.name)
    const fits = selects(row)
    if (index === undefined || !fits) {
      reload ||= fits !== (index !== undefined)
      continue
    }
    reload ||= hasMoved(squares, index, row)
    const state = mapStates.indexOf(mapStateOf(row, frame.now))
    if (squares.states[index] === state) continue
    squares.states[index] = state
    changed.add(index)
  }
  return { changed, reload }
}

function hasMoved({ map, by }: Squares, index: number, row: FleetRow): boolean {
  if (!by) return false
  const [, , ...own] = map.squares[index] ?? ['', 0]
  const values = groupValuesOf(by, row)
  return values.length !== own.length || own.some((group) => !values.includes(map.groups[group] ?? null))
}
