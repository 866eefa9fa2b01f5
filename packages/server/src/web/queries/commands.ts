import type { Commands, ShownCommand } from '@svc/api'
import { listCommands } from '../../fleet/commands/store.ts'
import { logsOfCommands } from '../../fleet/logs/store.ts'
import type { Db } from '../../platform/db/open.ts'
import type { CommandRow } from '../../platform/db/tables.ts'
import { shortValues } from './short.ts'

/** The commands of an agent with their senders and outcomes, newest first. */
export async function readCommandsPage(
  db: Db,
  agent: { id: string },
  page: { offset: number; limit: number },
  now: number,
): Promise<Commands> {
  const { total, rows } = await listCommands(db, agent, page)
  const asked = rows.filter(({ type }) => type === 'log').map(({ id }) => id)
  const logs = await logsOfCommands(db, asked, now)
  return { total, rows: rows.map((row) => listedCommand(row, logs.get(row.id) ?? null)) }
}

/** A command as lists show it: long values are shortened. */
export function listedCommand(row: CommandRow, logId: string | null): ShownCommand {
  const { payload, ...command } = shownCommand(row, logId)
  const { values, ...short } = shortValues(payload)
  return { ...command, payload: values, ...short }
}

/** A command with its whole payload. */
export const shownCommand = (row: CommandRow, logId: string | null): ShownCommand => ({
  id: row.id,
  type: row.type,
  payload: JSON.parse(row.payload) as ShownCommand['payload'],
  state: row.state,
  createdAt: row.created_at,
  createdBy: row.created_by_name,
  deliveredAt: row.delivered_at,
  failedAt: row.failed_at,
  answeredAt: row.answered_at,
  message: row.message,
  dueAt: row.due_at,
  logId,
})
