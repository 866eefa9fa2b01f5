/**
 * Answers of the service about updates: wishes, their outcomes, and rollouts, by the conventions of answers.ts.
 * Wishes are refused with 404 `version_unknown`, 409 `no_blueprint` or a RuntimeRefusal; rollouts with 400
 * `rollout_invalid`, 404 `version_unknown`, 409 `rollout_empty`, `runtime_not_served`, `rollout_over`,
 * `rollout_not_running`. A frame lists an agent in `changed` when its wishes, holds or timeline changed, and says
 * `list` when a rollout moved to another wave or state. Rollouts are erased 400 days after their end.
 */
import type { Level, Outcome, Stop } from '@svc/protocol'

export interface AgentUpdates {
  now: number
  /** Null for an agent that was connected by hand, since it has no blueprint. */
  blueprint: BlueprintUpdate | null
  runtime: RuntimeUpdate
  /** The rollouts in progress that include this agent. */
  rollouts: { id: string; kind: RolloutKind; version: string }[]
}

/**
 * How far a wish is. It is computed from the version that the agent reports to run and from the outcome it reports,
 * never from a message that came only once (D24).
 */
export type WishState =
  | 'none' // there is no wish
  | 'queued' // waits in its rollout, which allows only so many trials at once
  | 'waiting' // goes out with the next answer
  | 'offered' // the agent received it
  | 'trying' // the agent has fetched the version, or runs it on trial
  | 'kept' // the agent keeps running it
  | 'rolled_back' // not tried again until another version is named
  | 'failed' // the same, but a failed fetch is tried again every ten minutes
  | 'held' // the machine holds the version since an earlier attempt

/** Why a pending wish has no outcome yet. */
export type WaitsFor =
  | { for: 'first_report' }
  | { for: 'node' } // the agent reports to a node that is shutting down and offers no updates
  | { for: 'runtime_trial' | 'blueprint_trial' } // only one of the two at a time (D31)
  | { for: 'fetch' } // the agent received the wish and has reported since, but has not started
  | { for: 'silent'; since: number } // the agent is offline
  | { for: 'window'; until: number } // the agent still watches its last update (D30)
  | { for: 'trials'; most: number; now: number } // the rollout has the maximum number of runtimes on trial

export interface StandingWish {
  version: string
  wishedAt: number
  wishedBy: string
  /** When the first answer carried it. */
  offeredAt: number | null
  /** The rollout that made the wish. */
  rollout: string | null
}

/** The outcome of an agent's last attempt (2.5), as it was reported. The texts are the machine's. */
export interface LastOutcome {
  version: string | null
  outcome: Outcome | null
  message: string | null
}

export interface Hold {
  version: string
  outcome: 'rolled_back' | 'failed'
  /** The message that the agent reported. */
  message: string | null
  since: number
}

/** The state of a button: it can be pressed, or the code and the sentence say why not. */
export type Pressable<Code extends string = string> = { ok: true } | { ok: false; code: Code; message: string }

/** The state of a wish for a version, of the blueprint or of the runtime. */
export interface Standing {
  wish: StandingWish | null
  state: WishState
  /** The state as a sentence. */
  says: string
  /** Null if it waits for nothing, or only for the next report. */
  waits: WaitsFor | null
  applied: LastOutcome | null
}

export interface BlueprintUpdate extends Standing {
  blueprint: string
  /** As last reported, else what was installed. */
  running: string | null
  /** The version that the machine keeps. Naming it rolls back. */
  previous: string | null
  /** The hold on the machine. Naming another version lifts it. */
  hold: Hold | null
  /** The versions that can be named, highest first. */
  versions: string[]
}

/** Why an update of the runtime is refused (3.4), in the order in which it is checked (D36). */
export type RuntimeRefusal =
  | 'runtime_not_served'
  | 'runtime_too_old'
  | 'runtime_up_to_date'
  | 'runtime_pinned'
  | 'runtime_version_held'

export interface RuntimeUpdate extends Standing {
  /** Null if the agent's last report names no runtime. */
  running: string | null
  previous: string | null
  /** The version that a person pinned on the machine. */
  pinned: string | null
  served: ServedRuntime | null
  /** The hold kept by the service, until it serves another version or an admin lifts it. */
  hold: Hold | null
  press: Pressable<RuntimeRefusal>
}

export interface ServedRuntime {
  version: string
  sha256: string
  /** False: no runtime accepts an unsigned file, so an update to it would fail. */
  signed: boolean
}

export interface RuntimeOverview {
  now: number
  served: ServedRuntime | null
  /** The number of agents for each version, largest first. A null version means that they report none. */
  running: { version: string | null; agents: number }[]
  wished: number
  held: number
  pinned: number
  /** The maximum number of trials at once in this workspace, and the number that were offered and have not ended. */
  trials: { most: number; now: number }
}

/** The part of a row of the fleet that is about updates. */
export interface FleetUpdates {
  blueprint: string | null
  /** The version that an admin wants; null if there is no wish. */
  wished: string | null
  wishState: WishState
  runtime: string | null
  runtimeWished: string | null
  runtimeWishState: WishState
  /** True if the served version is held for this agent. */
  runtimeHeld: boolean
  runtimePinned: string | null
}

