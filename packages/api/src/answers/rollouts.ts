/**
 * Answers about rollouts, by the conventions of workspaces.ts. Operations on rollouts are refused with 400
 * `rollout_invalid`, 404 `version_unknown`, 409 `rollout_empty`, `runtime_not_served`, `rollout_over`,
 * `rollout_not_running`, `rollout_changed`. A frame sets `list` when a rollout moved to another wave or state. Rollouts
 * are erased 400 days after their end.
 */
import type { Level, StoppedBy } from '@svc/protocol'
import type { LeftOff } from '../left-off.ts'
import type { PressVerdict, RolloutKind, WaitReason } from './updates.ts'

/**
 * The state of a rollout. A rollout that ends or halts by itself writes `rollout.done` or `rollout.halted` to the
 * activity.
 */
export type RolloutState =
  | 'running'
  | 'waiting' // when a wave has ended well, and a person must start the next wave
  | 'paused' // when a person paused the rollout
  | 'halted' // when the rollout halted by itself; `why` gives the reason
  | 'done'
  | 'cancelled' // when a person cancelled the rollout, or the service serves another release; `why` says so

/** The request that starts a rollout. */
export interface NewRollout {
  kind: RolloutKind
  /** The blueprint to roll out; only for a rollout of kind `blueprint`. */
  blueprint?: string
  /**
   * The version to roll out; only for a rollout of kind `blueprint`. A rollout of the runtime takes the version that
   * the service serves.
   */
  version?: string
  /** The names of the agents. If absent, the rollout is for all agents of the workspace, or of the blueprint. */
  agents?: string[]
  /**
   * The number or percentage of agents that the rollout has reached after each wave; the default is `1`, `10%`,
   * `100%`. If the last wave is not `100%`, a wave of `100%` is added.
   */
  waves?: string[]
  /** True if a person starts each wave after the first. */
  byHand?: boolean
  /** The ids of unfinished rollouts that are cancelled first, so that this rollout can reach their agents. */
  end?: string[]
  /**
   * The seconds for which a wave is watched after its last agent kept the version, before the next starts; default 600.
   */
  watchSeconds?: number
}

/** The waves of a rollout before it starts, and the agents that it would leave out. */
export interface RolloutPreview {
  version: string
  /** The waves of the rollout, each with the names of its agents. */
  waves: { upTo: string; agents: string[] }[]
  /**
   * The agents that would be left out of the rollout. `code` is a RuntimeRefusal, `no_blueprint`, `other_blueprint`,
   * `already_runs`, `version_held`, `svc_too_old` or `in_rollout`. `rollout` is the id of the other rollout for
   * `in_rollout`, and otherwise null.
   */
  leftOut: { agent: string; code: string; message: string; rollout: string | null }[]
  /**
   * The unfinished rollouts because of which agents would be left out. A new rollout ends them if it has their ids in
   * `end`.
   */
  blockedBy: BlockingRollout[]
}

/** A rollout that keeps agents out of another one. */
export type BlockingRollout = Pick<RolloutRow, 'id' | 'kind' | 'blueprint' | 'version' | 'state'>

export interface Rollouts {
  now: number
  rows: RolloutRow[]
  /** True if there are older rollouts. The page requests those that come before the last row. */
  more: boolean
  canAct: boolean
}

/** A rollout in a list. */
export interface RolloutRow {
  id: string
  kind: RolloutKind
  blueprint: string | null
  version: string
  state: RolloutState
  /**
   * Why the rollout was halted or cancelled, or why it waits after a wave, as a sentence; null if there is nothing to
   * say.
   */
  why: string | null
  createdAt: number
  createdBy: string
  changedAt: number
  /** The current wave of the rollout, counted from 1, and the number of its waves. */
  wave: number
  waves: number
  counts: Record<RolloutAgentState, number>
}

/**
 * The rollout that a person saw when they decided about it. `changedAt` distinguishes two halts in the same wave;
 * without it, they count as one.
 */
export type RolloutSeen = Pick<RolloutRow, 'state' | 'wave'> & { changedAt?: number }

/** The state of one agent in a rollout. */
export type RolloutAgentState =
  | 'untouched' // when the agent's wave has not started, or a halt, pause or cancellation withdrew the agent's wish
  | 'wished'
  | 'offered'
  | 'trying'
  | 'kept'
  | 'rolled_back'
  | 'failed'
  | 'worse' // when the agent kept the version, but the level that it reports became worse than before
  | 'left_out' // when the agent is not part of the rollout; `reason` says why
  | 'withdrawn' // when somebody made another wish for the agent meanwhile
  | 'excused' // when the agent was rolled back while the service was away, so that the rollback does not count

/** An agent of a rollout, with its state in it. */
export interface RolloutAgent {
  agent: string
  /** The wave of the rollout to which the agent belongs, counted from 1; 0 for an agent that is left out. */
  wave: number
  state: RolloutAgentState
  /** Why the agent was left out of the rollout, what its machine reported, or how its level changed. */
  reason: string | null
  /** The id of the unfinished rollout because of which the agent was left out; null for any other reason. */
  leftOutFor: string | null
  /**
   * The name of the log with what the version printed before it was rolled back; null if it was not rolled back, or if
   * the version that runs again declares no log for its output.
   */
  printed: string | null
  /** The reason why the agent has no outcome yet; null for an agent with an outcome, and for one that is left out. */
  waits: WaitReason | null
  level: Level | null
  running: string | null
  seenAt: number | null
  silentAt: number | null
  stopped: StoppedBy | null
  /** When the state of the agent in this rollout last changed. */
  at: number | null
}

/** A rollout with all its agents. */
export interface RolloutPage extends RolloutRow, LeftOff {
  now: number
  /**
   * The admin who is responsible for the rollout because they last resumed it; null if nobody did, so that its creator
   * is responsible.
   */
  continuedBy: string | null
  upTo: string[]
  /** The waves in their order: when the first agent of each was asked, null before that, and its agents by state. */
  steps: { begunAt: number | null; counts: Partial<Record<RolloutAgentState, number>> }[]
  byHand: boolean
  watchSeconds: number
  /**
   * When the service stops watching the current wave. The next wave then starts, or waits for a person if `byHand` is
   * true; after the last wave the rollout is done. Null while the current wave is not watched.
   */
  nextAt: number | null
  /** A sentence about what the rollout waits for, what happens next or, after its end, how it ended. */
  says: string
  agents: RolloutAgent[]
  /**
   * The numbers of agents that wait because they watch a version: those that can start the update without waiting, and
   * those whose runtime is too old for that.
   */
  watching: { agents: number; tooOld: number }
  /** `now` lets the agents that watch a version start the update without waiting for the end of the watch. */
  actions: Record<'pause' | 'continue' | 'cancel' | 'now', PressVerdict>
  /**
   * A sentence about how many agents would keep the version, keep the wish or stay unaffected if the rollout were
   * cancelled now. After a cancellation, the sentence says how many did.
   */
  stays: string
  canAct: boolean
}
