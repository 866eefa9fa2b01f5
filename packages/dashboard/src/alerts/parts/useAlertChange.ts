import { useQueryClient } from '@tanstack/react-query'
import { isAboutAlerts, queryKeys } from '../../data/queries.ts'
import { useChange } from '../../ui/dialogs/useChange.ts'
import { notifyFailed } from '../../ui/notify.tsx'

/** Returns a function that invalidates all cached data that depends on alerts, rules, channels or mutes. */
export function useReloadAlerts(slug: string): () => Promise<unknown> {
  const client = useQueryClient()
  return () =>
    Promise.all([
      client.invalidateQueries({
        queryKey: queryKeys.workspace(slug),
        predicate: ({ queryKey }) => isAboutAlerts(queryKey),
      }),
      client.invalidateQueries({ queryKey: queryKeys.facts(slug) }),
    ])
}

/**
 * Makes `act`, which changes alerts, rules, channels or mutes, into a change for a button. If `act` fails, a
 * notification with the title `refused` says why. `done` is called after a change, once the data is loaded again.
 */
export function useAlertChange<V = void, R = unknown>(
  slug: string,
  refused: string,
  act: (values: V) => Promise<R>,
  done?: () => void,
) {
  const again = useReloadAlerts(slug)
  return useChange(async (values: V) => {
    let value: R
    try {
      value = await act(values)
    } catch (error) {
      notifyFailed(refused, error)
      throw error
    } finally {
      await again()
    }
    done?.()
    return value
  })
}
