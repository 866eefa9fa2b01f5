/** The columns for which the list of agents has room, and their widths. */
import type { FleetRow } from '@svc/api'
import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import { isReportOverdue, serviceNow } from '../ui/index.ts'
import { fonts } from '../ui/theme.ts'
import {
  type ColumnWidths,
  columnWidthsOf,
  largerWidths,
  type MeasureText,
  neededWidths,
  templateOf,
} from './row/widths.ts'
import { type ColumnName, fittingColumns } from './views/columns.ts'
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
