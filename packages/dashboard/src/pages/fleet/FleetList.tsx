// biome-ignore-all lint/a11y/useSemanticElements: rows are placed by the virtualizer, which a real table forbids
// biome-ignore-all lint/a11y/useFocusableInteractive: rows and cells take no focus, the links and boxes in them do
import { Skeleton } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { NarrowHead, WideHead } from './FleetHead.tsx'
import { FleetRowLine } from './FleetRowLine.tsx'
import type { Shown } from './useFleet.ts'
import type { Selection } from './useSelection.ts'
import type { FleetView } from './view.ts'

/**
 * The height of a row in pixels, in wide and in narrow windows. It is fixed, so that nothing moves when further rows
 * are loaded.
 */
const height = { wide: 42, narrow: 62 } as const

interface ListProps {
  slug: string
  view: FleetView
  shown: Shown
  /**
   * True while none of the rows in sight is loaded, for example after a change of the filter. Until one is, the list
   * keeps the rows that were loaded before.
   */
  late: boolean
  selection: Selection | undefined
  onRange: (first: number, last: number) => void
}

/** The list of agents. Only rows in sight, and a few around them, are in the document. */
export function FleetList({ slug, view, shown, late, selection, onRange }: ListProps) {
  const narrow = useMediaQuery('(max-width: 61.99em)', window.innerWidth < 992, { getInitialValueInEffect: false })
  const size = narrow ? height.narrow : height.wide
  const { body, rows, top } = useRows(shown.total, size)
  const items = rows.getVirtualItems()
  const first = items[0]?.index ?? 0
  const last = items.at(-1)?.index ?? 0
  useEffect(() => onRange(first, last), [first, last, onRange])
  const keys = useKeys({ body, shown, selection, show: (index) => rows.scrollToIndex(index, { align: 'auto' }) })
  const choose = useChoose(shown.row, selection)
  return (
    <div className="fleet-table" data-boxes={selection !== undefined} data-narrow={narrow}>
      {narrow && <NarrowHead slug={slug} view={view} shown={shown} selection={selection} />}
      <div role="table" aria-label="Agents" aria-rowcount={shown.total + 1} aria-busy={late}>
        {!narrow && <WideHead slug={slug} view={view} shown={shown} selection={selection} />}
        <div
          ref={body}
          role="rowgroup"
          className="fleet-body"
          style={{ height: rows.getTotalSize() }}
          onKeyDown={keys}
          data-late={late}
        >
          {items.map(({ index, start }) => {
            const agent = shown.row(index)
            const chosen = agent !== undefined && selection?.names.has(agent.name)
            return (
              <div
                key={index}
                role="row"
                aria-rowindex={index + 2}
                className="fleet-row"
                data-chosen={chosen}
                style={{ height: size, transform: `translateY(${start - top}px)` }}
              >
                {agent ? (
                  <FleetRowLine
                    slug={slug}
                    row={agent}
                    index={index}
                    chosen={chosen ?? false}
                    onChoose={selection ? choose : undefined}
                  />
                ) : (
                  <Blank />
                )}
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

const Blank = () => (
  <div role="cell" className="fleet-cell fleet-blank">
    <Skeleton height={10} width="60%" animate={false} />
  </div>
)

/**
 * Decides which rows of the list are drawn. `top` is the distance in pixels from the top of the page to the first row
 * of the list.
 */
function useRows(count: number, size: number) {
  const body = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    const rect = body.current?.getBoundingClientRect()
    if (rect) setTop(Math.round(rect.top + window.scrollY))
  })
  const rows = useWindowVirtualizer({
    count,
    estimateSize: () => size,
    overscan: 8,
    scrollMargin: top,
    scrollPaddingStart: 48,
    scrollPaddingEnd: 80,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again when the height of rows changes
  useLayoutEffect(() => rows.measure(), [size])
  return { body, rows, top }
}

interface Keyed {
  body: RefObject<HTMLDivElement | null>
  shown: Shown
  selection: Selection | undefined
  /** Scrolls a row into view. */
  show: (index: number) => void
}

/**
 * Returns a handler of keys for the list of agents: arrows, Home and End move from row to row, also to rows that are
 * not in the document yet. X and Space select or deselect the agent of the row.
 */
function useKeys({ body, shown, selection, show }: Keyed) {
  const focusAfter = useRef<number | undefined>(undefined)
  const focusRow = (index: number) => {
    const link = body.current?.querySelector<HTMLElement>(`[data-row="${index}"]`)
    if (!link) return false
    link.focus({ preventScroll: true })
    return true
  }
  useEffect(() => {
    if (focusAfter.current !== undefined && focusRow(focusAfter.current)) focusAfter.current = undefined
  })
  return (event: KeyboardEvent<HTMLDivElement>) => {
    const link = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('[data-row]') : null
    if (!link || event.ctrlKey || event.metaKey || event.altKey) return
    const index = Number(link.dataset.row)
    const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: shown.total - 1 }[event.key]
    if (to !== undefined) {
      event.preventDefault()
      const next = Math.min(Math.max(to, 0), shown.total - 1)
      show(next)
      if (!focusRow(next)) focusAfter.current = next
    } else if (event.key === 'x' || event.key === ' ') {
      const row = shown.row(index)
      if (!row || !selection) return
      event.preventDefault()
      selection.toggle(row.name)
    }
  }
}

/**
 * Returns a function that selects or deselects one agent. With `range` (the Shift key), the function does so for all
 * agents from the previously chosen one to this one.
 */
function useChoose(row: Shown['row'], selection: Selection | undefined) {
  const lastChosen = useRef<number | undefined>(undefined)
  return useCallback(
    (name: string, index: number, range: boolean) => {
      if (!selection) return
      const from = lastChosen.current
      lastChosen.current = index
      if (!range || from === undefined) return selection.toggle(name)
      const names = []
      for (let i = Math.min(from, index); i <= Math.max(from, index); i++) {
        const between = row(i)
        if (between) names.push(between.name)
      }
      selection.set(names, !selection.names.has(name))
    },
    [selection, row],
  )
}
