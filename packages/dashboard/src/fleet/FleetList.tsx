// biome-ignore-all lint/a11y/useSemanticElements: rows are placed by the virtualizer, which a real table forbids
// biome-ignore-all lint/a11y/useFocusableInteractive: a row takes the focus; its cells and the head do not
import { Skeleton } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { FleetRow } from '@svc/api'
import { defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useKey } from '../ui/keys/useKeys.ts'
import { notifyFailed } from '../ui/notify.tsx'
import { NarrowHead, WideHead } from './FleetHead.tsx'
import { FleetRowLine } from './FleetRowLine.tsx'
import type { GroupBox } from './groups/boxes.ts'
import type { ShownFleet } from './useFleet.ts'
import { useRoom } from './useRoom.ts'
import type { Selection } from './useSelection.ts'
import { useStrips } from './useStrips.ts'
import { useTabStop } from './useTabStop.ts'
import type { FleetSearch } from './views/state.ts'

/**
 * The height of a row in pixels, in wide and in narrow windows. It is fixed, so that nothing moves when further rows
 * are loaded.
 */
const height = { wide: 42, narrow: 62 } as const
/** The number of rows above and below those in sight that are also in the document. */
const overscan = 8

interface GroupHead {
  open: boolean
  box: GroupBox | undefined
  line: ReactNode
}

interface ListProps {
  slug: string
  search: FleetSearch
  /** The text of the filter that is applied. */
  filter: string
  shown: ShownFleet
  /**
   * True while none of the rows in sight is loaded, for example after a change of the filter. The list then still shows
   * the previous rows.
   */
  late: boolean
  selection: Selection | undefined
  /** Returns the group head at this index; undefined if the row is an agent. Missing if the list has no groups. */
  headAt?: (index: number) => GroupHead | undefined
  /** The headings to show in place of those of the columns. */
  headings?: ReactNode
  /** The number of groups in words. A narrow list says it beside the number of agents. */
  groups?: string
  onRange: (first: number, last: number) => void
}

/**
 * The list of agents. Only rows in sight, and a few around them, are in the document. The list is one tab stop: a row
 * has the focus, and keys move it.
 */
