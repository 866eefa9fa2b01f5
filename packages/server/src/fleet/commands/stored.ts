/** The types of command rows as the report path reads and changes them. */
import type { CommandRow } from '../../platform/db/tables.ts'

export type StoredCommand = Omit<CommandRow, 'agent_id' | 'created_by' | 'created_by_name'>

/** The id of a command and its columns that may change, with their new values. */
export type CommandChange = Pick<
  StoredCommand,
  'id' | 'state' | 'delivered_at' | 'failed_at' | 'answered_at' | 'message' | 'due_at'
>
