/** Notifies the second set of channels of a rule about an alert that nobody acknowledged in time. */
import type { Db } from '../db/open.ts'
import type { AlertRow } from '../db/tables.ts'
import type { Alert } from './judge.ts'
import { escalates } from './routing.ts'
import type { SetRule } from './store.ts'

/** True if the second channels are due. A row that was just inserted is looked at by the next look. */
export const isEscalationDue = (
  { escalation }: Pick<SetRule, 'escalation'>,
  row: AlertRow | undefined,
  alert: Alert | undefined,
  now: number,
): boolean =>
  escalation !== null &&
  row !== undefined &&
  row.escalated_at === null &&
  alert !== undefined &&
  alert.endedAt === null &&
  escalates(escalation, alert, now)

/** Marks an alert as escalated. Undefined if another node was first, or somebody has acknowledged it. */
export const markEscalated = (trx: Db, { id }: AlertRow, now: number): Promise<AlertRow | undefined> =>
  trx
    .updateTable('alert')
    .set({ escalated_at: now, version: (eb) => eb('version', '+', 1) })
    .where('id', '=', id)
    .where('escalated_at', 'is', null)
    .where('acknowledged_at', 'is', null)
    .where('ended_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
