import type { Db } from '../db/open.ts'
import { newId } from '../ids.ts'
import type { By } from './by.ts'

interface AuditNote {
  /** Null if it concerns the service as a whole. */
  workspaceId: string | null
  /** Unix milliseconds. */
  at: number
  by: By
  /** For example `agent.created`, `command.sent` or `member.removed`. */
  action: string
  /** For example `agent mail-triage`. */
  subject: string
  /** Further facts, never a secret. */
  details?: Record<string, unknown>
}

/**
 * Records who did what to what, and when. Call it with the transaction of the change, so that both or neither happen.
 */
export async function audit(db: Db, note: AuditNote): Promise<void> {
  await db
    .insertInto('audit')
    .values({
      id: newId(note.at),
      workspace_id: note.workspaceId,
      at: note.at,
      actor_id: note.by.id,
      actor: note.by.name,
      action: note.action,
      subject: note.subject,
      details: JSON.stringify(note.details ?? {}),
    })
    .execute()
}
