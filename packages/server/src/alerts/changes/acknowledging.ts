/** Acknowledges alerts. Each change writes a line to the activity. */
import type { AcknowledgeResult } from '@svc/api'
import { shown, trimInvisible, type Verdict } from '@svc/protocol'
import { enqueueDeliveries } from '../../deliveries/store.ts'
import type { ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AlertRow } from '../../platform/db/tables.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { done, refuse } from '../../platform/verdict.ts'
import { outageAgentsNow, presentLabels } from '../messages/present.ts'
import { alertChangeOf, readChannels, recipients } from '../messages/recipients.ts'
import { type AlertScope, type ScopeRef, scopeOf } from '../scope.ts'
import { rulesOfScope } from '../scoped-rules.ts'
import { storedAlert } from '../store.ts'

const okResult = { ok: true } as const

/**
 * Records that a person has acknowledged an alert, and tells the channels unless the alert is muted or was never sent.
 * If it is already acknowledged, nothing changes.
 */
export const acknowledgeAlert = (
  ctx: ChangeContext,
  scopeRef: ScopeRef,
  { id, ...wanted }: { id: string } & AcknowledgeWords,
): Promise<Verdict<{ ok: true }, 'alert_unknown' | 'alert_over'>> =>
  transaction(ctx.db, async (trx) => {
    const [before] = await alertsInTransaction(trx, scopeRef, [id])
    if (!before) return refuse('alert_unknown', 'There is no such alert.')
    if (before.ended_at !== null) return refuse('alert_over', 'The alert has ended.')
    await acknowledgeInTransaction({ ...ctx, db: trx }, scopeRef, { id, ...wanted })
    return done(okResult)
  })

/**
 * Acknowledges many alerts with one note. Those that have ended or are acknowledged stay as they are. If one is
 * unknown, none is acknowledged.
 */
export const acknowledgeAlerts = (
  ctx: ChangeContext,
  scopeRef: ScopeRef,
  { ids, ...wanted }: { ids: readonly string[] } & AcknowledgeWords,
): Promise<Verdict<AcknowledgeResult, 'alert_unknown'>> =>
  transaction(ctx.db, async (trx) => {
    const asked = [...new Set(ids)].sort()
    const known = new Set((await alertsInTransaction(trx, scopeRef, asked)).map(({ id }) => id))
    const unknown = asked.find((id) => !known.has(id))
    if (unknown !== undefined) return refuse('alert_unknown', `There is no alert ${shown(unknown)} in this workspace.`)
    let acknowledged = 0
    for (const id of asked)
      if (await acknowledgeInTransaction({ ...ctx, db: trx }, scopeRef, { id, ...wanted })) acknowledged++
    return done({ acknowledged })
  })

interface AcknowledgeWords {
  note: string | undefined
  baseUrl: string
}

/** The alerts of a scope with the given ids, without those that never opened. */
const alertsInTransaction = (trx: Db, scopeRef: ScopeRef, ids: readonly string[]) =>
  trx
    .selectFrom('alert')
    .select(['id', 'ended_at'])
    .where('id', 'in', ids.length > 0 ? ids : [''])
    .where('scope', '=', scopeOf(scopeRef).id)
    .where('opened_at', 'is not', null)
    .execute()

/** Acknowledges an alert of the scope. Returns false and changes nothing if it has ended or is acknowledged. */
async function acknowledgeInTransaction(
  { db: trx, by, now }: ChangeContext,
  scopeRef: ScopeRef,
  { id, note, baseUrl }: { id: string } & AcknowledgeWords,
): Promise<boolean> {
  const scope = scopeOf(scopeRef)
  const row = await trx
    .updateTable('alert')
    .set({
      acknowledged_by: by.name,
      acknowledged_at: now,
      note: trimInvisible(note ?? '') || null,
      version: (eb) => eb('version', '+', 1),
    })
    .where('id', '=', id)
    .where('acknowledged_at', 'is', null)
    .where('ended_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  if (!row) return false
  await audit(trx, {
    workspaceId: scope.workspaceId,
    at: now,
    by,
    action: 'alert.acknowledged',
    subject: subjectOf(row),
    details: { rule: row.rule, ...(row.item !== '' && { item: row.item }) },
  })
  if (row.muted === 0 && row.told !== 'nothing') await tell(trx, scope, { row, scopeRef, baseUrl, now })
  return true
}

async function tell(
  trx: Db,
  scope: AlertScope,
  { row, scopeRef, baseUrl, now }: { row: AlertRow; scopeRef: ScopeRef; baseUrl: string; now: number },
): Promise<void> {
  const rule = (await rulesOfScope(trx, scope))(row.rule)
  const sent = { type: 'alert.acknowledged', level: row.level, isEscalated: row.escalated_at !== null } as const
  const channels = recipients(rule, await readChannels(trx, scope), sent, now)
  const alert = { ...storedAlert(row), label: (await presentLabels(trx, [row]))(row) }
  const agents = await outageAgentsNow(trx, row, { type: 'alert.acknowledged', now })
  const acknowledged = { type: 'alert.acknowledged', alert, agents } as const
  await enqueueDeliveries(trx, channels, alertChangeOf(row, acknowledged, { slug: scopeRef.slug, baseUrl, now }), now)
}

const subjectOf = ({ subject_kind, subject_name }: AlertRow): string =>
  subject_kind === 'service' ? subject_name : `${subject_kind} ${subject_name}`
