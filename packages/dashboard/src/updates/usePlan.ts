/** Hooks that hold the state of the update form: the plan, the agents that it concerns, and the progress of sending. */
import type { WishResult } from '@svc/api'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../data/api.ts'
import { queryKeys, read, rolloutsQuery } from '../data/queries.ts'
import { paths } from '../paths.ts'
import { useChange } from '../ui/dialogs/useChange.ts'
import { chosenAgents } from './parts/chosen.ts'
import { rolloutOf, type UpdatePlan, usualWaves, withdrawalsOf } from './plan.ts'

const route = getRouteApi('/signed-in/w/$slug/updates/new')

/**
 * The plan that the update form edits. A plan without a version, or with an unknown one, gets the first of `versions`.
 * `names` are the agents that were selected in the list of agents.
 */
export function usePlan(slug: string, blueprints: readonly string[]) {
  const search = route.useSearch()
  const [names] = useState(() => (search.agents === 'chosen' ? chosenAgents(slug) : []))
  const [plan, setPlan] = useState<UpdatePlan>({
    kind: search.blueprint !== undefined || blueprints.length > 0 ? 'blueprint' : 'runtime',
    blueprint: blueprints.find((name) => name === search.blueprint) ?? blueprints[0] ?? '',
    version: search.version ?? '',
    agents: names.length > 0 ? names : undefined,
    how: 'waves',
    waves: usualWaves,
    byHand: false,
    minutes: 10,
  })
  const change = (what: Partial<UpdatePlan>) => setPlan((before) => ({ ...before, ...what }))
  const { data: page } = useQuery({
    ...read('GET /w/:slug/blueprints/:blueprint', { slug, blueprint: plan.blueprint }),
    enabled: plan.blueprint !== '',
  })
  const { data: runtime } = useQuery(read('GET /w/:slug/runtime', { slug }))
  const versions = page?.versions.map(({ version }) => version) ?? []
  const version = versions.find((one) => one === plan.version) ?? versions[0] ?? ''
  return { plan: { ...plan, version }, change, names, versions, page, runtime }
}

/**
 * Finds the agents that the plan concerns. `reached` are the agents that a rollout would update. `chosen` are the
 * agents to which the form is sent: a cancellation for all agents also includes agents that a rollout would leave out.
 */
export function useReach(slug: string, plan: UpdatePlan) {
  const rollout = rolloutOf(plan)
  const preview = useQuery({
    queryKey: [...queryKeys.rollouts(slug), 'preview', rollout],
    queryFn: () => (rollout ? call('POST /w/:slug/rollouts/preview', { slug }, rollout) : null),
    enabled: rollout !== undefined,
    placeholderData: keepPreviousData,
  })
  const reached = preview.data?.waves.flatMap(({ agents }) => agents) ?? []
  const left = preview.data?.leftOut.map(({ agent }) => agent) ?? []
  const agents = plan.agents ?? (plan.how === 'withdraw' ? [...reached, ...left] : reached)
  return { rollout, preview, reached, chosen: agents }
}
type PlanReach = ReturnType<typeof useReach>

/**
 * Returns a function `send`, which starts a rollout and opens its page, or cancels the pending updates of the chosen
 * agents. During a cancellation, `done` counts the agents that have a result; afterwards, `results` has all results.
 * The argument of `send` is the ids of the unfinished rollouts that the service ends before it starts the new one.
 */
export function useSending(slug: string, plan: UpdatePlan, { rollout, chosen }: PlanReach) {
  const navigate = route.useNavigate()
  const client = useQueryClient()
  const [results, setResults] = useState<WishResult[] | null>(null)
  const [done, setDone] = useState(0)
  const { busy, error, submit } = useChange(async (end: readonly string[]) => {
    if (!rollout) return
    if (plan.how !== 'withdraw') {
      const made = await call(
        'POST /w/:slug/rollouts',
        { slug },
        { ...rollout, ...(end.length > 0 && { end: [...end] }) },
      )
      client.setQueryData(read('GET /w/:slug/rollouts/:id', { slug, id: made.id }).queryKey, made)
      void client.invalidateQueries({ queryKey: rolloutsQuery(slug).queryKey })
      return navigate({ to: paths.rollout, params: { slug, id: made.id } })
    }
    const became: WishResult[] = []
    setDone(0)
    for (const wish of withdrawalsOf(plan, chosen)) {
      became.push(...(await call('POST /w/:slug/wishes', { slug }, wish)))
      setDone(became.length)
    }
    setResults(became)
    for (const key of [
      queryKeys.fleet(slug),
      queryKeys.agents(slug),
      queryKeys.blueprints(slug),
      queryKeys.rollouts(slug),
      queryKeys.runtime(slug),
    ])
      void client.invalidateQueries({ queryKey: key })
  })
  const again = () => setResults(null)
  return { busy, done, error, send: (end: readonly string[] = []) => submit(end), results, again }
}

/** The reason why the update form cannot be sent now; null if it can. */
export function whyNotSendable(
  plan: UpdatePlan,
  { rollout, preview, reached, chosen }: PlanReach,
  busy: boolean,
): string | null {
  if (busy) return 'Sending…'
  if (!rollout) return 'Complete the form first.'
  if (!preview.data || preview.isPlaceholderData) return 'Still loading the agents concerned.'
  return (plan.how === 'withdraw' ? chosen : reached).length === 0 ? 'No agents to update.' : null
}
