/** Tables of logs, daily sums, the audit trail, old names, limits, outages, backups and lost commits. */
import type { Generated } from 'kysely'

/** A log that an agent uploaded (2.8), kept for 30 days from receipt; only admins may read it. */
export interface LogTable {
  id: string
  agent_id: string
  command_id: string
  name: string
  received_at: number
  bytes: number
  text: string
  /** The time from which the log cannot be read. It is erased within a day after that. */
  expires_at: number
}

/**
 * The daily sums of a workspace's deleted agents, as in `usage_day`. The row of the model '' holds the totals of the
 * day; there, `began` and `ended` count the agents whose first or last sums are of this day.
 */
export interface UsageDeletedTable {
  workspace_id: string
  day: number
  model: string
  runs: number
  cost_micro: number
  output_tokens: number
  began: number
  ended: number
}

/** The number of a workspace's agents that ran a version of a blueprint on a day (UTC), as last counted on that day. */
export interface VersionDayTable {
  workspace_id: string
  day: number
  blueprint: string
  /** The version; '' for all versions together that are not among the most frequent ones. */
  version: string
  agents: number
}

/** One row with the last time at which any node of the service was known to be running. */
export interface ServiceBeatTable {
  id: number
  at: number
}

/** A span of more than 30 s in which no node of the service was running. */
export interface ServiceAwayTable {
  seq: Generated<number>
  from_at: number
  until_at: number
}

/** Values on which all nodes of one database must agree. */
export interface AgreedTable {
  name: string
  value: string
}

/** The audit trail: who did what to what, and when. An entry is kept when its subject is deleted. */
export interface AuditTable {
  id: string
  workspace_id: string | null
  at: number
  actor_id: string | null
  /** The name of the person who acted, as it was then; or `operator`, or a name of the service such as `service`. */
  actor: string
  /** The kind of action, such as `agent.created`, `command.sent` or `member.removed`. */
  action: string
  /** The object of the action, such as `agent mail-triage`. */
  subject: string
  /** Further facts about the action as a JSON object, never a secret. */
  details: string
}

/**
 * The names that agents had before (fleet/agents/old-names.ts). If several agents had a name, the row is about the last
 * of them.
 */
export interface AgentOldNameTable {
  workspace_id: string
  name: string
  agent_id: string
  renamed_at: number
}

/** The limits of a workspace that the operator set; people/workspaces/limits.ts has the defaults. */
export interface WorkspaceLimitTable {
  workspace_id: string
  kind: 'agents' | 'people' | 'bundles'
  value: number
}

/** One row about the last backup that `svc-server backup` wrote. */
export interface ServiceBackupTable {
  id: number
  at: number
  /** The size of the backup's file. */
  bytes: number
}

/** A count that a node regularly raises, to notice lost commits (platform/marks.ts). Only that node writes the row. */
export interface NodeMarkTable {
  node: string
  count: number
  at: number
}

/** A loss of commits that a node noticed. The rows are deleted when the operator has decided what to do about it. */
export interface ServiceBackTable {
  id: string
  noticed_at: number
  /** The start of the time span whose commits are missing; null if it is not known. */
  lost_from: number | null
  lost_until: number
}
