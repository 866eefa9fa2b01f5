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

/** Returns the type and payload of a stored command, as the agent gets them. */
export const commandBodyOf = (row: Pick<CommandRow, 'type' | 'payload'>): CommandBody =>
  ({ type: row.type, payload: JSON.parse(row.payload) }) as CommandBody

/** A command as the report path reads it, without its agent and the person who sent it. */
export type StoredCommand = Omit<CommandRow, 'agent_id' | 'created_by' | 'created_by_name'>

/** The id of a command and its columns that may change, with their new values. */
export type CommandChange = Pick<
  StoredCommand,
  'id' | 'state' | 'delivered_at' | 'failed_at' | 'answered_at' | 'message' | 'due_at'
>
