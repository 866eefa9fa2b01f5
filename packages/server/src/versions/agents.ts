/** Which versions agents run and keep: by their reports, and before the first one by what was installed. */
import type { Db } from '../db/open.ts'
import type { AgentRow } from '../db/tables.ts'

type Versions = Pick<AgentRow, 'installed_version' | 'reported_version' | 'previous_version'>

/** The version that an agent of a blueprint runs, as far as it said. */
export const runningVersion = (agent: Versions): string | null => agent.reported_version ?? agent.installed_version

/** The versions that its machine has: the one that runs, and the one before it. */
export const keptVersions = (agent: Versions): string[] =>
  [runningVersion(agent), agent.previous_version].filter((version) => version !== null)

/** The agents of a blueprint, by name. */
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
