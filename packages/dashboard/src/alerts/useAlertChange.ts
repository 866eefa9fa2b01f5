import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notify } from '../notify.tsx'
import { keys } from '../queries.ts'

/** Asks again for what a change of alerts, rules, channels or mutes may have changed. */
export function useAlertsAgain(slug: string): () => Promise<unknown> {
  const client = useQueryClient()
  return () =>
    Promise.all([keys.alerts(slug), keys.facts(slug)].map((queryKey) => client.invalidateQueries({ queryKey })))
}

/** A change by one press. `refused` is the title of the notification that shows the service's refusal. */
export function useAlertChange<V, R>(slug: string, refused: string, act: (values: V) => Promise<R>) {
  const again = useAlertsAgain(slug)
  return useMutation({
    mutationFn: act,
    onError: (error) => notify({ color: 'red', title: refused, message: error.message }),
    onSettled: again,
  })
}
