// biome-ignore-all lint/a11y/useSemanticElements: rows are placed by the virtualizer, which a real table forbids
// biome-ignore-all lint/a11y/useFocusableInteractive: rows and cells take no focus, the links and boxes in them do
import { Checkbox, Select, Skeleton } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { FleetSort } from '@svc/server/api'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { getRouteApi } from '@tanstack/react-router'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { FleetRowLine } from './FleetRowLine.tsx'
import type { Shown } from './useFleet.ts'
import type { Selection } from './useSelection.ts'
import { addressOf, columns, type FleetView, orderOf, pressed } from './view.ts'

const route = getRouteApi('/signed-in/w/$slug/')
/** Pixels; fixed, so that nothing jumps when a window of rows arrives. */
const height = { wide: 42, narrow: 62 } as const

interface ListProps {
  slug: string
  view: FleetView
  shown: Shown
  /** The rows belong to the view before; the new ones are on the way. */
  late: boolean
  selection: Selection | undefined
  onRange: (first: number, last: number) => void
}

/** Only the rows in sight are in the document. */
export function FleetList({ slug, view, shown, late, selection, onRange }: ListProps) {
  const narrow = useMediaQuery('(max-width: 61.99em)', window.innerWidth < 992, { getInitialValueInEffect: false })
  const body = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    const rect = body.current?.getBoundingClientRect()
    if (rect) setTop(Math.round(rect.top + window.scrollY))
  })
  const size = narrow ? height.narrow : height.wide
  const rows = useWindowVirtualizer({
    count: shown.total,
    estimateSize: () => size,
    overscan: 8,
    scrollMargin: top,
    scrollPaddingStart: 48,
    scrollPaddingEnd: 80,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured anew when the height of rows changes
  useLayoutEffect(() => rows.measure(), [size])
  const items = rows.getVirtualItems()
  const first = items[0]?.index ?? 0
  const last = items.at(-1)?.index ?? 0
  useEffect(() => onRange(first, last), [first, last, onRange])

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
  const keys = (event: KeyboardEvent<HTMLDivElement>) => {
    const link = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('[data-row]') : null
    if (!link || event.ctrlKey || event.metaKey || event.altKey) return
    const index = Number(link.dataset.row)
    const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: shown.total - 1 }[event.key]
    if (to !== undefined) {
      event.preventDefault()
      const next = Math.min(Math.max(to, 0), shown.total - 1)
      rows.scrollToIndex(next, { align: 'auto' })
      if (!focusRow(next)) focusAfter.current = next
    } else if (event.key === 'x' || event.key === ' ') {
      const row = shown.row(index)
      if (!row || !selection) return
      event.preventDefault()
      selection.toggle(row.name)
    }
  }

  const lastChosen = useRef<number | undefined>(undefined)
  const row = shown.row
  const choose = useCallback(
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

  return (
    <div
      className="fleet-table"
      role="table"
      aria-label="Agents"
      aria-rowcount={shown.total + 1}
      aria-busy={late}
      data-boxes={selection !== undefined}
      data-narrow={narrow}
    >
      {narrow ? (
        <NarrowHead view={view} shown={shown} selection={selection} />
      ) : (
        <WideHead view={view} shown={shown} selection={selection} />
      )}
      <div
        ref={body}
        role="rowgroup"
        className="fleet-body"
        style={{ height: rows.getTotalSize() }}
        onKeyDown={keys}
        data-late={late}
      >
        {items.map((item) => {
          const agent = shown.row(item.index)
          return (
            <div
              key={item.index}
              role="row"
              aria-rowindex={item.index + 2}
              className="fleet-row"
              data-chosen={agent !== undefined && selection?.names.has(agent.name)}
              style={{ height: size, transform: `translateY(${item.start - top}px)` }}
            >
              {agent ? (
                <FleetRowLine
                  slug={slug}
                  row={agent}
                  index={item.index}
                  chosen={selection?.names.has(agent.name) ?? false}
                  onChoose={selection ? choose : undefined}
                />
              ) : (
                <div role="cell" className="fleet-cell fleet-blank">
                  <Skeleton height={10} width="60%" animate={false} />
                </div>
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}

interface HeadProps {
  view: FleetView
  shown: Shown
  selection: Selection | undefined
}

function WideHead({ view, shown, selection }: HeadProps) {
  const navigate = route.useNavigate()
  const { sort, desc } = orderOf(view)
  return (
    <div role="rowgroup" className="fleet-head">
      <div role="row" aria-rowindex={1} className="fleet-row">
        {selection && (
          <div role="columnheader" className="fleet-cell fleet-box">
            <ChooseShown shown={shown} selection={selection} />
          </div>
        )}
        {columns.map((column) => (
          <div
            key={column.name}
            role="columnheader"
            className={`fleet-cell fleet-${column.name}${column.end ? ' fleet-end' : ''}`}
            aria-sort={sort === column.sort ? (desc ? 'descending' : 'ascending') : undefined}
          >
            {column.sort === undefined ? (
              column.words
            ) : (
              <SortButton
                words={column.words}
                on={sort === column.sort}
                down={desc}
                onPress={() => {
                  const next = pressed(view, column.sort as FleetSort)
                  void navigate({
                    search: ({ sort: _, reverse: __, ...rest }) => ({ ...rest, ...next }),
                    replace: true,
                    resetScroll: false,
                  })
                }}
              />
            )}
          </div>
        ))}
      </div>
    </div>
  )
}

function SortButton({ words, on, down, onPress }: { words: string; on: boolean; down: boolean; onPress: () => void }) {
  const Arrow = down ? IconArrowDown : IconArrowUp
  return (
    <button type="button" className="fleet-sort" data-on={on} onClick={onPress}>
      {words}
      <Arrow size={13} aria-hidden style={{ visibility: on ? 'visible' : 'hidden' }} />
    </button>
  )
}

/** All rows that have been seen; more of them come as one scrolls. */
function ChooseShown({ shown, selection }: { shown: Shown; selection: Selection }) {
  const names = Array.from({ length: shown.total }, (_, i) => shown.row(i)?.name).filter((name) => name !== undefined)
  const chosen = names.filter((name) => selection.names.has(name)).length
  const all = names.length > 0 && chosen === names.length
  return (
    <Checkbox
      size="xs"
      checked={all}
      indeterminate={chosen > 0 && !all}
      onChange={() => selection.set(names, !all)}
      aria-label="Select all"
    />
  )
}

function NarrowHead({ view, shown, selection }: HeadProps) {
  const navigate = route.useNavigate()
  const order = orderOf(view)
  const chosen = `${order.sort}${order.desc ? ' down' : ''}`
  const ways = columns.flatMap(({ sort, words }) =>
    sort === undefined
      ? []
      : [
          { value: sort, label: `${words} ↑` },
          { value: `${sort} down`, label: `${words} ↓` },
        ],
  )
  return (
    <div className="fleet-narrow-head" role="presentation">
      {selection && <ChooseShown shown={shown} selection={selection} />}
      <span>
        {shown.total.toLocaleString('en-US')} {shown.total === 1 ? 'agent' : 'agents'}
      </span>
      <Select
        size="xs"
        w={150}
        ms="auto"
        aria-label="Sort by"
        allowDeselect={false}
        data={ways}
        value={chosen}
        onChange={(way) => {
          const [sort, down] = (way ?? 'level down').split(' ') as [FleetSort, string?]
          void navigate({
            search: ({ sort: _, reverse: __, ...rest }) => ({ ...rest, ...addressOf(sort, down !== undefined) }),
            replace: true,
            resetScroll: false,
          })
        }}
      />
    </div>
  )
}
