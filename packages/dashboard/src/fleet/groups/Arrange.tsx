import { NativeSelect } from '@mantine/core'
import { groupings } from '@svc/api/filter'
import { getRouteApi, Link } from '@tanstack/react-router'
import { paths } from '../../paths.ts'
import type { FleetSearch } from '../views/state.ts'

const route = getRouteApi('/signed-in/w/$slug/')
const arrangements = [
  { as: 'list', words: 'List' },
  { as: 'map', words: 'Map' },
] as const

/**
 * The menus in which a person chooses how the agents are shown: as a list or as a map, and by which fact they are
 * grouped.
 */
export function GroupingMenu({ slug, search, onPhone }: { slug: string; search: FleetSearch; onPhone: boolean }) {
  const navigate = route.useNavigate()
  const { group = 'none', as = 'list' } = search
  const show = (next: Pick<FleetSearch, 'group' | 'as'>) =>
    void navigate({ search: (now) => ({ ...now, ...next }), state: true, replace: true, resetScroll: false })
  if (onPhone)
    return (
      <NativeSelect
        className="fleet-arrange"
        size="sm"
        aria-label="Show the agents as"
        data={arrangements.flatMap(({ as, words }) => [
          { value: `${as} none`, label: words },
          ...groupings.map((by) => ({ value: `${as} ${by}`, label: `${words} by ${by}` })),
        ])}
        value={`${as} ${group}`}
        onChange={({ currentTarget: { value } }) => {
          const [nextAs, by] = value.split(' ') as ['list' | 'map', NonNullable<FleetSearch['group']>]
          show({ as: nextAs, group: by })
        }}
      />
    )
  return (
    <div className="fleet-arrange">
      <NativeSelect
        size="sm"
        aria-label="Group by"
        data={[{ value: 'none', label: 'No groups' }, ...groupings.map((by) => ({ value: by, label: `By ${by}` }))]}
        value={group}
        onChange={({ currentTarget: { value } }) => show({ group: value as NonNullable<FleetSearch['group']> })}
      />
      <nav className="fleet-as" aria-label="Show as">
        {arrangements.map((way) => (
          <Link
            key={way.as}
            to={paths.fleet}
            params={{ slug }}
            search={(now: FleetSearch) => ({ ...now, as: way.as })}
            state
            replace
            resetScroll={false}
            activeOptions={{ exact: true, includeSearch: true }}
          >
            {way.words}
          </Link>
        ))}
      </nav>
    </div>
  )
}
