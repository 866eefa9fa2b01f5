import type { AgentPage, AgentUpdates } from '@svc/api'
import { useQueryClient } from '@tanstack/react-query'
import { queryKeys, read } from '../../data/queries.ts'
import type { Agent } from '../parts/agent.ts'

/**
 * Returns a function that sends a change of an agent's requested versions or holds to the service, and shows the
 * service's answer on the page.
 */
export function useUpdates({ slug, page: { name } }: Agent) {
  const client = useQueryClient()
  return async (act: (slug: string, name: string) => Promise<AgentUpdates>) => {
    const updates = await act(slug, name)
    client.setQueryData(
      read('GET /w/:slug/agents/:name', { slug, name }).queryKey,
      (page: AgentPage | undefined) => page && { ...page, updates },
    )
    for (const key of [
      queryKeys.agent(slug, name),
      queryKeys.fleet(slug),
      queryKeys.blueprints(slug),
      queryKeys.rollouts(slug),
      queryKeys.runtime(slug),
    ])
      void client.invalidateQueries({ queryKey: key })
  }
}
