/**
 * Answers about updates: wishes and their outcomes, by the conventions of workspaces.ts. A frame lists an agent in
 * `changed` when its wishes, holds or timeline changed.
 */

import type { Outcome } from '@svc/protocol'
import type { UpdateKind } from '../words/updates.ts'

/** The updates of one agent: of its blueprint and of its runtime. */
export interface AgentUpdates {
  now: number
  /** The update of the agent's blueprint; null for an agent without a blueprint, which was connected by hand. */
  blueprint: BlueprintUpdate | null
  runtime: RuntimeUpdate
  /** The rollouts that include this agent and are neither done nor cancelled, newest first. */
  rollouts: { id: string; kind: RolloutKind; version: string }[]
}

/**
 * The state of a wish for another version. It depends on the version and the outcome that the agent repeats in every
 * report, so a lost message does no harm (D24).
 */
export type WishState =
  | 'none' // when no admin wants another version
  | 'queued' // when a rollout's wish waits for its turn, since only some agents may be on trial at once
  | 'waiting' // when the next answer to the agent will carry the wish
  | 'offered' // when an answer has carried the wish to the agent
  | 'trying' // when the agent has fetched the version, or runs it on trial
  | 'kept' // when the update has succeeded, and the agent keeps the wished version
  | 'rolled_back' // when the agent returned to the version before, and holds the wished version
  | 'failed' // when the attempt failed; the agent tries a failed fetch again every ten minutes
  | 'held' // when the machine holds the wished version since an attempt before the wish

/** Why a pending wish for another version, or an agent of a rollout, has no outcome yet. */
export type WaitReason =
  | { for: 'first_report' }
  | { for: 'node' } // because the agent reports to a node that is shutting down and offers no updates
  | { for: 'runtime_trial' | 'blueprint_trial' } // because an agent and its runtime are not updated together (D31)
  | { for: 'fetch' } // because the agent received the wish and has reported since, but has not started the update
  | { for: 'silent'; since: number } // because the agent is offline
  | { for: 'window'; until: number; version: string } // because the agent still watches this kept version (D30)
  | { for: 'trials'; most: number; now: number } // because the maximum number of runtimes is on trial
  | { for: 'report' } // because the agent has not sent its next report; like those below, only for agents of a rollout
  | { for: 'wave' } // because the wave of the agent has not started
  | { for: 'approval' } // because a person must start the next wave of the rollout
  | { for: 'hold'; by: 'rollout' | 'machine' } // because the rollout is paused or halted, or the machine has a hold

/** The last wish for a version that was made for an agent and not withdrawn. */
export interface CurrentWish {
  version: string
  wishedAt: number
  wishedBy: string
  /** When an answer to one of the agent's reports first carried the wish. */
  offeredAt: number | null
  /** The id of the rollout that made the wish; null if a person made it. */
  rollout: string | null
}

/** The outcome of an agent's last attempt to update (2.5), with the texts of the agent's machine. */
export interface LastOutcome {
  version: string | null
  outcome: Outcome | null
  message: string | null
}

/** A hold on a version that failed. */
export interface Hold {
  version: string
  outcome: 'rolled_back' | 'failed'
  /** The message that the agent reported together with `outcome`. */
  message: string | null
  since: number
}

/** Says whether an operation would be accepted now and, if not, why. */
export type PressVerdict<Code extends string = string> = { ok: true } | { ok: false; code: Code; message: string }

/** The state of a wish for a version of the agent's blueprint or runtime. */
export interface WishStatus {
  wish: CurrentWish | null
  state: WishState
  /** A sentence for people about the state of the wish. */
  says: string
  /** The reason why the wish has no outcome yet; null if it has one, or if it only waits for the next report. */
  waits: WaitReason | null
  applied: LastOutcome | null
}

/** The update of an agent's blueprint. */
export interface BlueprintUpdate extends WishStatus {
  blueprint: string
  /**
   * The version of the blueprint that the agent reported last or, before its first report, the version that was
   * installed.
   */
  running: string | null
  /** The version that the agent ran before. The machine keeps it, and an update to it is a rollback. */
  previous: string | null
  /** The hold by which the runtime refuses a version that failed. A wish for another version lifts the hold. */
  hold: Hold | null
  /** The versions of the blueprint to which an admin can update this agent, highest first. */
  versions: string[]
  /** The name of the log with the output of the version on hold, if it was rolled back; null if there is none. */
  printed: string | null
  /** Says whether an admin can end the watching of the running version, for which the wish waits (D30). */
  now: PressVerdict<NowRefusal>
}

