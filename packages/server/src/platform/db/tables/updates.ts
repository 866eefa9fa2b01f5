/** The tables of blueprints with their versions and install codes, of the releases of the runtime, and of rollouts. */
import type { RolloutAgentState, RolloutKind, RolloutState } from '@svc/api'
import type { Level } from '@svc/protocol'

/** A blueprint: a name in a workspace under which versions of an agent are uploaded. */
export interface BlueprintTable {
  id: string
  workspace_id: string
  name: string
  created_at: number
}

/** A version of a blueprint, which never changes after the upload. */
export interface BlueprintVersionTable {
  id: string
  blueprint_id: string
  version: string
  description: string
  /** The checksum of the bundle, in hex. */
  sha256: string
  size: number
  uploaded_at: number
  uploaded_by: string | null
  uploaded_by_name: string
  /** The manifest of the version as it was read from the bundle, as JSON. */
  manifest: string
  /** The files of the version's bundle, as a JSON array of {path, size, executable}. */
  files: string
  bundle: Uint8Array
}

/** An install code (2.9). The version, the bindings and the agent's name are fixed when the code is issued (D43). */
export interface InstallCodeTable {
  id: string
  hash: string
  workspace_id: string
  /**
   * The id of the version that the code installs; null after that version was deleted. A version cannot be deleted
   * while the code is valid.
   */
  version_id: string | null
  blueprint: string
  version: string
  sha256: string
  /** The bindings that the installation makes for the agent, as a JSON array of {product, role, scopes}. */
  bindings: string
  agent_name: string
  /** The tags that the agent gets, as a JSON array; null for a code of an earlier version. */
  tags: string | null
  issued_by: string | null
  issued_by_name: string
  issued_at: number
  expires_at: number
  redeemed_at: number | null
  revoked_at: number | null
  /** The agent that was installed with the code; null before the installation, and after the agent was deleted. */
  agent_id: string | null
}

/** The builds of the runtime that the service has served (D37). The row with the highest serial is served now. */
export interface ReleaseTable {
  serial: number
  version: string
  /** The checksum of the build's file `svc.pyz`, in hex. */
  sha256: string
  size: number
  added_at: number
  added_by: string | null
  added_by_name: string
  /** The signature of the build as OpenSSH wrote it; null for an unsigned build. */
  signature: Uint8Array | null
  /** The bytes of the build's file `svc.pyz`; null for all but the five newest builds. */
  file: Uint8Array | null
}

/** A rollout: a version that is wished for many agents, in waves. */
export interface RolloutTable {
  id: string
  workspace_id: string
  kind: RolloutKind
  blueprint: string | null
  version: string
  /**
   * The waves as a JSON array such as ["1", "10%", "100%"]: the number or share of the agents that have the version at
   * the end of each wave.
   */
  waves: string
  by_hand: number
  watch_seconds: number
  state: RolloutState
  why: string | null
  /** The number of the rollout's current wave, from 1. */
  wave: number
  /**
   * The time since which the current wave is watched; null until the rollout waits for no agent of the wave any longer
   * and an agent has kept the version.
   */
  wave_kept_at: number | null
  created_at: number
  created_by: string | null
  created_by_name: string
  /**
   * The person who last resumed the rollout and is responsible for it since then. If nobody has resumed it, its creator
   * is responsible.
   */
  continued_by: string | null
  continued_by_name: string | null
  changed_at: number
}

export interface RolloutAgentTable {
  rollout_id: string
  agent_id: string
  /** The number of the agent's wave, from 1; 0 for an agent that the rollout leaves out. */
  wave: number
  state: RolloutAgentState
  reason: string | null
  /** The level of the agent when the rollout wished the version for it (`ownLevel` in updates/rollouts/judge.ts). */
  level_before: Level | null
  wished_at: number | null
  /**
   * When the report arrived that made the agent's level worse than `level_before`; null while the level is not worse.
   */
  worse_at: number | null
  /** 1 if this agent's bad outcome halted the rollout and a person resumed it. The outcome does not halt it again. */
  forgiven: number
  at: number | null
  /** The id of the unfinished rollout because of which the agent is left out; null for any other reason. */
  left_out_for: string | null
}
