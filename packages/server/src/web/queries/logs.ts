import type { LogEntry, LogText } from '@svc/api'
import { type ListedLogRow, listSentLogs, readSentLog } from '../../fleet/logs/store.ts'
import type { Db } from '../../platform/db/open.ts'

/** The logs of an agent that have not expired, newest first. */
export const readLogs = async (db: Db, agent: { id: string }, now: number): Promise<LogEntry[]> =>
  (await listSentLogs(db, agent, now)).map(entryOf)

export async function findLog(db: Db, agent: { id: string }, id: string, now: number): Promise<LogText | undefined> {
  const log = await readSentLog(db, agent, id, now)
  return log && { ...entryOf(log), text: log.text }
}

const entryOf = (log: ListedLogRow): LogEntry => ({
  id: log.id,
  name: log.name,
  receivedAt: log.received_at,
  bytes: log.bytes,
  expiresAt: log.expires_at,
  askedBy: log.asked_by,
})
