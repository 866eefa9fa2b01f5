import type { ActionOffers, ActionOffersInput } from '@svc/api'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { call } from '../../data/api.ts'

/** Asks which settings or logs the selected agents offer. */
export const useOffers = (
  slug: string,
  type: ActionOffersInput['type'],
  names: readonly string[],
): UseQueryResult<ActionOffers> =>
  useQuery({
    queryKey: ['w', slug, 'offers', type, names],
    queryFn: ({ signal }) => call('POST /w/:slug/actions/offers', { slug }, { type, agents: [...names] }, signal),
    enabled: names.length > 0,
    staleTime: 60_000,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
