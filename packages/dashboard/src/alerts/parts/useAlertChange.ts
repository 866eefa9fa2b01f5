import { useQueryClient } from '@tanstack/react-query'
import { isAboutAlerts, queryKeys } from '../../data/queries.ts'
import { useChange } from '../../ui/dialogs/useChange.ts'
import { notifyFailed } from '../../ui/notify.tsx'

/**
 * Returns a function that marks as outdated all data of the page that depends on alerts, rules, channels or mutes. What
 * is on screen is loaded again.
 */
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
 * Follows a change of alerts, rules, channels or mutes that a button makes by calling `act`. If the service refuses the
 * change, a notification with the title `refused` shows why. `done` is called after the change, once the page shows it.
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
