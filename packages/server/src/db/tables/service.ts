/** Logs, the audit list, limits, and what the service keeps of itself. */
import type { Generated } from 'kysely'

/** 2.8: 30 days from receipt, admins only. */
export interface LogTable {
  id: string
  agent_id: string
  command_id: string
  name: string
  received_at: number
  bytes: number
  text: string
  /** After this it is unreadable; erased within a day. */
  expires_at: number
}

/** One row: when any node was last seen alive. */
export interface ServiceBeatTable {
  id: number
  at: number
}

/** When no node was. */
export interface ServiceAwayTable {
  seq: Generated<number>
  from_at: number
  until_at: number
}

/** What all nodes on one database must agree on. */
export interface AgreedTable {
  name: string
  value: string
}

/** Who did what, when, to what. Kept when what it names is gone. */
export interface AuditTable {
  id: string
  workspace_id: string | null
  at: number
  actor_id: string | null
  /** The person's name at that time, or `operator`. */
  actor: string
  /** Such as `agent.created`, `command.sent`, `member.removed`. */
  action: string
  /** Such as `agent mail-triage`. */
  subject: string
  /** JSON object of further facts; never a secret. */
  details: string
}

/** Limits that the operator set; workspaces/limits.ts has the defaults. */
export interface WorkspaceLimitTable {
  workspace_id: string
  kind: 'agents' | 'people' | 'bundles'
  value: number
}
