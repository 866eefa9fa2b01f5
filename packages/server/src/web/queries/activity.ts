import type { AuditEntry } from '@svc/api'
import type { Db } from '../../platform/db/open.ts'
import { shortValues } from './short.ts'

/** The actions in a workspace before this time (Unix milliseconds), newest first. */
export async function activityOf(
  db: Db,
  workspace: { id: string },
  before: number,
  limit: number,
): Promise<AuditEntry[]> {
  const rows = await db
    .selectFrom('audit')
    .selectAll()
    .where('workspace_id', '=', workspace.id)
    .where('at', '<', before)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ id, at, actor, action, subject, details }) => ({
    id,
    at,
    actor,
    action,
    subject,
    details: shortValues(JSON.parse(details) as Record<string, unknown>).values,
  }))
}
