import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import type { By } from './by.ts'
import { isCounted } from './repeats.ts'

interface AuditNote {
  /** The id of the workspace in which the action happened; null if the action concerns the service as a whole. */
  workspaceId: string | null
  /** The time of the recorded action, in Unix milliseconds. */
  at: number
  by: By
  /** The kind of action, such as `agent.created`, `command.sent` or `member.removed`. */
  action: string
  /** The object of the action, such as `agent mail-triage`. */
  subject: string
  /** Further facts about the action, never a secret. */
  details?: Record<string, unknown>
}

/**
 * Writes an entry to the audit trail: who did what to what, and when. Call this with the transaction of the change, so
 * that the change and its entry are either both stored or both not. What a person repeats many times in a minute is
 * counted in an earlier entry.
 */
export async function audit(db: Db, note: AuditNote): Promise<void> {
  const details = note.details ?? {}
  if (await isCounted(db, { ...note, details })) return
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
      details: JSON.stringify(details),
    })
    .execute()
}
