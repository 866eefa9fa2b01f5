import { type UseQueryResult, useQuery } from '@tanstack/react-query'

/**
 * Asks the service for the information about a one-time link. The answer is kept, because the service no longer knows
 * the link when it has been used.
 */
export const useOneTimeLink = <Info>(
  kind: 'start' | 'claim' | 'invitation',
  token: string,
  ask: (token: string, signal: AbortSignal) => Promise<Info>,
): UseQueryResult<Info> =>
  useQuery({
    queryKey: [kind, token],
    queryFn: ({ signal }) => ask(token, signal),
    staleTime: Number.POSITIVE_INFINITY,
    meta: { once: true },
  })
