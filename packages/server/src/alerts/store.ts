/**
 * Alerts and mutes as rows. An evaluation changes an alert only if its version is still the one that was read, so of
 * several nodes that judge the same alert exactly one changes it. The messages about the change are queued in the same
 * transaction.
 */
import { setImmediate } from 'node:timers/promises'
import { type AlertSubject, otherItems, type RuleName } from '@svc/api'
import type { Db } from '../platform/db/open.ts'
import type { AlertRow } from '../platform/db/tables.ts'
import { newId } from '../platform/ids.ts'
import { dayMs } from '../platform/limits/units.ts'
import type { Mute } from './mutes.ts'
import { type EarlierItems, noEarlierItems } from './rules/items.ts'
import { type Alert, openingsWithin, openingTimes } from './rules/judge.ts'
import type { AlertScope } from './scope.ts'

/** The subject of an alert, such as an agent, with its id. */
export interface SubjectRef extends AlertSubject {
  id: string
}

/** An alert as it is stored, and its state in the form that evaluations judge. */
export interface KnownAlert {
  row: AlertRow
  alert: Alert
}

/** The alerts of a scope that an evaluation needs. */
export interface KnownAlerts {
  /** The alerts that have not ended. */
  current: readonly KnownAlert[]
  /**
   * The alerts that ended during a mute after a message had said that they were open. The message about the end must
   * still be sent.
   */
  owed: readonly KnownAlert[]
  /**
   * The times at which recently ended alerts of this rule and subject opened. For the alert that items share, the ended
   * alerts about all items of the agent count.
   */
  openingsOf(rule: RuleName, about: SubjectKey): readonly number[]
  /** The earlier alerts about items of an agent. */
  itemsBefore(agentId: string): EarlierItems
}

const rowsAtOnce = 300

/**
 * Reads the alerts of a scope that an evaluation needs. Each query uses an index, so that many earlier alerts do not
 * make it slower.
 */
export async function knownAlerts(db: Db, { id }: AlertScope, now: number): Promise<KnownAlerts> {
  const inScope = db.selectFrom('alert').where('scope', '=', id)
  const ended = await inScope
    .select(['rule', 'subject_kind', 'subject_id', 'item', 'openings'])
    .where('ended_at', '>', now - openingsWithin)
    .orderBy('id')
    .execute()
  await setImmediate()
  const owed = await inScope
    .selectAll()
    .where('ended_at', 'is not', null)
    .where('muted', '=', 1)
    .where('told', 'in', ['open', 'unsteady'])
    .orderBy('id')
    .execute()
  const inDay = await inScope
    .select(({ fn }) => ['subject_id', fn.countAll<number>().as('alerts')])
    .where('rule', '=', 'item')
    .where('id', '>', newId(now - dayMs))
    .where('ended_at', 'is not', null)
    .groupBy('subject_id')
    .execute()
  const byKey = Map.groupBy(ended, keyOfRow)
  const byAgent = Map.groupBy(
    ended.filter(({ rule }) => rule === 'item'),
    ({ subject_id }) => subject_id,
  )
  const alertsInDay = new Map(inDay.map(({ subject_id, alerts }) => [subject_id, Number(alerts)]))
  return {
    current: await currentAlerts(db, id),
    owed: knownFrom(owed),
    openingsOf: (rule, about) => {
      const rows = (about.item === otherItems ? byAgent.get(about.id) : byKey.get(subjectKeyOf(rule, about))) ?? []
      return openingTimes(rows.map(({ item, openings }) => ({ item, openings: JSON.parse(openings) as number[] })))
    },
    itemsBefore: (agentId) =>
      byAgent.has(agentId) || alertsInDay.has(agentId)
        ? { ended: (byAgent.get(agentId) ?? []).map(({ item }) => item), inDay: alertsInDay.get(agentId) ?? 0 }
        : noEarlierItems,
  }
}

const knownFrom = (rows: readonly AlertRow[]): KnownAlert[] => rows.map((row) => ({ row, alert: storedAlert(row) }))

/**
 * Reads the alerts that have not ended, in the order of their ids. Reports are answered between the parts of a long
 * list.
 */
async function currentAlerts(db: Db, scope: string): Promise<KnownAlert[]> {
  const all: KnownAlert[] = []
  for (;;) {
    const rows = await db
      .selectFrom('alert')
      .selectAll()
      .where('scope', '=', scope)
      .where('ended_at', 'is', null)
      .where('id', '>', all.at(-1)?.row.id ?? '')
      .orderBy('id')
      .limit(rowsAtOnce)
      .execute()
    all.push(...knownFrom(rows))
    if (rows.length < rowsAtOnce) return all
    await setImmediate()
  }
}

/** The part of a subject that distinguishes the alerts of a rule. */
type SubjectKey = Pick<SubjectRef, 'kind' | 'id' | 'item'>

/** The key by which an evaluation finds an alert again: its rule and subject. */
export const keyOfRow = (row: Pick<AlertRow, 'rule' | 'subject_kind' | 'subject_id' | 'item'>): string =>
  subjectKeyOf(row.rule, { kind: row.subject_kind, id: row.subject_id, item: row.item })
