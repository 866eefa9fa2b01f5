/** The widths of the columns of the list of agents, which follow the contents of the cells. */
import type { FleetRow } from '@svc/api'
import { boxWidth, type ColumnName, columnLooks, type ListRoom, widthFor } from '../views/columns.ts'
import { failedUpdateOf } from './failed-update.ts'
import { tagEdges } from './tags.ts'

/** The widths that the contents of columns need, in pixels. A column that is missing needs its minimum. */
export type ColumnWidths = Partial<Record<ColumnName, number>>

/** Measures a text in pixels, in the normal font of cells or in the font for a `look`. */
export type MeasureText = (text: string, look?: 'bold' | 'small' | 'mark' | 'mono') => number

/** The widths of the icons in cells, each with the gap beside it. */
const iconWidth = 22
const bellWidth = 32
/** The distance between the costs, which are aligned at the right, and the version after them. */
const gapWidth = 12
const ageWidth = 80
const dayWidth = 128
/** The width of a text on two lines, as a part of its width on one line. */
const twoLineShare = 0.6

/** The widths that the cells of a row need. */
export function neededWidths(row: FleetRow, measure: MeasureText, offline: boolean): ColumnWidths {
  const { name, label, doing, detail, tags, host, version, alerts, updates, stopped } = row
  const was = offline || stopped !== null ? measure(stopped === null ? 'Offline was ' : 'Stopped was ') + 6 : 0
  const failed = failedUpdateOf(updates)
  const wished = updates.wished !== null && updates.wished !== version
  const versionWidth =
    gapWidth +
    measure(version ?? '', 'mono') +
    (failed !== undefined
      ? measure(failed.words, 'mark') + iconWidth + 5
      : wished
        ? measure(updates.wished ?? '', 'mono') + 24
        : 0) +
    (updates.runtimeWished !== null || updates.runtimeHeld || updates.runtimePinned !== null ? 19 : 0)
  return {
    agent: measure(name, 'bold'),
    state:
      iconWidth +
      was +
      measure(label ?? 'Never reported') +
      (alerts.open > 0 ? bellWidth : 0) +
      (row.statusOld && !offline ? ageWidth : 0),
    day: dayWidth,
    doing: offline ? 0 : measure(doing ?? detail ?? '') * twoLineShare,
    tags: tags.reduce((sum, tag) => sum + measure(tag, 'small') + tagEdges.framed, 0),
    host: measure(host ?? ''),
    blueprint: measure(updates.blueprint ?? ''),
    version: versionWidth,
    runtime: measure(updates.runtime ?? '', 'mono'),
  }
}

/** Widths are rounded up to steps in pixels, so that one more letter moves nothing on the page. */
const widthStep = 8

/** The larger of the widths of two rows, column by column. */
export function largerWidths(a: ColumnWidths, b: ColumnWidths): ColumnWidths {
  const both: ColumnWidths = { ...a }
  for (const [name, width] of Object.entries(b) as [ColumnName, number][]) {
    const rounded = Math.ceil(width / widthStep) * widthStep
    if (rounded > (both[name] ?? 0)) both[name] = rounded
  }
  return both
}

/** The width of the heading of the column `doing`, in pixels. */
const headingWidth = 72

/**
 * The widths of columns in pixels. Each column gets what its contents need, if the list is wide enough. Otherwise
 * columns that need little still get it, and the others share the rest.
 */
export function columnWidthsOf(names: readonly ColumnName[], wants: ColumnWidths, room: ListRoom): number[] {
  const whole = widthFor(names.length, room)
  const atLevel = (level: number) =>
    names.map((name) => {
      const { minWidth, share = 0 } = columnLooks[name]
      // `wants.state` is missing only until rows are loaded. If then `wants.doing` is missing, no agent does anything,
      // and the column needs room only for its heading.
      const min = name === 'doing' && wants.state && wants.doing === undefined ? headingWidth : minWidth
      const wanted = share === 0 ? min : Math.max(min, wants[name] ?? 0)
      return Math.floor(Math.min(wanted, Math.max(min, share * level)))
    })
  let [low, high] = [0, whole]
  if (sum(atLevel(high)) <= whole) return atLevel(high)
  while (high - low > 0.1) {
    const middle = (low + high) / 2
    if (sum(atLevel(middle)) <= whole) low = middle
    else high = middle
  }
  return atLevel(low)
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)

/** The first of these columns that is shown gets the width that is left over. */
const filling: readonly ColumnName[] = ['doing', 'state', 'agent']

/** The value of `grid-template-columns` for rows with these columns, whose widths are in pixels. */
export function templateOf(names: readonly ColumnName[], widths: readonly number[], hasBoxes: boolean): string {
  const filler = filling.find((name) => names.includes(name))
  const parts = names.map((name, i) => (name === filler ? `minmax(${widths[i]}px, 1fr)` : `${widths[i]}px`))
  return [...(hasBoxes ? [`${boxWidth}px`] : []), ...parts].join(' ')
}
