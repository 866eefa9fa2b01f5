import type { LevelChange } from '@svc/api'
import type { Db } from '../../platform/db/open.ts'

/** The level changes of an agent, newest first. */
export const levelsOf = (db: Db, agent: { id: string }, limit: number): Promise<LevelChange[]> =>
  db
    .selectFrom('level_change')
    .select(['at', 'level', 'label'])
    .where('agent_id', '=', agent.id)
    .orderBy('at', 'desc')
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute()