/** The same key as `keyOfRow`, made from a rule and a subject. */
export const subjectKeyOf = (rule: RuleName, { kind, id, item = '' }: SubjectKey): string =>
  `${rule} ${kind} ${id} ${item}`

/** The subject of a stored alert, by the name that it had when the row was last written. */
export const alertSubject = ({ subject_kind, subject_name, item }: AlertRow): AlertSubject => ({
  kind: subject_kind,
  name: subject_name,
  ...(item !== '' && { item }),
})

export const storedAlert = (row: AlertRow): Alert => ({
  phase: row.phase,
  phaseSince: row.phase_since,
  since: row.since,
  level: row.level,
  label: row.label,
  openings: JSON.parse(row.openings) as number[],
  unsteadySince: row.unsteady_since,
  openedAt: row.opened_at,
  endedAt: row.ended_at,
  acknowledged:
    row.acknowledged_at === null ? null : { by: row.acknowledged_by ?? '', at: row.acknowledged_at, note: row.note },
  told: row.told,
  toldAt: row.told_at,
  reminders: row.reminders,
  frozen: row.frozen === 1,
  muted: row.muted === 1,
})

/**
 * The columns that an evaluation may change. The acknowledgement is not one of them, because only a person changes it.
 */
const columnsOf = (alert: Alert) => ({
  level: alert.level,
  phase: alert.phase,
  phase_since: alert.phaseSince,
  since: alert.since,
  label: alert.label,
  openings: JSON.stringify(alert.openings),
  unsteady_since: alert.unsteadySince,
  opened_at: alert.openedAt,
  ended_at: alert.endedAt,
  told: alert.told,
  told_at: alert.toldAt,
  reminders: alert.reminders,
  frozen: alert.frozen ? 1 : 0,
  muted: alert.muted ? 1 : 0,
})

/** True if an evaluation changed any column of the alert. */
export function isChanged(before: Alert, after: Alert): boolean {
  const [was, is] = [columnsOf(before), columnsOf(after)]
  return (Object.keys(is) as (keyof typeof is)[]).some((column) => was[column] !== is[column])
}

interface NewAlert {
  scope: AlertScope
  rule: RuleName
  about: SubjectRef
  /** The agents of a mass outage, as JSON. */
  agents?: string
  /** The id of the single event that the alert is about, such as a command. At most one alert is made for an event. */
  cause?: string
}

/** Inserts an alert; undefined if another node was first with an alert of this rule and subject, or of this event. */
export async function insertAlert(trx: Db, wanted: NewAlert, alert: Alert, now: number): Promise<AlertRow | undefined> {
  const { scope, rule, about, agents = null, cause = null } = wanted
  const row: AlertRow = {
    id: newId(now),
    scope: scope.id,
    workspace_id: scope.workspaceId,
    rule,
    subject_kind: about.kind,
    subject_id: about.id,
    subject_name: about.name,
    item: about.item ?? '',
    cause,
    acknowledged_by: null,
    acknowledged_at: null,
    escalated_at: null,
    note: null,
    agents,
    version: 1,
    ...columnsOf(alert),
  }
  // The row is not read back, since the list of agents of a mass outage may be large.
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('alert')
    .values(row)
    .onConflict((oc) => oc.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n ? row : undefined
}

/**
 * Updates an alert. `name` is the present name of its subject, `agents` the agents of a mass outage. Returns false if
 * the row was changed since it was read.
 */
export async function updateAlert(
  trx: Db,
  { id, version }: AlertRow,
  alert: Alert,
  { name, agents }: { name?: string; agents?: string | undefined } = {},
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('alert')
    .set({
      ...columnsOf(alert),
      ...(name !== undefined && { subject_name: name }),
      ...(agents !== undefined && { agents }),
      version: version + 1,
    })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * Marks an alert as sent to the channels of its rule's `escalation` and returns its row; undefined if another node was
 * first, or if the alert has been acknowledged or has ended.
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

/** Deletes an alert that was pending and never opened. Returns false if the row was changed since it was read. */
export async function removePending(trx: Db, { id, version }: AlertRow): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('alert')
    .where('id', '=', id)
    .where('version', '=', version)
    .where('opened_at', 'is', null)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** The mutes of a scope that have not ended. */
export async function mutesOfScope(db: Db, { id }: AlertScope): Promise<Mute[]> {
  const rows = await db
    .selectFrom('alert_mute')
    .select(['id', 'agent_id as agentId', 'rule', 'item', 'from_at as from', 'until_at as until'])
    .where('scope', '=', id)
    .where('ended_at', 'is', null)
    .orderBy('id')
    .execute()
  return rows
}

export async function endMutes(trx: Db, ids: readonly string[], now: number): Promise<void> {
  if (ids.length === 0) return
  await trx
    .updateTable('alert_mute')
    .set({ ended_at: now })
    .where('id', 'in', ids)
    .where('ended_at', 'is', null)
    .execute()
}
