import { useQuery } from '@tanstack/react-query'
import { read } from '../../data/queries.ts'
import type { Agent } from './agent.ts'

/** The alerts about an agent: all open ones, and those of the last 30 days. */
export const useAgentAlerts = ({ slug, page }: Pick<Agent, 'slug' | 'page'>) =>
  useQuery(read('GET /w/:slug/agents/:name/alerts', { slug, name: page.name }))
