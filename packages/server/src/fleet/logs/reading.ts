/** Records in the audit trail who read or downloaded a log, at most once an hour however often a page loads it. */
import type { Actor } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import type { Db } from '../../platform/db/open.ts'

const hourMs = 3_600_000

interface LogReading {
  workspaceId: string
  agent: { name: string }
  log: { id: string; name: string }
  how: 'log.read' | 'log.downloaded'
  by: Actor
  now: number
}

/**
 * Writes to the audit trail that somebody reads a log. Call it before the text is sent, so that nobody reads without a
 * trace. If the same person reads a log again within an hour, there is no second entry; downloads are counted
 * separately.
 */
export async function noteReading(db: Db, { workspaceId, agent, log, how, by, now }: LogReading): Promise<void> {
  const details = { name: log.name, log: log.id }
  const subject = `agent ${agent.name}`
  const noted = await db
    .selectFrom('audit')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('at', '>', now - hourMs)
    .where('actor_id', by.id === null ? 'is' : '=', by.id)
    .where('action', '=', how)
    .where('details', '=', JSON.stringify(details))
    .executeTakeFirst()
  if (!noted) await audit(db, { workspaceId, at: now, by, action: how, subject, details })
}
