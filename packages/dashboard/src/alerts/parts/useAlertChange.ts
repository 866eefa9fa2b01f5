import { useMutation, useQueryClient } from '@tanstack/react-query'
import { isAboutAlerts, keys } from '../../data/queries.ts'
import { notify } from '../../ui/notify.tsx'

/**
 * Returns a function that marks as outdated all data of the page that depends on alerts, rules, channels or mutes. What
 * is on screen is loaded again.
 */
export function useAlertsAgain(slug: string): () => Promise<unknown> {
  const client = useQueryClient()
  return () =>
    Promise.all([
      client.invalidateQueries({
        queryKey: keys.workspace(slug),
        predicate: ({ queryKey }) => isAboutAlerts(queryKey),
      }),
      client.invalidateQueries({ queryKey: keys.facts(slug) }),
    ])
}

/**
 * Returns a mutation for a button that changes alerts, rules, channels or mutes by calling `act`. If the service
 * refuses the change, a notification with the title `refused` shows why.
 */
export function useAlertChange<V, R>(slug: string, refused: string, act: (values: V) => Promise<R>) {
  const again = useAlertsAgain(slug)
  return useMutation({
    mutationFn: act,
    onError: (error) => notify({ color: 'red', title: refused, message: error.message }),
    onSettled: again,
  })
}
