/**
 * What the service answers about updates: wishes, what became of them, and rollouts, by the conventions of answers.ts. Refusals: of a
 * wish 404 `version_unknown`, 409 `no_blueprint` or a RuntimeRefusal; of a rollout 400 `rollout_invalid`, 404 `version_unknown`, 409
 * `rollout_empty`, `runtime_not_served`, `rollout_over`, `rollout_not_running`.
 *
 * A frame names an agent in `changed` when its wishes, holds or timeline changed, and says `list` when a rollout moved to another wave or
 * state. The activity has the details `of`, `version`, `agents` of a wish, and its subject is `agent NAME` or `N agents`. A rollout that
 * ends or halts by itself writes `rollout.done` or `rollout.halted`; 400 days after its end it is erased.
 */
import type { Level, Outcome, Stop } from '@svc/protocol'

export interface AgentUpdates {
  now: number
  /** Null for an agent that was connected by hand: it has no blueprint. */
  blueprint: BlueprintUpdate | null
  runtime: RuntimeUpdate
  /** The rollouts that are under way and have this agent. */
  rollouts: { id: string; kind: RolloutKind; version: string }[]
}

/**
 * Where a wish stands, computed from what the agent says it runs and from the outcome it reports, never from a message that
 * came once (D24):
 * `none` no wish · `queued` of a rollout, and waits for its turn (a rollout has only so many runtimes on trial at once) · `waiting` goes out
 * with the next answer · `offered` the agent was told · `trying` it has fetched the version, or runs it on trial · `kept` it
 * runs it for good · `rolled_back`, `failed` the attempt ended so; the version is not tried again until another is named
 * (a fetch that failed is: every ten minutes) · `held` the machine keeps it on hold from an earlier attempt
 */
export type WishState =
  | 'none'
  | 'queued'
  | 'waiting'
  | 'offered'
  | 'trying'
  | 'kept'
  | 'rolled_back'
  | 'failed'
  | 'held'

/**
 * Why a wish that stands has no outcome yet: `silent` nobody hears the agent · `node` it has reported since, to a node that was
 * told to end and tells nobody · `trials` its rollout has as many runtimes on trial as it may · `window` it watches
 * the version that it took last (D30), until then at the earliest · `runtime_trial`, `blueprint_trial` one at a time (D31) ·
 * `fetch` it was told and has reported since, and not begun
 */
export type WaitsFor =
  | { for: 'first_report' | 'node' | 'runtime_trial' | 'blueprint_trial' | 'fetch' }
  | { for: 'silent'; since: number }
  | { for: 'window'; until: number }
  | { for: 'trials'; most: number; now: number }

export interface StandingWish {
  version: string
  wishedAt: number
  wishedBy: string
  /** With the first answer that carried it. */
  offeredAt: number | null
  /** The rollout that set it. */
  rollout: string | null
}

/** What an agent reported of its last attempt (2.5), as sent: text of the machine. */
export interface LastOutcome {
  version: string | null
  outcome: Outcome | null
  message: string | null
}

export interface Hold {
  version: string
  outcome: 'rolled_back' | 'failed'
  /** The agent's words. */
  message: string | null
  since: number
}

/** A button of the page: whether it can be pressed, and if not the code and the sentence. */
export type Pressable<Code extends string = string> = { ok: true } | { ok: false; code: Code; message: string }

/** How a wish stands, whichever of the two it is. */
export interface Standing {
  wish: StandingWish | null
  state: WishState
  /** The state as a sentence. */
  says: string
  /** Null: for nothing, or only for the next report. */
  waits: WaitsFor | null
  applied: LastOutcome | null
}

export interface BlueprintUpdate extends Standing {
  blueprint: string
  /** As last reported, else what was installed. */
  running: string | null
  /** What the machine keeps beside it: naming it rolls back. */
  previous: string | null
  /** On the machine; lifted by naming another version. */
  hold: Hold | null
  /** Versions that can be named, highest first. */
  versions: string[]
}

/** 3.4, in the order in which they are judged (D36). */
export type RuntimeRefusal =
  | 'runtime_not_served'
  | 'runtime_too_old'
  | 'runtime_up_to_date'
  | 'runtime_pinned'
  | 'runtime_version_held'

export interface RuntimeUpdate extends Standing {
  /** Null: the agent's last report names no runtime. */
  running: string | null
  previous: string | null
  /** By a person on the machine. */
  pinned: string | null
  served: ServedRuntime | null
  /** By the service, until it serves another version or an admin lifts it. */
  hold: Hold | null
  press: Pressable<RuntimeRefusal>
}

export interface ServedRuntime {
  version: string
  sha256: string
  /** False: no runtime takes an unsigned file, and an update to it fails. */
  signed: boolean
}

