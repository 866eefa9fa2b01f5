import type { LogEntry, LogText } from '../../api.ts'
import type { Db } from '../../db/open.ts'

/** The logs of an agent that may still be read, newest first. */
export async function logsOf(db: Db, agent: { id: string }, now: number): Promise<LogEntry[]> {
  const rows = await entries(db, agent, now).orderBy('received_at', 'desc').orderBy('log.id', 'desc').execute()
  return rows.map(entryOf)
}

export async function logOf(db: Db, agent: { id: string }, id: string, now: number): Promise<LogText | undefined> {
  const row = await entries(db, agent, now).select('log.text').where('log.id', '=', id).executeTakeFirst()
  return row && { ...entryOf(row), text: row.text }
}

/** After its last moment a log is unreadable at once, whenever it is erased (D56). */
const entries = (db: Db, agent: { id: string }, now: number) =>
  db
    .selectFrom('log')
    .leftJoin('command', 'command.id', 'log.command_id')
    .select(['log.id', 'log.name', 'received_at', 'bytes', 'expires_at', 'created_by_name'])
    .where('log.agent_id', '=', agent.id)
    .where('expires_at', '>', now)

const entryOf = (row: Awaited<ReturnType<ReturnType<typeof entries>['executeTakeFirstOrThrow']>>): LogEntry => ({
  id: row.id,
  name: row.name,
  receivedAt: row.received_at,
  bytes: row.bytes,
  expiresAt: row.expires_at,
  askedBy: row.created_by_name ?? 'somebody',
})
