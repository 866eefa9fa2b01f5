import { Loader } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../data/queries.ts'
import { Level, Text } from '../../ui/index.ts'
import './agents.css'

/**
 * Waits for the first report of an agent after `since`, and shows the report's level. `since` is in Unix milliseconds
 * by the service's clock; 0 accepts any report.
 */
export function FirstReport({ slug, name, since = 0 }: { slug: string; name: string; since?: number }) {
  const { data } = useQuery({ ...read('GET /w/:slug/agents/:name', { slug, name }), refetchInterval: 2_000 })
  const arrived = data?.seenAt != null && data.seenAt > since
  return (
    <div className="svc-waiting" role="status" data-arrived={arrived}>
      {arrived ? (
        <>
          <Level level={data.report?.state?.level} />
          <span>
            First report received{data.report?.state?.label ? ': ' : '.'}
            {data.report?.state?.label && <Text>{data.report.state.label}</Text>}
          </span>
        </>
      ) : (
        <>
          <Loader size={16} aria-hidden />
          <span>{since === 0 ? 'Waiting for its first report…' : 'Waiting for a report with the new token…'}</span>
        </>
      )}
    </div>
  )
}
