/** The columns of the list of agents: those that a person chose, and those for which a window has room. */
import type { FleetColumn, FleetSort } from '@svc/api'

export type ColumnName = 'agent' | FleetColumn

interface ColumnLook {
  words: string
  /** The order that a press on the heading gives; undefined if the list is not sorted by the column. */
  sort?: FleetSort
  /** True if the contents of the cells are aligned at the right, as numbers are. */
  end?: true
  /** The minimum width in pixels. */
  minWidth: number
  /** The minimum width in pixels while `spare` columns are shown; `minWidth` if missing. */
  goodWidth?: number
  /**
   * The weight of the column when columns share too little width (useRoom.ts). A column without one always has its
   * minimum width.
   */
  share?: number
}

/** All columns, in their order. */
export const columnLooks: Readonly<Record<ColumnName, ColumnLook>> = {
  agent: { words: 'Agent', sort: 'name', minWidth: 116, share: 3 },
  state: { words: 'State', sort: 'level', minWidth: 150, goodWidth: 180, share: 4 },
  day: { words: '24 hours', minWidth: 84, goodWidth: 104, share: 1.6 },
  doing: { words: 'Doing now', minWidth: 130, goodWidth: 240, share: 3 },
  tags: { words: 'Tags', minWidth: 76, share: 1.2 },
  host: { words: 'Host', minWidth: 90, share: 2 },
  blueprint: { words: 'Blueprint', minWidth: 100, share: 2 },
  seen: { words: 'Last seen', sort: 'seen', minWidth: 80 },
  today: { words: 'Cost today', sort: 'cost_today', end: true, minWidth: 92 },
  month: { words: '30 days', sort: 'cost_30', end: true, minWidth: 84 },
  version: { words: 'Version', sort: 'version', minWidth: 64, share: 3 },
  runtime: { words: 'Runtime', minWidth: 64, share: 2 },
}
const allNames = Object.keys(columnLooks) as ColumnName[]
/** The columns that can be chosen. The name of the agent is always shown. */
export const columnNames = allNames.filter((name) => name !== 'agent')
export const defaultColumns: readonly FleetColumn[] = [
  'state',
  'day',
  'doing',
  'tags',
  'seen',
  'today',
  'month',
  'version',
]

/** The columns, the most important ones first: those at the end are left out where there is no room. */
const byWeight: readonly FleetColumn[] = [
  'state',
  'doing',
  'seen',
  'day',
  'version',
  'today',
  'tags',
  'host',
  'month',
  'blueprint',
  'runtime',
]
/**
 * The columns that are left out if the others would not have their `goodWidth`. A person's own choice is not affected.
 */
const spare: ReadonlySet<FleetColumn> = new Set(['tags', 'host', 'month', 'blueprint', 'runtime'])
const gap = 14
const padding = 14
/** The width in pixels of the checkbox that selects an agent. */
export const boxWidth = 18

/** Reads a stored choice of columns; undefined if it has no known column. */
export function readColumns(value: unknown): FleetColumn[] | undefined {
  const known = Array.isArray(value) ? columnNames.filter((name) => value.includes(name)) : []
  return known.length === 0 ? undefined : known
}

/** The room that the list has for its columns. */
export interface ListRoom {
  /** The width of the list in pixels. */
  width: number
  hasBoxes: boolean
}

/**
 * The columns that have room, in their order. The name of the agent always has room. Without tags, their column is left
 * out.
 */
export function fittingColumns(chosen: readonly FleetColumn[], room: ListRoom, hasTags = true): ColumnName[] {
  const kept = new Set<ColumnName>(['agent'])
  const isOwn = chosen.length !== defaultColumns.length || !chosen.every((name) => defaultColumns.includes(name))
  for (const name of byWeight) {
    if (!chosen.includes(name) || (name === 'tags' && !hasTags)) continue
    const isSpare = !isOwn && spare.has(name)
    const widthOf = (one: ColumnName) => (isSpare ? columnLooks[one].goodWidth : undefined) ?? columnLooks[one].minWidth
    const widths = [...kept, name].reduce((sum, one) => sum + widthOf(one), 0)
    if (widths <= widthFor(kept.size + 1, room)) kept.add(name)
  }
  return allNames.filter((name) => kept.has(name))
}

/** The width for the contents of `count` columns: the width of the list without gaps, padding and checkboxes. */
export const widthFor = (count: number, { width, hasBoxes }: ListRoom): number =>
  width - 2 * padding - (count - 1) * gap - (hasBoxes ? boxWidth + gap : 0)
