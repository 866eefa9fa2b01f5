/** The versions that agents run and keep: as reported, or as installed before the first report. */
import type { Db } from '../db/open.ts'
import type { AgentRow } from '../db/tables.ts'

type Versions = Pick<AgentRow, 'installed_version' | 'reported_version' | 'previous_version'>

/** The blueprint version that an agent runs: as last reported, else as installed; null when neither is known. */
export const runningVersion = (agent: Versions): string | null => agent.reported_version ?? agent.installed_version

/** The versions on the agent's machine: the running one and the one before it. */
export const keptVersions = (agent: Versions): string[] =>
  [runningVersion(agent), agent.previous_version].filter((version) => version !== null)

/** A query for the agents of a blueprint, ordered by name. */
export const agentsOf = (db: Db, workspaceId: string, blueprint: string) =>
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
