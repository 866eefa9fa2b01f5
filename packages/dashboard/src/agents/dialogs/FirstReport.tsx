import { Loader } from '@mantine/core'
import type { AgentPage } from '@svc/api'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { read } from '../../data/queries.ts'
import { Level, Text } from '../../ui/index.ts'
import './agents.css'

interface FirstReportProps {
  slug: string
  name: string
  /** Unix milliseconds by the service's clock, after which a report counts; 0 accepts any report. */
  since?: number
  /** Shown after the level of the report, once the report has arrived. */
  children?: ReactNode
}

/** Waits for the first report of an agent, and shows the report's level. */
export function FirstReport({ slug, name, since = 0, children }: FirstReportProps) {
  const first = useFirstReport(slug, name, since)
  const { level, label } = first?.report?.state ?? {}
  return (
    <div className="svc-waiting" data-arrived={first !== undefined}>
      {first ? <Level level={level} /> : <Loader size={16} aria-hidden />}
      <span role="status">
        {first ? (
          <>
            First report received{label ? ': ' : '.'}
            {label && <Text>{label}</Text>}
          </>
        ) : since === 0 ? (
          'Waiting for its first report…'
        ) : (
          'Waiting for a report with the new token…'
        )}
      </span>
      {first && children}
    </div>
  )
}

const hasReported = (page: AgentPage | undefined, since: number): boolean => (page?.seenAt ?? 0) > since

/** Returns the data of an agent's page once the agent has reported after `since`; undefined before. */
export function useFirstReport(slug: string, name: string, since = 0) {
  const { data } = useQuery({
    ...read('GET /w/:slug/agents/:name', { slug, name }),
    refetchInterval: ({ state }) => (hasReported(state.data, since) ? false : 2_000),
  })
  return hasReported(data, since) ? data : undefined
}
