// biome-ignore-all lint/a11y/useSemanticElements: see FleetList
// biome-ignore-all lint/a11y/useFocusableInteractive: see FleetList
import { Checkbox, NativeSelect } from '@mantine/core'
import type { FleetSort } from '@svc/api'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useChange } from '../ui/dialogs/useChange.ts'
import type { ShownFleet } from './useFleet.ts'
import { findAgentNames, type Selection } from './useSelection.ts'
import { type ColumnName, columnLooks } from './views/columns.ts'
import { entryAfterChange } from './views/opened.ts'
import { agentCountText } from './views/search.ts'
import { addressOf, type FleetSearch, orderAfterPress, sortOf } from './views/state.ts'

const grouped = (n: number): string => n.toLocaleString('en-US')
const route = getRouteApi('/signed-in/w/$slug/')

interface HeadProps {
  slug: string
  search: FleetSearch
  /** The text of the filter that is applied. */
  filter: string
  shown: ShownFleet
  selection: Selection | undefined
}

/**
 * The head of the list of agents in wide windows: the checkbox for all agents, and the headings of the columns or, if
 * given, `instead`. Pressing a heading sorts the list, if its column has a `sort` in views/columns.ts.
 */
export function WideHead({
  slug,
  search,
  filter,
  names,
  instead,
  shown,
  selection,
}: HeadProps & { names: readonly ColumnName[]; instead: ReactNode }) {
  const navigate = route.useNavigate()
  const { sort, desc } = sortOf(search)
  return (
    <div role="rowgroup" className="fleet-head">
      <div role="row" aria-rowindex={1} className="fleet-row">
        {selection && (
          <div role="columnheader" className="fleet-cell fleet-box">
            <ChooseAll slug={slug} filter={filter} shown={shown} selection={selection} />
          </div>
        )}
        {instead ??
          names.map((name) => {
            const { words, sort: by, end } = columnLooks[name]
            return (
              <div
                key={name}
                role="columnheader"
                className={`fleet-cell fleet-${name}${end ? ' fleet-end' : ''}`}
                aria-sort={by !== undefined && sort === by ? (desc ? 'descending' : 'ascending') : undefined}
              >
                {by === undefined ? (
                  words
                ) : (
                  <SortButton
                    words={words}
                    on={sort === by}
                    down={desc}
                    onPress={() => {
                      const next = orderAfterPress(search, by)
                      void navigate({
                        search: ({ sort: _, reverse: __, ...rest }) => ({ ...rest, ...next }),
                        state: entryAfterChange({ q: search.q ?? '', ...next }),
                        replace: true,
                        resetScroll: false,
                      })
                    }}
                  />
                )}
              </div>
            )
          })}
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
 * A checkbox that selects all agents that fit the filter, also those whose rows are not loaded. A press while all are
 * selected clears the selection.
 */
function ChooseAll({
  slug,
  filter,
  shown,
  selection,
}: Omit<HeadProps, 'selection' | 'search'> & { selection: Selection }) {
  const isChosen = (index: number): boolean => {
    const name = shown.row(index)?.name
    return name === undefined || selection.names.has(name)
  }
  const all =
    selection.names.size > 0 &&
    selection.names.size >= shown.head.total &&
    Array.from({ length: shown.total }, (_, index) => index).every(isChosen)
  const { busy, error, submit } = useChange(async () => {
    if (all) return selection.clear()
    selection.setFound(await findAgentNames(slug, { q: filter }), filter)
  })
  return (
    <Checkbox
      size="xs"
      checked={all}
      indeterminate={selection.names.size > 0 && !all}
      error={error !== null}
      onChange={() => !busy && submit()}
      aria-label={
        error === null
          ? `Select all ${grouped(shown.head.total)}${filter === '' ? '' : ' that fit'}`
          : 'Could not load the list. Select all again to retry.'
      }
    />
  )
}

/**
 * The head of the list of agents in narrow windows, where rows are shown as cards: the checkbox for all agents, their
 * number, and a menu to choose the order.
 */
export function NarrowHead({
  slug,
  search,
  filter,
  shown,
  selection,
  groups,
}: HeadProps & { groups: string | undefined }) {
  const navigate = route.useNavigate()
  const order = sortOf(search)
  const chosen = `${order.sort}${order.desc ? ' down' : ''}`
  const ways = Object.values(columnLooks).flatMap(({ sort, words }) =>
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
        // biome-ignore lint/a11y/noLabelWithoutControl: the label contains the checkbox and widens its target
        <label>
          <ChooseAll slug={slug} filter={filter} shown={shown} selection={selection} />
        </label>
      )}
      <span>{[agentCountText(shown.head), groups].filter(Boolean).join(', ')}</span>
      <NativeSelect
        size="xs"
        className="fleet-narrow-sort"
        ms="auto"
        aria-label="Sort by"
        data={ways}
        value={chosen}
        onChange={({ currentTarget: { value: way } }) => {
          const [sort, down] = way.split(' ') as [FleetSort, string?]
          const next = addressOf(sort, down !== undefined)
          void navigate({
            search: ({ sort: _, reverse: __, ...rest }) => ({ ...rest, ...next }),
            state: entryAfterChange({ q: search.q ?? '', ...next }),
            replace: true,
            resetScroll: false,
          })
        }}
      />
    </div>
  )
}
