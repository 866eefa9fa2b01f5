import type { ActionPreview, NewAction } from '@svc/api'
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { findGoneAgents } from '../../agents/dialogs/gone.ts'
import { ApiError, call } from '../../data/api.ts'

/** The values that an action sends: the settings, or the name of a log. */
export type ActionValues = NonNullable<NewAction['values']>
type WantedAction = Pick<NewAction, 'type'> & { agents: readonly string[]; values: ActionValues }

/** The beginning of the query keys of all previews of actions in a workspace. */
export const previewKey = (slug: string) => ['w', slug, 'preview'] as const

/**
 * Asks the service which agents an action would reach. If selected agents no longer exist, `onGone` is called with
 * their names.
 */
export const useActionReach = (
  slug: string,
  wanted: WantedAction | null,
  onGone: (names: readonly string[]) => void,
): UseQueryResult<ActionPreview> =>
  useQuery({
    queryKey: [...previewKey(slug), wanted],
    queryFn: async () => {
      const { type = 'pause', agents = [], values = {} } = wanted ?? {}
      try {
        return await call('POST /w/:slug/actions/preview', { slug }, { type, agents: [...agents], values })
      } catch (error) {
        if (error instanceof ApiError && error.code === 'agent_unknown') {
          const gone = await findGoneAgents(slug, agents)
          if (gone.length > 0) onGone(gone)
        }
        throw error
      }
    },
    enabled: wanted !== null && wanted.agents.length > 0,
    staleTime: 0,
    gcTime: 0,
    retry: false,
    // The answer for the previous value stays until the next one arrives, so nothing jumps while somebody types.
    placeholderData: keepPreviousData,
  })