/** The reason why an admin cannot end the watching of the running version. */
export type NowRefusal = 'nothing_waits' | 'svc_too_old'

/** The reason why an update of the runtime is refused (3.4). If several apply, the first one is given (D36). */
export type RuntimeRefusal =
  | 'runtime_not_served'
  | 'runtime_too_old'
  | 'runtime_up_to_date'
  | 'runtime_pinned'
  | 'runtime_version_held'

/** The update of an agent's runtime. */
export interface RuntimeUpdate extends WishStatus {
  /** The version of the runtime that the agent reported last; null if its last report names no runtime. */
  running: string | null
  previous: string | null
  /** The version to which a person on the machine pinned the runtime. */
  pinned: string | null
  served: ServedRuntime | null
  /**
   * The hold on the served version, which failed on this agent. It lasts until the service serves another release or an
   * admin lifts the hold.
   */
  hold: Hold | null
  press: PressVerdict<RuntimeRefusal>
}

/** The release of the runtime that the service serves. */
export interface ServedRuntime {
  version: string
  sha256: string
  /** False if the release is unsigned. No runtime accepts an unsigned release. */
  signed: boolean
}

export interface RuntimeOverview {
  now: number
  served: ServedRuntime | null
  /** The number of agents on each version of the runtime, largest number first; null for agents that report none. */
  running: { version: string | null; agents: number }[]
  wished: number
  held: number
  pinned: number
  /**
   * The trials of runtimes in this workspace: how many may run at the same time (`most`), and how many run or are
   * about to (`now`).
   */
  trials: { most: number; now: number }
}

/**
 * The numbers of agents by version of one blueprint, for each day. Today has the current numbers. Days on which nothing
 * was counted are missing, and the oldest days if the answer would be too long.
 */
export interface VersionDays {
  now: number
  /** The blueprint that the days are about; null if no agent had one in these days. */
  blueprint: string | null
  /** The blueprints with agents in these days, sorted by their last day with agents, then by the agents of that day. */
  blueprints: string[]
  /** Each day (UTC), such as `2026-11-21`, oldest first. The version '' combines rare versions. */
  days: { date: string; agents: Record<string, number> }[]
}

/** The columns about updates in an agent's row of the fleet list. */
export interface AgentUpdateSummary {
  blueprint: string | null
  /** The version of the blueprint that an admin wants the agent to run; null if there is no wish. */
  wished: string | null
  wishState: WishState
  runtime: string | null
  runtimeWished: string | null
  runtimeWishState: WishState
  /** True if the agent does not take the served version of the runtime because that version is on hold for it. */
  runtimeHeld: boolean
  /** True if the agent's runtime is older than the one that the service serves. */
  runtimeOutdated: boolean
  runtimePinned: string | null
}

/** One wish for many agents. `withdraw`, or a version of null, withdraws their wishes. */
export type WishOfMany =
  | { kind: 'runtime'; agents: string[]; withdraw?: boolean }
  | { kind: 'blueprint'; agents: string[]; blueprint: string; version: string | null }

/** The result for one agent of a wish that was made for many. */
export interface WishResult {
  agent: string
  ok: boolean
  /**
   * The reason why the wish was refused: a RuntimeRefusal, `agent_unknown`, `no_blueprint`, `other_blueprint`,
   * `version_unknown` or `svc_too_old`. Null if the wish was accepted.
   */
  code: string | null
  message: string | null
}

export type RolloutKind = 'blueprint' | 'runtime'

/** One line of an agent's timeline of updates. `message` comes from the agent's machine or from the service. */
export interface UpdateEvent {
  id: string
  at: number
  of: RolloutKind
  kind: UpdateKind
  /** The version that the event is about. */
  version: string | null
  /** The version that the agent ran before the event. */
  from: string | null
  message: string | null
  /** The person who made or withdrew a wish or lifted a hold; null for other events. */
  by: string | null
  rollout: string | null
  /** The outage of the service during the trial before a rollback; null if there was none, and for other events. */
  serviceAway: { from: number; to: number } | null
}
