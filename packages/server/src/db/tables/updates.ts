/** Releases of the runtime, and rollouts. */
import type { RolloutAgentState, RolloutKind, RolloutState } from '@svc/api'
import type { Level } from '@svc/protocol'

/** D37: one row for each build that was served. The one with the highest serial is. */
export interface ReleaseTable {
  serial: number
  version: string
  /** Of the file, in hex. */
  sha256: string
  size: number
  added_at: number
  added_by: string | null
  added_by_name: string
  /** As OpenSSH wrote it; null for a build that was not signed. */
  signature: Uint8Array | null
  /** `svc.pyz`; null once it is only history. */
  file: Uint8Array | null
}

/** A version named for many agents, in waves. */
export interface RolloutTable {
  id: string
  workspace_id: string
  kind: RolloutKind
  blueprint: string | null
  version: string
  /** JSON array such as ["1", "10%", "100%"]: how many are reached after each wave. */
  waves: string
  by_hand: number
  watch_seconds: number
  state: RolloutState
  why: string | null
  /** From 1. */
  wave: number
  /** Since when all agents of the wave that answer have kept the version. */
  wave_kept_at: number | null
  created_at: number
  created_by: string | null
  created_by_name: string
  /** Who last let it go on, and answers for it since. No name: whoever began it does. */
  continued_by: string | null
  continued_by_name: string | null
  changed_at: number
}

export interface RolloutAgentTable {
  rollout_id: string
  agent_id: string
  /** From 1; 0: left out. */
  wave: number
  state: RolloutAgentState
  reason: string | null
  /** Its own level when the version was wished. */
  level_before: Level | null
  wished_at: number | null
  /** The report with which it was first seen worse than before. */
  worse_at: number | null
  /** 1: a person let the rollout go on after what became of it. */
  forgiven: number
  at: number | null
}
