import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import type { Actor } from './by.ts'
import { foldableKinds } from './kinds.ts'

interface AuditNote {
  /** The id of the workspace in which the action happened; null if the action concerns the service as a whole. */
  workspaceId: string | null
  /** The time of the recorded action, in Unix milliseconds. */
  at: number
  by: Actor
  /** The kind of action, such as `agent.created`, `command.sent` or `member.removed`. */
  action: string
  /** The object of the action, such as `agent mail-triage`. */
  subject: string
  /** Further facts about the action, never a secret. */
  details?: Record<string, unknown>
}

/**
 * Writes an entry to the audit trail: who did what to what, and when. Call this with the transaction of the change, so
 * that the change and its entry are either both stored or both not. An ordinary action (kinds.ts) that a person repeats
 * many times in a minute is counted in an earlier entry.
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

/** The maximum number of equal lines of a person in a minute. Further actions are counted in the last of them. */
const maxEqual = 10
const withinMs = 60_000
/** The number of latest lines about the same object among which equal lines are searched. */
const looksAt = 100

/**
 * Counts the action in an earlier line if enough equal lines were written in the last minute. False if the action needs
 * a line of its own.
 */
async function isCounted(db: Db, note: Required<AuditNote>): Promise<boolean> {
  const { workspaceId, at, by, action, subject, details } = note
  if (by.id === null || !foldableKinds.includes(action)) return false
  const latest = await db
    .selectFrom('audit')
    .select(['id', 'workspace_id', 'details'])
    .where('actor_id', '=', by.id)
    .where('at', '>', at - withinMs)
    .where('action', '=', action)
    .where('subject', '=', subject)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(looksAt)
    .execute()
  const facts = factsOf(details)
  const equal = latest.filter((row) => row.workspace_id === workspaceId && factsOf(JSON.parse(row.details)) === facts)
  const [last] = equal
  if (!last || equal.length < maxEqual) return false
  const { times = 1 } = JSON.parse(last.details) as { times?: number }
  await db
    .updateTable('audit')
    .set({ details: JSON.stringify({ ...details, times: times + 1 }) })
    .where('id', '=', last.id)
    .execute()
  return true
}

/** The details by which lines are compared, without `until` (the end of a mute) and `times` (the repetitions). */
const factsOf = ({ until: _, times: __, ...facts }: Record<string, unknown>): string => JSON.stringify(facts)
