import type { CommandBody } from '@svc/protocol'
import type { CommandRow } from '../db/tables.ts'

/** A stored command as it was sent, without its id. */
export const bodyOf = (row: Pick<CommandRow, 'type' | 'payload'>): CommandBody =>
  ({ type: row.type, payload: JSON.parse(row.payload) }) as CommandBody
