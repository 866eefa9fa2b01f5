/** The columns of the list of agents: those that a person chose, and those for which a window has room. */
import type { FleetColumn, FleetSort } from '@svc/api'

export type ColumnName = 'agent' | FleetColumn

interface ColumnLook {
  words: string
  /** The order that a press on the heading gives; undefined if the list is not sorted by the column. */
  sort?: FleetSort
  /** True if the cells are aligned at their ends. */
  end?: true
  /** The minimum width in pixels. */
  minWidth: number
  /** The share of the width that is left over; a column without one is never wider than its minimum. */
  share?: number
}

/** All columns, in their order. */
export const columns: Readonly<Record<ColumnName, ColumnLook>> = {
  agent: { words: 'Agent', sort: 'name', minWidth: 110, share: 1.3 },
  state: { words: 'State', sort: 'level', minWidth: 120, share: 1.4 },
  doing: { words: 'Doing now', minWidth: 90, share: 1.6 },
  tags: { words: 'Tags', minWidth: 76, share: 0.9 },
  host: { words: 'Host', minWidth: 90, share: 0.8 },
  blueprint: { words: 'Blueprint', minWidth: 100, share: 0.8 },
  seen: { words: 'Last seen', sort: 'seen', minWidth: 118 },
  today: { words: 'Today', sort: 'cost_today', end: true, minWidth: 72 },
  month: { words: '30 days', sort: 'cost_30', end: true, minWidth: 84 },
  version: { words: 'Version', sort: 'version', minWidth: 110, share: 0.8 },
  runtime: { words: 'Runtime', minWidth: 84, share: 0.4 },
}
const allNames = Object.keys(columns) as ColumnName[]
export const columnNames = allNames.filter((name) => name !== 'agent')
export const defaultColumns: readonly FleetColumn[] = ['state', 'doing', 'tags', 'seen', 'today', 'month', 'version']

/** The columns, the most important ones first: those at the end are left out where there is no room. */
const byWeight: readonly FleetColumn[] = [
  'state',
  'doing',
  'seen',
  'version',
  'tags',
  'today',
  'host',
  'month',
  'blueprint',
  'runtime',
]
const gap = 14
const padding = 14
const boxWidth = 18

/** Reads a choice of columns; undefined if it has none that the list knows. */
export function readColumns(value: unknown): FleetColumn[] | undefined {
  const known = Array.isArray(value) ? columnNames.filter((name) => value.includes(name)) : []
  return known.length === 0 ? undefined : known
}

interface Room {
  /** The width of the list in pixels. */
  width: number
  hasBoxes: boolean
}

/** The columns that have room, in their order. The name of the agent always has. */
export function fittingColumns(chosen: readonly FleetColumn[], { width, hasBoxes }: Room): ColumnName[] {
  const kept = new Set<ColumnName>(['agent'])
  for (const name of byWeight)
    if (chosen.includes(name) && minWidthOf([...kept, name], hasBoxes) <= width) kept.add(name)
  return allNames.filter((name) => kept.has(name))
}

function minWidthOf(names: readonly ColumnName[], hasBoxes: boolean): number {
  const cells = names.reduce((sum, name) => sum + columns[name].minWidth + gap, 0)
  return 2 * padding - gap + cells + (hasBoxes ? boxWidth + gap : 0)
}

/** The value of `grid-template-columns` for rows with these columns. */
export const templateOf = (names: readonly ColumnName[], hasBoxes: boolean): string =>
  [
    ...(hasBoxes ? [`${boxWidth}px`] : []),
    ...names.map((name) => {
      const { minWidth, share } = columns[name]
      return share === undefined ? `${minWidth}px` : `minmax(${minWidth}px, ${share}fr)`
    }),
  ].join(' ')
