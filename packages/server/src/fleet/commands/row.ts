import { type CommandBody, commandDeadline } from '@svc/protocol'
import type { ChangeContext } from '../../people/audit/by.ts'
import type { CommandRow } from '../../platform/db/tables.ts'
import { newId } from '../../platform/ids.ts'

/** The row of a new command. */
export const commandRow = (
  agentId: string,
  body: CommandBody,
  { by, now }: Pick<ChangeContext, 'by' | 'now'>,
): CommandRow => ({
  id: newId(now),
  agent_id: agentId,
  type: body.type,
  payload: JSON.stringify(body.payload),
  state: 'queued',
  created_at: now,
  created_by: by.id,
  created_by_name: by.name,
  delivered_at: null,
  failed_at: null,
  answered_at: null,
  message: null,
  due_at: commandDeadline(now),
})
