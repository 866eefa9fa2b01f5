/** The columns for which the list of agents has room, and their widths, which follow the contents of the cells. */
import type { FleetRow } from '@svc/api'
import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import { isReportOverdue, serviceNow } from '../ui/index.ts'
import { fonts } from '../ui/theme.ts'
import { failedUpdateOf } from './row/failed-update.ts'
import { tagEdges } from './row/tags.ts'
import { boxWidth, type ColumnName, columnLooks, fittingColumns, type ListRoom, widthFor } from './views/columns.ts'
import { useColumns } from './views/useColumns.ts'

/** The cells of a row in a narrow window. */
const cardNames: readonly ColumnName[] = ['agent', 'state', 'seen', 'today', 'day']

/** The width of a card that is not free for the agent's name and tags: edges, box, and the time of the last report. */
const cardMarginWidth = 160

interface ColumnRoom {
  /** The key of the list. The widths of different lists are kept apart. */
  list: string
  narrow: boolean
  hasBoxes: boolean
  /** The rows that may be in sight. */
  near: readonly FleetRow[]
}

type TableRef = { readonly current: HTMLDivElement | null }

/**
 * The columns that the list shows, the template of their widths, and the width for tags (in narrow windows, for the
 * name and the tags). The column for tags is left out while no agent in `near` has a tag.
 */
export function useRoom(table: TableRef, { list, narrow, hasBoxes, near }: ColumnRoom) {
  const chosen = useColumns()
  const width = useWidth(table)
  const wants = useWants(list, narrow ? [] : near)
  const hasTags = near.some(({ tags }) => tags.length > 0)
  return useMemo(() => {
    if (narrow) return { names: cardNames, template: undefined, tagRoom: width - cardMarginWidth }
    const room = { width, hasBoxes }
    const names = fittingColumns(chosen, room, hasTags)
    const widths = columnWidthsOf(names, wants, room)
    const tagRoom = widths[names.indexOf('tags')] ?? 0
    return { names, template: templateOf(names, widths, hasBoxes), tagRoom }
  }, [narrow, chosen, hasTags, width, hasBoxes, wants])
}

/** The widths that the contents of columns need, in pixels. A column that is missing needs its minimum. */
type ColumnWidths = Partial<Record<ColumnName, number>>

/**
 * The widths that columns need for the rows in `near` and for all earlier rows of the same list, so that columns do not
 * become narrower while somebody scrolls.
 */
function useWants(list: string, near: readonly FleetRow[]): ColumnWidths {
  const known = useRef<{ list: string; wants: ColumnWidths }>({ list, wants: {} })
  if (known.current.list !== list) known.current = { list, wants: {} }
  const { wants } = known.current
  const next = near.reduce((all, row) => largerWidths(all, measured(row)), wants)
  if (JSON.stringify(next) !== JSON.stringify(wants)) known.current = { list, wants: next }
  return known.current.wants
}

const rowWants = new WeakMap<FleetRow, ColumnWidths>()

/** The widths that a row needs. Each row is measured once, because rows are replaced and not changed. */
function measured(row: FleetRow): ColumnWidths {
  const before = rowWants.get(row)
  if (before) return before
  const offline = isReportOverdue(row.silentAt, serviceNow())
  const wants = neededWidths(row, measure, offline)
  rowWants.set(row, wants)
  return wants
}

/** Measures a text in pixels, in the normal font of cells or in the font for a `look`. */
type MeasureText = (text: string, look?: 'bold' | 'small' | 'mark' | 'mono') => number

let context: CanvasRenderingContext2D | null | undefined
let lastFont = ''

/**
 * Measures a text in the fonts of the page. The fonts come from the theme, because the styles of the document may not
 * be loaded when the first rows are measured.
 */
export const measure: MeasureText = (text, look) => {
  if (text === '') return 0
  context ??= document.createElement('canvas').getContext('2d')
  if (!context) return text.length * 7.5
  const weight = look === 'bold' || look === 'mark' ? 600 : 400
  const size = look === 'small' || look === 'mark' ? 12 : 14
  const font = look === 'mono' ? `12px ${fonts.mono}` : `${weight} ${size}px ${fonts.text}`
  if (font !== lastFont) context.font = lastFont = font
  return context.measureText(text).width
}

/** The width of an element in pixels, measured before it is first drawn. */
function useWidth(element: TableRef): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    if (!element.current) return
    const measureIt = () => setWidth(element.current?.clientWidth ?? 0)
    measureIt()
    const observer = new ResizeObserver(measureIt)
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return width
}

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
export function neededWidths(row: FleetRow, textWidth: MeasureText, offline: boolean): ColumnWidths {
  const { name, label, doing, detail, tags, host, version, alerts, updates, stopped } = row
  const was = offline || stopped !== null ? textWidth(stopped === null ? 'Offline was ' : 'Stopped was ') + 6 : 0
  const failed = failedUpdateOf(updates)
  const wished = updates.wished !== null && updates.wished !== version
  const versionWidth =
    gapWidth +
    textWidth(version ?? '', 'mono') +
    (failed !== undefined
      ? textWidth(failed.words, 'mark') + iconWidth + 5
      : wished
        ? textWidth(updates.wished ?? '', 'mono') + 24
        : 0) +
    (updates.runtimeWished !== null || updates.runtimeHeld || updates.runtimePinned !== null ? 19 : 0)
  return {
    agent: textWidth(name, 'bold'),
    state:
      iconWidth +
      was +
      textWidth(label ?? 'Never reported') +
      (alerts.open > 0 ? bellWidth : 0) +
      (row.statusOld && !offline ? ageWidth : 0),
    day: dayWidth,
    doing: offline ? 0 : textWidth(doing ?? detail ?? '') * twoLineShare,
    tags: tags.reduce((sum, tag) => sum + textWidth(tag, 'small') + tagEdges.framed, 0),
    host: textWidth(host ?? ''),
    blueprint: textWidth(updates.blueprint ?? ''),
    version: versionWidth,
    runtime: textWidth(updates.runtime ?? '', 'mono'),
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
