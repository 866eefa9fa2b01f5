import type { Wish } from '@svc/protocol'
import type { CommandRow } from '../db/tables.ts'

/** A stored command as the wish it was made from. */
export const wishOf = (row: Pick<CommandRow, 'type' | 'payload'>): Wish =>
  ({ type: row.type, payload: JSON.parse(row.payload) }) as Wish
