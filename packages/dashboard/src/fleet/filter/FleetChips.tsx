import type { Fleet } from '@svc/api'
import { type Chip, type Filter, pressChip, pressedChip } from '@svc/api/filter'
import { getRouteApi, Link } from '@tanstack/react-router'
import { paths } from '../../paths.ts'
import { Level, useInSight } from '../../ui/index.ts'
import { entryAfterChange } from '../views/opened.ts'
import { stateFilters } from '../views/search.ts'
import type { FleetSearch } from '../views/state.ts'
import { appliedFilter } from './applied.ts'
import type { TypingRef } from './FilterField.tsx'

const route = getRouteApi('/signed-in/w/$slug/')

interface ChipsProps {
  slug: string
  /** The filter that is applied. */
  filter: Filter
  counts: Fleet['counts'] | undefined
  typing: TypingRef
}

/**
 * The links above the list that filter it by a level, offline, stopped or never reported. Each has the number of agents
 * that it would show.
 */
export function FleetChips({ slug, filter, counts, typing }: ChipsProps) {
  const pressed = pressedChip(filter)
  const search = route.useSearch()
  const after = ({ q = '', ...rest }: FleetSearch, chip: Chip | undefined): FleetSearch => {
    const { filter: now } = appliedFilter(slug, typing.current?.text ?? q)
    return withFilter(rest, pressChip(now, chip))
  }
  const row = useInSight<HTMLElement>('[data-on="true"]', pressed)
  return (
    <nav ref={row} className="fleet-chips" aria-label="Filter by state">
      {stateFilters
        .filter(({ chip, count }) => chip === undefined || count === pressed || (counts?.[count] ?? 1) > 0)
        .map(({ chip, words, count }) => (
          <Link
            key={words}
            to={paths.fleet}
            params={{ slug }}
            search={(search: FleetSearch) => after(search, chip)}
            state={(entry) => entryAfterChange(after(search, chip))(entry)}
            onClick={() => typing.current?.settle()}
            resetScroll={false}
            activeOptions={{ exact: true, includeSearch: true }}
            className="fleet-chip"
            data-on={count === pressed}
            aria-current={count === pressed ? 'true' : undefined}
          >
            {chip && <ChipIcon chip={chip} />}
            {words}
            <span className="fleet-count">{counts ? counts[count].toLocaleString('en-US') : '…'}</span>
          </Link>
        ))}
    </nav>
  )
}

const withFilter = (search: FleetSearch, q: string): FleetSearch => (q === '' ? search : { ...search, q })

const ChipIcon = ({ chip }: { chip: Chip }) => (
  <span aria-hidden className="fleet-sign">
    {chip === 'silent' ? (
      <Level level={null} offline iconOnly />
    ) : chip === 'stopped' ? (
      <Level level={null} stopped iconOnly />
    ) : chip === 'never' ? (
      <Level level={null} never iconOnly />
    ) : (
      <Level level={chip} iconOnly />
    )}
  </span>
)
