/** Pure functions that turn the update form into requests to the service. */
import type { NewRollout, WishOfMany } from '@svc/api'
import { readWaves } from './parts/words.ts'

export interface Plan {
  kind: 'blueprint' | 'runtime'
  blueprint: string
  version: string
  /** The names of the agents to update; undefined means all agents that the update can reach. */
  agents: readonly string[] | undefined
  how: 'waves' | 'once' | 'withdraw'
  waves: string
  byHand: boolean
  minutes: number
}

export const usualWaves = '1, 10%, all'

/** The rollout that the update form describes; undefined while the form is not valid. */
export function rolloutOf(plan: Plan): NewRollout | undefined {
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
export function withdrawalsOf(plan: Plan, names: readonly string[], atATime = 2000): WishOfMany[] {
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
export function behindFirst(
  rows: readonly { name: string; latest: string; running: readonly { version: string; agents: number }[] }[],
): string[] {
  const behind = ({ latest, running }: (typeof rows)[number]) =>
    running.reduce((sum, { version, agents }) => (version === latest ? sum : sum + agents), 0)
  return rows.toSorted((a, b) => behind(b) - behind(a)).map(({ name }) => name)
}
