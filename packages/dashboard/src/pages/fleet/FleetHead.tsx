// biome-ignore-all lint/a11y/useSemanticElements: see FleetList
// biome-ignore-all lint/a11y/useFocusableInteractive: see FleetList
import { Checkbox, NativeSelect } from '@mantine/core'
import type { FleetSort } from '@svc/api'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useSubmit } from '../../forms/useSubmit.ts'
import { fleetQuery, fleetWindow } from '../../queries.ts'
import type { Shown } from './useFleet.ts'
import type { Selection } from './useSelection.ts'
import { addressOf, asked, columns, type FleetView, numberOf, orderOf, pressed, windowsOf } from './view.ts'

const route = getRouteApi('/signed-in/w/$slug/')

interface HeadProps {
  slug: string
  view: FleetView
  shown: Shown
  selection: Selection | undefined
}

/**
 * The head of the list of agents in wide windows: the checkbox for all agents, and the headings of the columns.
 * Pressing a heading sorts the list by its column, except for the column "Doing now".
 */
export function WideHead({ slug, view, shown, selection }: HeadProps) {
  const navigate = route.useNavigate()
  const { sort, desc } = orderOf(view)
  return (
    <div role="rowgroup" className="fleet-head">
      <div role="row" aria-rowindex={1} className="fleet-row">
        {selection && (
          <div role="columnheader" className="fleet-cell fleet-box">
            <ChooseAll slug={slug} view={view} shown={shown} selection={selection} />
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

/**
 * A checkbox that selects all agents which the filter and the search leave in the list. If all are selected, it clears
 * the selection. Rows that are not loaded yet are loaded first.
 */
function ChooseAll({ slug, view, shown, selection }: Omit<HeadProps, 'selection'> & { selection: Selection }) {
  const queries = useQueryClient()
  const seen = Array.from({ length: shown.total }, (_, i) => shown.row(i)?.name).filter((name) => name !== undefined)
  const all = seen.length > 0 && selection.names.size >= shown.total && seen.every((name) => selection.names.has(name))
  const { busy, error, submit } = useSubmit(async () => {
    if (all) return selection.clear()
    const offsets = windowsOf(0, shown.total - 1, fleetWindow)
    const windows = await Promise.all(offsets.map((at) => queries.fetchQuery(fleetQuery(slug, asked(view), at))))
    selection.set(
      windows.flatMap(({ rows }) => rows.map(({ name }) => name)),
      true,
    )
  })
  return (
    <Checkbox
      size="xs"
      checked={all}
      indeterminate={selection.names.size > 0 && !all}
      error={error !== null}
      onChange={() => !busy && submit(undefined)}
      aria-label={error === null ? `Select all ${shown.total}` : 'Could not load the list. Select all again to retry.'}
    />
  )
}

/**
 * The head of the list of agents in narrow windows, where rows are shown as cards: the checkbox for all agents, their
 * number, and a menu to choose the order.
 */
export function NarrowHead({ slug, view, shown, selection }: HeadProps) {
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
    <div className="fleet-narrow-head">
      {selection && (
        // biome-ignore lint/a11y/noLabelWithoutControl: the box is in it, and a press beside it counts, too
        <label>
          <ChooseAll slug={slug} view={view} shown={shown} selection={selection} />
        </label>
      )}
      <span>{numberOf(shown.head)}</span>
      <NativeSelect
        size="xs"
        w={150}
        ms="auto"
        aria-label="Sort by"
        data={ways}
        value={chosen}
        onChange={({ currentTarget: { value: way } }) => {
          const [sort, down] = way.split(' ') as [FleetSort, string?]
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
