/** Says what an agent of a rollout waits for while it has no outcome. Pure. */
import type { RolloutAgentState, RolloutState, WaitReason, WishState } from '@svc/api'

interface WaitingMember {
  state: RolloutAgentState
  /** The state of the agent's wish, and what the wish waits for (wishes/waits.ts). */
  wish: WishState
  waits: WaitReason | null
}

export function memberWaits(rollout: RolloutState, { state, wish, waits }: WaitingMember): WaitReason | null {
  if (state === 'untouched') return untouchedWaits[rollout]
  return state === 'wished' ? wishedWaits[wish](waits) : null
}

const untouchedWaits: Readonly<Record<RolloutState, WaitReason | null>> = {
  running: { for: 'wave' },
  waiting: { for: 'approval' },
  paused: { for: 'hold', by: 'rollout' },
  halted: { for: 'hold', by: 'rollout' },
  done: null,
  cancelled: null,
}

const waitsForReport = (waits: WaitReason | null): WaitReason => waits ?? { for: 'report' }
const nothing = () => null

/** The waits by the state of the wish. A wish that has ended is judged when the rollout is next advanced. */
const wishedWaits: Readonly<Record<WishState, (waits: WaitReason | null) => WaitReason | null>> = {
  queued: waitsForReport,
  waiting: waitsForReport,
  offered: waitsForReport,
  trying: waitsForReport,
  failed: () => ({ for: 'fetch' }), // the rollout waits only for a download that is tried again (judge.ts)
  held: () => ({ for: 'hold', by: 'machine' }),
  none: nothing,
  kept: nothing,
  rolled_back: nothing,
}
