/** The state of a wish (D24) for pages, rollouts and the command line. */
import type { WishState } from '@svc/api'
import { runningVersion } from '../../fleet/versions/agents.ts'
import type { AgentRow } from '../../platform/db/tables.ts'
import {
  type BlueprintWish,
  type HoldNote,
  mayBeOffered,
  type RuntimeHold,
  type RuntimeWish,
  wishesIn,
} from './kept.ts'

/** The state of an agent's blueprint wish, from its row. */
export function wishStateOf(
  agent: Pick<AgentRow, 'installed_version' | 'reported_version' | 'previous_version' | 'wishes'>,
): WishState {
  const { blueprint, blueprintHold } = wishesIn(agent.wishes)
  return blueprintState(runningVersion(agent), blueprint, blueprintHold)
}

/**
 * The state of a blueprint wish (D24). It follows from the running version, the hold on the machine, and the progress
 * of the wish.
 */
export function blueprintState(
  running: string | null,
  wish: BlueprintWish | undefined,
  hold: HoldNote | undefined,
): WishState {
  if (!wish) return 'none'
  if (running === wish.version) return 'kept'
  const { fetchedAt, offeredAt } = wish
  if (hold?.version === wish.version) {
    if (fetchedAt !== undefined && fetchedAt > hold.at) return 'trying'
    return hold.at >= wish.at ? hold.outcome : 'held'
  }
  if (offeredAt === undefined) return 'waiting'
  return fetchedAt === undefined ? 'offered' : 'trying'
}

/**
 * The state of a runtime wish. The wish ends with the outcome of the attempt (3.4); after that the hold, if there is
 * one, shows the state.
 */
export function runtimeState(wish: RuntimeWish | undefined, hold: RuntimeHold | undefined): WishState {
  if (!wish) return hold?.outcome ?? 'none'
  if (wish.runsSince !== undefined) return 'trying'
  if (wish.offeredAt !== undefined) return 'offered'
  return mayBeOffered(wish) ? 'waiting' : 'queued'
}
