/** Why a wish that stands has no outcome yet, from what the agent's rows say. Pure. */
import type { WaitsFor, WishState } from '@svc/api'
import { limits } from '@svc/protocol'
import { type BlueprintWish, mayGoOut, type RuntimeWish } from './kept.ts'

/** 3.3: so long an agent watches the version that it took last before it takes another one (D30). */
const windowMs = limits.windowSeconds * 1000

/** An agent that was told begins at once; one that reports after this has not. */
const beginsMs = 60_000

/** When the agent was heard, and from when on it counts as silent. */
export interface Heard {
  receivedAt: number | null
  silentAt: number | null
}

export interface BlueprintFacts extends Heard {
  /** The version that the machine keeps beside the one that runs: the way back never waits (D30). */
  previous: string | null
  /** When the machine said that it keeps what runs now; null when it runs it for another reason. */
  keptAt: number | null
  runtimeOnTrial: boolean
}

/** Null: nothing is waited for, or the agent's next report. */
export function blueprintWaits(
  state: WishState,
  wish: BlueprintWish | undefined,
  facts: BlueprintFacts,
  now: number,
): WaitsFor | null {
  if (!wish || (state !== 'waiting' && state !== 'offered' && state !== 'trying')) return null
  const absent = absence(facts, now)
  if (absent || state === 'trying') return absent
  if (wish.offeredAt === undefined) return since(facts, wish.at) && { for: 'node' }
  if (facts.runtimeOnTrial) return { for: 'runtime_trial' }
  const windowEnds = facts.keptAt === null ? now : facts.keptAt + windowMs
  if (windowEnds > now && wish.version !== facts.previous) return { for: 'window', until: windowEnds }
  return since(facts, wish.offeredAt + beginsMs) && { for: 'fetch' }
}

export interface RuntimeFacts extends Heard {
  trials: { most: number; busy: number }
  blueprintOnTrial: boolean
}

/** Null: nothing is waited for, or the agent's next report. */
export function runtimeWaits(
  state: WishState,
  wish: RuntimeWish | undefined,
  facts: RuntimeFacts,
  now: number,
): WaitsFor | null {
  if (!wish) return null
  const absent = absence(facts, now)
  if (absent || state === 'trying') return absent
  if (!mayGoOut(wish)) return { for: 'trials', most: facts.trials.most, now: facts.trials.busy }
  if (wish.offeredAt === undefined) return since(facts, wish.grantedAt ?? wish.at) && { for: 'node' }
  if (facts.blueprintOnTrial) return { for: 'blueprint_trial' }
  return since(facts, wish.offeredAt + beginsMs) && { for: 'fetch' }
}

const absence = ({ receivedAt, silentAt }: Heard, now: number): WaitsFor | null =>
  receivedAt === null
    ? { for: 'first_report' }
    : silentAt !== null && silentAt <= now
      ? { for: 'silent', since: receivedAt }
      : null

/** Whether it has reported since then. */
const since = ({ receivedAt }: Heard, at: number): true | null => (receivedAt !== null && receivedAt > at) || null
