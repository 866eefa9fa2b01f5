import { useQuery } from '@tanstack/react-query'
import { call } from './api.ts'

/** Requests how many agents a filter selects, and which of its terms exclude none; undefined without a filter. */
export function useFilterFits(slug: string, filter: string | undefined) {
  const { data } = useQuery({
    queryKey: ['w', slug, 'fits', filter],
    queryFn: ({ signal }) => call('GET /w/:slug/fleet', { slug }, { q: filter, limit: 1 }, signal),
    enabled: filter !== undefined && filter !== '',
    gcTime: 0,
    retry: false,
  })
  return data && { agents: data.total, idle: data.idle ?? [] }
}
