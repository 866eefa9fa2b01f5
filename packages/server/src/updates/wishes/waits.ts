/** Says what a wish that has no outcome yet waits for, judged from the agent's rows. Pure. */
import type { WaitReason, WishState } from '@svc/api'
import { limits } from '@svc/protocol'
import { type BlueprintWish, mayBeOffered, type RuntimeWish } from './kept.ts'

/**
 * The milliseconds for which an agent watches a version that it has kept, before it installs another one (3.3, D30).
 */
export const watchingMs = limits.windowSeconds * 1000

/**
 * The milliseconds within which an agent starts an update after an answer offered it. If the agent reports later than
 * that and has not started, the wish waits for its start (`fetch`).
 */
const beginsMs = 60_000

/** The time of the agent's last report, and the time from which it counts as offline. */
export interface LastSeen {
  receivedAt: number | null
  silentAt: number | null
}

/** The facts that say what a blueprint wish waits for. */
export interface BlueprintWaitFacts extends LastSeen {
  /**
   * The version before the running one, which stays on the agent's machine. A rollback to it never has to wait (D30).
   */
  previous: string | null
  /**
   * The running version, and the time at which the agent reported that it keeps it; null unless the last line about a
   * version in the agent's timeline says so.
   */
  kept: { version: string; at: number } | null
  runtimeOnTrial: boolean
}

/** Says what a blueprint wish waits for; null when it waits for nothing, or only for the agent's next report. */
export function blueprintWaits(
  state: WishState,
  wish: BlueprintWish | undefined,
  facts: BlueprintWaitFacts,
  now: number,
): WaitReason | null {
  if (!wish || (state !== 'waiting' && state !== 'offered' && state !== 'trying')) return null
  const absent = absenceWait(facts, now)
  if (absent || state === 'trying') return absent
  const { offeredAt, hurriedAt } = wish
  if (offeredAt !== undefined && facts.runtimeOnTrial) return { for: 'runtime_trial' }
  const window = windowOf(facts.kept, now)
  if (window && wish.version !== facts.previous && hurriedAt === undefined) return window
  if (offeredAt === undefined) return since(facts, wish.at) && { for: 'node' }
  return since(facts, Math.max(hurriedAt ?? 0, offeredAt) + beginsMs) && { for: 'fetch' }
}

const windowOf = (kept: BlueprintWaitFacts['kept'], now: number): WaitReason | null =>
  kept !== null && kept.at + watchingMs > now
    ? { for: 'window', until: kept.at + watchingMs, version: kept.version }
    : null

/** The facts that say what a runtime wish waits for. */
export interface RuntimeWaitFacts extends LastSeen {
  trials: { max: number; busy: number }
  blueprintOnTrial: boolean
}

/** Says what a runtime wish waits for; null when it waits for nothing, or only for the agent's next report. */
export function runtimeWaits(
  state: WishState,
  wish: RuntimeWish | undefined,
  facts: RuntimeWaitFacts,
  now: number,
): WaitReason | null {
  if (!wish) return null
  const absent = absenceWait(facts, now)
  if (absent || state === 'trying') return absent
  if (!mayBeOffered(wish)) return { for: 'trials', most: facts.trials.max, now: facts.trials.busy }
  if (wish.offeredAt === undefined) return since(facts, wish.grantedAt ?? wish.at) && { for: 'node' }
  if (facts.blueprintOnTrial) return { for: 'blueprint_trial' }
  return since(facts, wish.offeredAt + beginsMs) && { for: 'fetch' }
}

const absenceWait = ({ receivedAt, silentAt }: LastSeen, now: number): WaitReason | null =>
  receivedAt === null
    ? { for: 'first_report' }
    : silentAt !== null && silentAt <= now
      ? { for: 'silent', since: receivedAt }
      : null

/**
 * True if the agent has reported after the time `at`; otherwise null, because the wish then only waits for the next
 * report.
 */
const since = ({ receivedAt }: LastSeen, at: number): true | null => (receivedAt !== null && receivedAt > at) || null