export function FleetList(props: ListProps) {
  const { slug, search, filter, shown, late, selection, headAt, headings, groups, onRange } = props
  const narrow = useMediaQuery('(max-width: 61.99em)', window.innerWidth < 992, { getInitialValueInEffect: false })
  const size = narrow ? height.narrow : height.wide
  const scrollTo = useRef<(index: number) => void>(() => {})
  const { body, stop, move, focused } = useTabStop(slug, shown, (index) => scrollTo.current(index))
  const { rows, top, first, last } = useRows(body, { count: shown.total, size, stop })
  scrollTo.current = (index) => rows.scrollToIndex(index, { align: 'auto' })
  useEffect(() => onRange(first, last), [first, last, onRange])
  useListKeys({ body, stop, move, shown, selection, headAt })
  const choose = useChoose(shown.row, selection)
  const table = useRef<HTMLDivElement>(null)
  const near = loadedRows(shown, first, last)
  const list = `${slug} ${filter} ${JSON.stringify(search)}`
  const { names, template, tagRoom } = useRoom(table, {
    list,
    narrow,
    hasBoxes: selection !== undefined,
    near,
  })
  const stripOf = useStrips(slug, near, names.includes('day'))
  const headProps = { slug, search, filter, shown, selection }
  return (
    <div
      ref={table}
      className="fleet-table"
      data-boxes={selection !== undefined}
      data-narrow={narrow}
      style={{ '--fleet-columns': template } as CSSProperties}
    >
      {narrow && <NarrowHead {...headProps} groups={groups} />}
      {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: each of the two roles takes these attributes */}
      <div
        role={headAt ? 'treegrid' : 'grid'}
        aria-label="Agents"
        aria-rowcount={shown.total + 1}
        aria-busy={late}
        aria-multiselectable={selection ? true : undefined}
      >
        {!narrow && <WideHead {...headProps} names={names} instead={headings} />}
        <div
          ref={body}
          role="rowgroup"
          className="fleet-body svc-late svc-in-sight"
          style={{ height: rows.getTotalSize() }}
          onFocus={focused}
          data-late={late}
        >
          {rows.getVirtualItems().map(({ index, start }) => {
            const agent = shown.row(index)
            const head = headAt?.(index)
            const chosen = agent !== undefined && selection?.names.has(agent.name)
            return (
              <div
                key={index}
                role="row"
                aria-rowindex={index + 2}
                aria-selected={selection && (head ? head.box?.chosen === 'all' : chosen)}
                aria-level={headAt && (head ? 1 : 2)}
                aria-expanded={head?.open}
                tabIndex={index === stop ? 0 : -1}
                className="fleet-row"
                data-row={index}
                data-tab-stop={index === stop ? true : undefined}
                data-chosen={chosen}
                style={{ height: size, transform: `translateY(${start - top}px)` }}
              >
                {head ? (
                  head.line
                ) : agent ? (
                  <FleetRowLine
                    slug={slug}
                    row={agent}
                    index={index}
                    names={names}
                    narrow={narrow}
                    tagRoom={tagRoom}
                    chosen={chosen ?? false}
                    strip={stripOf(agent.name)}
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

/** The rows from `first` to `last` that are loaded. */
function loadedRows({ row }: ShownFleet, first: number, last: number): FleetRow[] {
  const rows: FleetRow[] = []
  for (let i = first; i <= last; i++) {
    const one = row(i)
    if (one) rows.push(one)
  }
  return rows
}

const Blank = () => (
  <div role="gridcell" className="fleet-cell fleet-blank">
    <Skeleton height={10} width="60%" animate={false} />
  </div>
)

/**
 * Decides which rows of the list are drawn: those in sight and around them, and the one that is the tab stop. `top` is
 * the distance in pixels from the top of the page to the first row of the list.
 */
function useRows(
  body: { readonly current: HTMLDivElement | null },
  { count, size, stop }: { count: number; size: number; stop: number },
) {
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    const rect = body.current?.getBoundingClientRect()
    if (rect) setTop(Math.round(rect.top + window.scrollY))
  })
  const rows = useWindowVirtualizer({
    count,
    estimateSize: () => size,
    overscan,
    scrollMargin: top,
    scrollPaddingStart: size === height.narrow ? 60 : 48,
    scrollPaddingEnd: size === height.narrow ? 140 : 80,
    rangeExtractor: (range) => {
      const near = defaultRangeExtractor(range)
      return near.includes(stop) || stop >= count ? near : [...near, stop].sort((a, b) => a - b)
    },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again when the height of rows changes
  useLayoutEffect(() => rows.measure(), [size])
  // `rows.range` would be that of the render before.
  const range = rows.calculateRange()
  const first = Math.max(0, (range?.startIndex ?? 0) - overscan)
  const last = Math.max(0, Math.min(count - 1, (range?.endIndex ?? 0) + overscan))
  return { rows, top, first, last }
}

interface KeyTargets {
  body: { readonly current: HTMLDivElement | null }
  /** The index of the row that is the tab stop. */
  stop: number
  /** Gives the focus to a row, and scrolls it into view. */
  move: (index: number) => void
  shown: ShownFleet
  selection: Selection | undefined
  headAt: ListProps['headAt']
}

/** Sets the keys of the list. Outside of the list, J and K lead to the row that had the focus last. */
function useListKeys({ body, stop, move, shown, selection, headAt }: KeyTargets): void {
  const step = (by: number) => () => move(body.current?.contains(document.activeElement) ? stop + by : stop)
  useKey('next', step(1))
  useKey('previous', step(-1))
  useKey('first', () => move(0))
  useKey('last', () => move(shown.total - 1))
  const select = () => {
    const name = shown.row(stop)?.name
    if (name !== undefined) selection?.toggle(name)
    else
      void headAt?.(stop)
        ?.box?.press()
        .catch((error: unknown) => notifyFailed('Not selected', error))
  }
  useKey('select', selection && select)
  useKey('open', () => body.current?.querySelector<HTMLElement>(`[data-row="${stop}"] :is(a, button)`)?.click())
}

/**
 * Returns a function that selects or deselects one agent or, with `range` (the Shift key), all loaded agents from the
 * previously pressed one to this one. Each render returns the same function, so that unchanged rows are not drawn
 * again.
 */
function useChoose(row: ShownFleet['row'], selection: Selection | undefined) {
  const latest = useRef({ row, selection })
  useLayoutEffect(() => {
    latest.current = { row, selection }
  })
  const lastChosen = useRef<number | undefined>(undefined)
  return useCallback((name: string, index: number, range: boolean) => {
    const { row, selection } = latest.current
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
  }, [])
}
