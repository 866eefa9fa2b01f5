import type { FilterPlace } from '@svc/api'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { call } from '../../data/api.ts'
import { Text } from '../../ui/index.ts'

/** Says which terms of a filter exclude no agent, so that a term with a mistake is seen before somebody acts on all. */
export const IdleFilterTerms = ({ text, places }: { text: string; places: readonly FilterPlace[] | undefined }) =>
  places && places.length > 0 ? (
    <p className="fleet-idle" role="status">
      {places.map(({ at, length }, i) => (
        <Fragment key={at}>
          {i > 0 && ' '}
          <Text mono>{text.slice(at, at + length)}</Text> excludes no agent.
        </Fragment>
      ))}
    </p>
  ) : null

/** Says in a dialog which terms of the filter that selected its agents exclude no agent. */
export function IdleTerms({ slug, filter }: { slug: string; filter: string | undefined }) {
  const { data } = useQuery({
    queryKey: ['w', slug, 'idle', filter],
    queryFn: ({ signal }) => call('GET /w/:slug/fleet', { slug }, { q: filter, limit: 1 }, signal),
    enabled: filter !== undefined && filter !== '',
    gcTime: 0,
  })
  return <IdleFilterTerms text={filter ?? ''} places={data?.idle} />
}
