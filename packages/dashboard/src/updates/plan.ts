/** Pure functions that turn the update form into requests to the service. */
import type { NewRollout, WishOfMany, WishState } from '@svc/api'
import { count, figure } from '../ui/time/format.ts'
import { readWaves } from './parts/looks.ts'

/** The content of the update form: the version to install, the agents, and the way in which they get it. */
export interface UpdatePlan {
  kind: 'blueprint' | 'runtime'
  blueprint: string
  version: string
  /** The names of the agents to update; undefined for all agents, or for all agents of the blueprint. */
  agents: readonly string[] | undefined
  how: 'waves' | 'once' | 'withdraw'
  waves: string
  byHand: boolean
  minutes: number
}

/** The waves with which the form opens. */
export const usualWaves = '1, 10%, all'

/** The rollout that the update form describes; undefined while the form is not valid. */
export function rolloutOf(plan: UpdatePlan): NewRollout | undefined {
  const waves = plan.how === 'waves' ? readWaves(plan.waves) : ['100%']
  if (!waves || (plan.kind === 'blueprint' && plan.version === '')) return undefined
  return {
    kind: plan.kind,
    ...(plan.kind === 'blueprint' && { blueprint: plan.blueprint, version: plan.version }),
    ...(plan.agents && { agents: [...plan.agents] }),
    waves,
    ...(plan.how === 'waves' && { byHand: plan.byHand, watchSeconds: Math.round(plan.minutes * 60) }),
  }
}

/** Splits the cancellation of pending updates into requests with at most `atATime` agents each. */
export function withdrawalsOf(plan: UpdatePlan, names: readonly string[], atATime = 2000): WishOfMany[] {
  const pieces = Array.from({ length: Math.ceil(names.length / atATime) }, (_, i) =>
    names.slice(i * atATime, (i + 1) * atATime),
  )
  return pieces.map((agents) =>
    plan.kind === 'runtime'
      ? { kind: 'runtime', agents, withdraw: true }
      : { kind: 'blueprint', agents, blueprint: plan.blueprint, version: null },
  )
}

/** The names of the blueprints, sorted by the number of agents that do not run the latest version, largest first. */
export function byAgentsBehind(
  rows: readonly { name: string; latest: string; running: readonly { version: string; agents: number }[] }[],
): string[] {
  const behind = ({ latest, running }: (typeof rows)[number]) =>
    running.reduce((sum, { version, agents }) => (version === latest ? sum : sum + agents), 0)
  return rows.toSorted((a, b) => behind(b) - behind(a)).map(({ name }) => name)
}

/**
 * The warning about a version that was rolled back, such as `1.6.0 was rolled back on 2 of 8 agents that tried it.`;
 * null if no agent whose request is for this version has rolled it back.
 */
export function rolledBackText(
  agents: readonly { running: string; wished: string | null; wishState: WishState }[],
  version: string,
): string | null {
  const back = agents.filter(
    ({ wished, wishState }) => wished === version && (wishState === 'rolled_back' || wishState === 'held'),
  ).length
  const kept = agents.filter(({ running }) => running === version).length
  return back === 0
    ? null
    : `${version} was rolled back on ${figure(back)} of ${count(back + kept, 'agent')} that tried it.`
}