/**
 * A wish for many agents. For `blueprint`, version null withdraws it, and agents of another blueprint are refused one by
 * one. The activity shows the details `of`, `version` and `agents`, and the subject `agent NAME` or `N agents`.
 */
export type WishOfMany =
  | { kind: 'runtime'; agents: string[]; withdraw?: boolean }
  | { kind: 'blueprint'; agents: string[]; blueprint: string; version: string | null }

export interface WishResult {
  agent: string
  ok: boolean
  /**
   * The reason of a refusal: a RuntimeRefusal, `agent_unknown`, `no_blueprint`, `other_blueprint`, `version_unknown`.
   */
  code: string | null
  message: string | null
}

export type UpdateKind =
  | 'wished'
  | 'withdrawn'
  | 'offered'
  | 'fetched'
  | 'trying'
  | 'kept'
  | 'rolled_back'
  | 'failed'
  | 'held'
  | 'dropped'
  | 'lifted'
  /** The version was changed by a person on the machine. */
  | 'changed'

/** One line of an agent's timeline. `message` is a text of the machine or a sentence of the service. */
export interface UpdateEvent {
  id: string
  at: number
  of: RolloutKind
  kind: UpdateKind
  /** The version that it is about. */
  version: string | null
  /** The version that ran before. */
  from: string | null
  message: string | null
  /** The person who made or withdrew the wish or lifted the hold. */
  by: string | null
  rollout: string | null
  /** When the service was away, for a rollback whose trial overlapped an outage of the service. */
  serviceAway: { from: number; to: number } | null
}

export type RolloutKind = 'blueprint' | 'runtime'
/** The state of a rollout. One that ends or halts by itself writes `rollout.done` or `rollout.halted` to the activity. */
export type RolloutState =
  | 'running'
  | 'waiting' // a wave has ended well, and a person starts the next
  | 'paused' // by a person
  | 'halted' // by itself, see `why`
  | 'done'
  | 'cancelled' // by a person, or because the service serves another release, see `why`

export interface NewRollout {
  kind: RolloutKind
  /** Only for kind `blueprint`. */
  blueprint?: string
  /** Only for kind `blueprint`; a rollout of the runtime takes the served version. */
  version?: string
  /** Names of agents. If absent, all agents of the workspace, or of the blueprint. */
  agents?: string[]
  /**
   * How many agents have been reached after each wave: `1`, `10%`, `100%`, which is the default. If the last is not
   * `100%`, a final wave of `100%` is made of it.
   */
  waves?: string[]
  /** True if a person starts each wave after the first. */
  byHand?: boolean
  /** How many seconds a wave is watched after its last agent kept the version, before the next starts; default 600. */
  watchSeconds?: number
}

export interface RolloutPreview {
  version: string
  /** The names of the agents, by wave. */
  waves: { upTo: string; agents: string[] }[]
  /** `code` is a RuntimeRefusal, `no_blueprint`, `other_blueprint`, `already_runs`, `version_held` or `in_rollout`. */
  leftOut: { agent: string; code: string; message: string }[]
}

export interface Rollouts {
  now: number
  rows: RolloutRow[]
  /** True if there are older rollouts: request those before the last row. */
  more: boolean
  canAct: boolean
}

export interface RolloutRow {
  id: string
  kind: RolloutKind
  blueprint: string | null
  version: string
  state: RolloutState
  /** Why it was halted or cancelled, as a sentence. */
  why: string | null
  createdAt: number
  createdBy: string
  changedAt: number
  /** The current wave, counted from 1, and the number of waves. */
  wave: number
  waves: number
  counts: Record<RolloutAgentState, number>
}

/** How far an agent is in a rollout. */
export type RolloutAgentState =
  | 'untouched' // its wave has not started, or a halt withdrew its wish
  | 'wished'
  | 'offered'
  | 'trying'
  | 'kept'
  | 'rolled_back'
  | 'failed'
  | 'worse' // it kept the version, and its own level became worse than before
  | 'left_out' // see `reason`
  | 'withdrawn' // somebody made another wish meanwhile
  | 'excused' // it was rolled back while the service was away

export interface RolloutAgent {
  agent: string
  /** Counted from 1; 0 for agents that are left out. */
  wave: number
  state: RolloutAgentState
  /** Why it was left out, what the machine said, or how its level changed. */
  reason: string | null
  level: Level | null
  running: string | null
  seenAt: number | null
  silentAt: number | null
  stopped: Stop | null
  /** When its state last changed. */
  at: number | null
}

export interface RolloutPage extends RolloutRow {
  now: number
  /** The admin who last resumed it and is now responsible; null: its creator. */
  continuedBy: string | null
  upTo: string[]
  byHand: boolean
  watchSeconds: number
  /** While a wave is watched, the time at which the next starts. */
  nextAt: number | null
  /** A sentence about what the rollout waits for, or what happens next. */
  says: string
  agents: RolloutAgent[]
  actions: Record<'pause' | 'continue' | 'cancel', Pressable>
  /** A sentence about what cancelling now would leave as it is; after cancelling, about what it left. */
  stays: string
  canAct: boolean
}
