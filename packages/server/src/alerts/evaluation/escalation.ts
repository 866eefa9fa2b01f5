/** Sends alerts that nobody acknowledged in time to the second set of channels of their rule. */
import type { Db } from '../../platform/db/open.ts'
import type { AlertRow } from '../../platform/db/tables.ts'
import type { Alert } from '../rules/judge.ts'
import { isEscalating } from '../rules/routing.ts'
import type { ScopedRule } from '../scoped-rules.ts'

/**
 * True if the alert must now be sent to the second channels. An alert that this evaluation inserts is not judged before
 * the next evaluation.
 */
export const isEscalationDue = (
  { escalation }: Pick<ScopedRule, 'escalation'>,
  row: AlertRow | undefined,
  alert: Alert | undefined,
  now: number,
): boolean =>
  escalation !== null &&
  row !== undefined &&
  row.escalated_at === null &&
  alert !== undefined &&
  alert.endedAt === null &&
  isEscalating(escalation, alert, now)

/**
 * Marks an alert as sent to the second channels and returns its row; undefined if another node was first, or if the
 * alert has been acknowledged or has ended.
 */
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
