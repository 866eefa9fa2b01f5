/**
 * Answers about rollouts, by the conventions of workspaces.ts. A frame sets `list` when a rollout moved to another wave
 * or state.
 */
import type { Level, StoppedBy } from '@svc/protocol'
import type { LeftOff } from '../left-off.ts'
import type { PressVerdict, RolloutKind, WaitReason } from './updates.ts'

/** The state of a rollout. */
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
   * The number or percentage of agents that the rollout has reached after each wave, by default `1`, `10%`, `100%`. If
   * the last one is not `100%`, a wave of `100%` is added.
   */
  waves?: string[]
  /** True if a person starts each wave after the first. */
  byHand?: boolean
  /** The ids of unfinished rollouts that are cancelled first, so that this rollout can reach their agents. */
  end?: string[]
  /** The seconds for which a finished wave is watched before the next wave may start; by default 600. */
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
  /** The unfinished rollouts because of which agents would be left out. A new rollout may name them in `end`. */
  blockedBy: BlockingRollout[]
}

/** A rollout that keeps agents out of another one. */
export type BlockingRollout = Pick<RolloutRow, 'id' | 'kind' | 'blueprint' | 'version' | 'state'>

export interface Rollouts {
  now: number
  rows: RolloutRow[]
  /** True if there are older rollouts. */
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
  /** A sentence about why the rollout is halted, was cancelled, or waits after a wave; null if there is no reason. */
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
 * The state of the rollout that a person saw before they acted. `changedAt` shows whether a halted rollout was resumed
 * and halted again in the meantime.
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
  /** The reason for the state: why the agent was left out, what its machine reported, or how its level changed. */
  reason: string | null
  /** The id of the unfinished rollout because of which the agent was left out; null for any other reason. */
  leftOutFor: string | null
  /** The name of the log with the output of a version that was rolled back; null if there is no such log. */
  printed: string | null
  /** The reason why the agent has no outcome yet; null if it has one or was left out. */
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
  /** The admin who last resumed the rollout or started a wave, and is now responsible for it; null for its creator. */
  continuedBy: string | null
  upTo: string[]
  /** The waves in their order. `begunAt` is when the first agent of the wave got its wish; null before that. */
  steps: { begunAt: number | null; counts: Partial<Record<RolloutAgentState, number>> }[]
  byHand: boolean
  watchSeconds: number
  /** When the service stops watching the current wave, so that the rollout goes on; null while no wave is watched. */
  nextAt: number | null
  /** A sentence about what the rollout waits for, what happens next or, after its end, how it ended. */
  says: string
  agents: RolloutAgent[]
  /**
   * The numbers of agents that wait because they still watch another version. `agents` can start the update at once;
   * the runtimes of `tooOld` cannot.
   */
  watching: { agents: number; tooOld: number }
  /**
   * Says for each operation on the rollout whether it would be accepted now. The operation `now` lets agents that still
   * watch another version start the update immediately.
   */
  actions: Record<'pause' | 'continue' | 'cancel' | 'now', PressVerdict>
  /**
   * A sentence about how many agents would keep the version or the wish if the rollout were cancelled now. After a
   * cancellation, it says how many did.
   */
  stays: string
  canAct: boolean
}
