import type { Fleet } from '@svc/api'
import { Link } from '@tanstack/react-router'
import { paths } from '../../paths.ts'
import { Level, useInSight } from '../../ui/index.ts'
import { type FleetView, type StateFilter, stateFilters } from './view.ts'

interface FilterProps {
  slug: string
  view: FleetView
  counts: Fleet['counts'] | undefined
}

/**
 * Links that filter the list of agents by level, offline, stopped or never reported. Each has the number of agents that
 * it would show, so the numbers follow the search.
 */
export function FleetFilter({ slug, view, counts }: FilterProps) {
  const chips = useInSight<HTMLElement>('[data-on="true"]', view.show)
  return (
    <nav ref={chips} className="fleet-filter" aria-label="Filter agents">
      {stateFilters
        .filter(({ show, count }) => show === undefined || show === view.show || (counts?.[count] ?? 1) > 0)
        .map(({ show, words, count }) => (
          <Link
            key={words}
            to={paths.fleet}
            params={{ slug }}
            search={({ show: _, ...rest }: FleetView) => (show ? { ...rest, show } : rest)}
            resetScroll={false}
            activeOptions={{ exact: true, includeSearch: true }}
            className="fleet-chip"
            data-on={show === view.show}
            aria-current={show === view.show ? 'true' : undefined}
          >
            {show && <Sign show={show} />}
            {words}
            <span className="fleet-count">{counts ? counts[count].toLocaleString('en-US') : '…'}</span>
          </Link>
        ))}
    </nav>
  )
}

const Sign = ({ show }: { show: StateFilter }) => (
  <span aria-hidden className="fleet-sign">
    {show === 'silent' ? (
      <Level level={null} silent iconOnly />
    ) : show === 'stopped' ? (
      <Level level={null} stopped iconOnly />
    ) : show === 'never' ? (
      <Level level={null} never iconOnly />
    ) : (
      <Level level={show} iconOnly />
    )}
  </span>
)
