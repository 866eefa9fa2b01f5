import type { CommandBody } from '@svc/protocol'
import type { CommandRow } from '../../platform/db/tables.ts'

/** Returns the type and payload of a stored command, as the agent gets them. */
export const bodyOf = (row: Pick<CommandRow, 'type' | 'payload'>): CommandBody =>
  ({ type: row.type, payload: JSON.parse(row.payload) }) as CommandBody
