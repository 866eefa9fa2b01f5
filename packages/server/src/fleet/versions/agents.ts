/**
 * The blueprint versions on an agent's machine: those that the agent last reported or, before its first report, the
 * installed one.
 */
import type { Db } from '../../platform/db/open.ts'
import type { AgentRow } from '../../platform/db/tables.ts'

type Versions = Pick<AgentRow, 'installed_version' | 'reported_version' | 'previous_version'>

/**
 * The blueprint version that an agent runs: the one it last reported, or before that the installed one; null if neither
 * is known.
 */
export const runningVersion = (agent: Versions): string | null => agent.reported_version ?? agent.installed_version

/** The versions on the agent's machine: the one that runs, and the one before it. */
export const keptVersions = (agent: Versions): string[] =>
  [runningVersion(agent), agent.previous_version].filter((version) => version !== null)

/** Reads the agents of a blueprint with their versions and levels, ordered by name. */
export const agentsOfBlueprint = (db: Db, workspaceId: string, blueprint: string) =>
  db
    .selectFrom('agent')
    .leftJoin('agent_report', 'agent_report.agent_id', 'agent.id')
    .select([
      'agent.name',
      'installed_version',
      'reported_version',
      'previous_version',
      'wished_version',
      'wishes',
      'level',
      'received_at',
    ])
    .where('workspace_id', '=', workspaceId)
    .where('blueprint', '=', blueprint)
    .orderBy('agent.name')
    .execute()