export interface RuntimeOverview {
  now: number
  served: ServedRuntime | null
  /** How many agents run which version; null: they report none. Most first. */
  running: { version: string | null; agents: number }[]
  wished: number
  held: number
  pinned: number
  /** How many may be on trial at once in this workspace, and how many have been offered it and not ended it. */
  trials: { most: number; now: number }
}

/** Part of a line of the fleet. */
export interface FleetUpdates {
  blueprint: string | null
  /** The version that an admin wants; null: no wish. */
  wished: string | null
  wishState: WishState
  runtime: string | null
  runtimeWished: string | null
  runtimeWishState: WishState
  /** The served version is held for it. */
  runtimeHeld: boolean
  runtimePinned: string | null
}

/** `blueprint`: version null withdraws. Agents of another blueprint are refused one by one. */
export type WishOfMany =
  | { kind: 'runtime'; agents: string[]; withdraw?: boolean }
  | { kind: 'blueprint'; agents: string[]; blueprint: string; version: string | null }

export interface WishResult {
  agent: string
  ok: boolean
  /** Why not, when not: one of RuntimeRefusal, `agent_unknown`, `no_blueprint`, `other_blueprint`, `version_unknown`. */
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
  /** The version changed by another hand than ours: a person on the machine. */
  | 'changed'

/** One line of an agent's timeline. `message` is text of the machine or a sentence of the service. */
export interface UpdateEvent {
  id: string
  at: number
  of: RolloutKind
  kind: UpdateKind
  /** The version that it is about. */
  version: string | null
  /** What ran before. */
  from: string | null
  message: string | null
  /** The person who wished, withdrew or lifted. */
  by: string | null
  rollout: string | null
  /** Of a rollback whose trial overlapped an outage of the service: from when to when it was away. */
  serviceAway: { from: number; to: number } | null
}

export type RolloutKind = 'blueprint' | 'runtime'
/**
 * `running`; `waiting` a wave has ended well and a person says when the next begins; `paused` by a person; `halted` by
 * itself, `why` says what for; `done`; `cancelled` by a person, or since the service serves another release (`why`).
 */
export type RolloutState = 'running' | 'waiting' | 'paused' | 'halted' | 'done' | 'cancelled'

export interface NewRollout {
  kind: RolloutKind
  /** Of kind `blueprint`. */
  blueprint?: string
  /** Of kind `blueprint`; a runtime rollout takes the served version. */
  version?: string
  /** Names; left out: all agents of the workspace (of the blueprint). */
  agents?: string[]
  /** How many have been reached after each wave: `1`, `10%`, `100%`. The last is made `100%` if it is not. Default: these three. */
  waves?: string[]
  /** After each wave a person says when the next begins. */
  byHand?: boolean
  /** How long a wave is watched after its last agent kept the version, before the next begins; default 600. */
  watchSeconds?: number
}

export interface RolloutPreview {
  version: string
  /** Names by wave. */
  waves: { upTo: string; agents: string[] }[]
  /** `code`: one of RuntimeRefusal, `no_blueprint`, `other_blueprint`, `already_runs`, `version_held`, `in_rollout`. */
  leftOut: { agent: string; code: string; message: string }[]
}

export interface Rollouts {
  now: number
  rows: RolloutRow[]
  /** There are older ones: ask for those before the last row. */
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
  /** 1 for the first; of how many. */
  wave: number
  waves: number
  counts: Record<RolloutAgentState, number>
}

/**
 * `untouched` its wave has not come, or its wish was taken back by a halt · `wished`, `offered`, `trying` on the way · `kept` ·
 * `rolled_back`, `failed` · `worse` it kept the version and its own level got worse than before · `left_out` with the
 * reason · `withdrawn` somebody wished otherwise meanwhile · `excused` it was rolled back while the service was away
 */
export type RolloutAgentState =
  | 'untouched'
  | 'wished'
  | 'offered'
  | 'trying'
  | 'kept'
  | 'rolled_back'
  | 'failed'
  | 'worse'
  | 'left_out'
  | 'withdrawn'
  | 'excused'

export interface RolloutAgent {
  agent: string
  /** From 1; 0 for those left out. */
  wave: number
  state: RolloutAgentState
  /** Why it was left out, what the machine said, how its level changed. */
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
  /** Who last let it go on, and answers for it since; null: whoever began it does. */
  continuedBy: string | null
  upTo: string[]
  byHand: boolean
  watchSeconds: number
  /** While a wave is watched: when the next begins. */
  nextAt: number | null
  /** What is waited for, or what happens next, as a sentence. */
  says: string
  agents: RolloutAgent[]
  actions: Record<'pause' | 'continue' | 'cancel', Pressable>
  /** What cancelling now would leave as it is, as a sentence; after cancelling: what stayed. */
  stays: string
  canAct: boolean
}
