/**
 * Stores the timeline of each agent's updates, bounded to the newest lines. The transaction of a report does not call
 * `noteUpdate`: it inserts its timeline lines, and deletes the oldest ones, with statements of its own.
 */
import type { UpdateEvent } from '@svc/api'
import type { Db } from '../../platform/db/open.ts'
import { outageBetween, readOutages } from './away.ts'
import type { UpdateNote } from './note.ts'

/** The number of lines kept for each agent. */
export const maxUpdateEvents = 300

/** The values of a row of the table `update_event`, without the agent's id, for a line of the timeline. */
export const eventRow = (note: EventNote) => ({
  at: note.at,
  subject: note.of,
  kind: note.kind,
  version: note.version ?? null,
  from_version: note.from ?? null,
  message: note.message ?? null,
  by_name: note.by ?? null,
  rollout_id: note.rollout ?? null,
  since: note.since ?? null,
})
type EventNote = Pick<UpdateNote, 'at' | 'of' | 'kind'> & Partial<UpdateNote>

/** Adds a line to an agent's timeline of updates and deletes the oldest lines beyond the limit. */
export async function noteUpdate(db: Db, agent: { id: string }, note: EventNote): Promise<void> {
  await db
    .insertInto('update_event')
    .values({ agent_id: agent.id, ...eventRow(note) })
    .execute()
  const oldestKept = await db
    .selectFrom('update_event')
    .select('seq')
    .where('agent_id', '=', agent.id)
    .orderBy('seq', 'desc')
    .offset(maxUpdateEvents - 1)
    .limit(1)
    .executeTakeFirst()
  if (!oldestKept) return
  await db.deleteFrom('update_event').where('agent_id', '=', agent.id).where('seq', '<', oldestKept.seq).execute()
}

/** The latest lines of an agent's timeline of updates, newest first. */
export async function updateEvents(db: Db, agent: { id: string }, limit: number): Promise<UpdateEvent[]> {
  const rows = await db
    .selectFrom('update_event')
    .selectAll()
    .where('agent_id', '=', agent.id)
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute()
  const trials = rows.filter(({ kind, since }) => kind === 'rolled_back' && since !== null)
  const first = Math.min(...trials.map(({ since }) => since ?? 0))
  const away = trials.length > 0 ? await readOutages(db, first) : []
  return rows.map((row) => ({
    id: String(row.seq),
    at: row.at,
    of: row.subject,
    kind: row.kind,
    version: row.version,
    from: row.from_version,
    message: row.message,
    by: row.by_name,
    rollout: row.rollout_id,
    serviceAway:
      row.kind === 'rolled_back' && row.since !== null ? (outageBetween(away, row.since, row.at) ?? null) : null,
  }))
}
