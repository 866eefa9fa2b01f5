/**
 * Alerts as rows. What a look decided is written with a condition on what it had read, so of several nodes that judge one row
 * exactly one changes it; its messages are written in the same transaction.
 */
import type { AlertSubject, RuleName } from '@svc/api'
import type { Db } from '../db/open.ts'
import type { AlertRow } from '../db/tables.ts'
import { newId } from '../ids.ts'
import { defaultRule, type Rule } from './conditions.ts'
import { type Alert, openingsWithin } from './judge.ts'
import type { Mute } from './mutes.ts'

/** The scope of what concerns the service itself. */
export const serviceScope = '@service'

export interface Scope {
  id: string
  workspaceId: string | null
}
/** The scope of a workspace, or that of the service, which commands name like one. */
export const scopeOf = ({ id }: { id: string }): Scope => ({ id, workspaceId: id === serviceScope ? null : id })

/** The subject of a row. */
export interface About extends AlertSubject {
  id: string
}

/** A rule with the channels that it names; null: all of the workspace. */
export interface SetRule extends Rule {
  channels: readonly string[] | null
}

/** The rules of a scope: what was set, and the default of the rest. */
export async function rulesOf(db: Db, { id }: Scope): Promise<(name: RuleName) => SetRule> {
  const rows = await db.selectFrom('alert_rule').selectAll().where('scope', '=', id).execute()
  const set = new Map(rows.map((row) => [row.rule, row]))
  return (name) => {
    const rule = defaultRule(name)
    const row = set.get(name)
    if (!row) return { ...rule, channels: null }
    return {
      ...rule,
      on: row.is_on === null ? rule.on : row.is_on === 1,
      after: row.after_s === null ? rule.after : row.after_s * 1000,
      limit: row.limit_micro ?? rule.limit,
      statuses: row.statuses === null ? rule.statuses : (JSON.parse(row.statuses) as string[]),
      reminds: row.reminds !== 0,
      channels: row.channels === null ? null : (JSON.parse(row.channels) as string[]),
    }
  }
}

export interface KnownAlert {
  row: AlertRow
  alert: Alert
}

export interface Known {
  /** Those that have not ended. */
  current: readonly KnownAlert[]
  /** Those that ended under a mute while people know them to be open. */
  owed: readonly KnownAlert[]
  /** The openings of the last hour of those that have ended. */
  openingsOf(rule: RuleName, about: Pick<About, 'kind' | 'id'>): readonly number[]
}

/** The alerts of a scope, as far as a look needs them. */
export async function knownAlerts(db: Db, { id }: Scope, now: number): Promise<Known> {
  const recently = now - openingsWithin
  const rows = await db
    .selectFrom('alert')
    .selectAll()
    .where('scope', '=', id)
    .where((eb) =>
      eb.or([
        eb('ended_at', 'is', null),
        eb('ended_at', '>', recently),
        eb.and([eb('muted', '=', 1), eb('told', 'in', ['open', 'unsteady'])]),
      ]),
    )
    .orderBy('id')
    .execute()
  const ended = Map.groupBy(
    rows.filter(({ ended_at }) => ended_at !== null),
    ({ rule, subject_kind, subject_id }) => keyOf(rule, { kind: subject_kind, id: subject_id }),
  )
  const known = (all: readonly AlertRow[]) => all.map((row) => ({ row, alert: alertOf(row) }))
  return {
    current: known(rows.filter((row) => row.ended_at === null)),
    owed: known(rows.filter((row) => row.ended_at !== null && isOwed(row))),
    openingsOf: (rule, about) => [
      ...new Set((ended.get(keyOf(rule, about)) ?? []).flatMap((row) => JSON.parse(row.openings) as number[])),
    ],
  }
}

export const keyOfRow = (row: AlertRow): string => keyOf(row.rule, { kind: row.subject_kind, id: row.subject_id })
export const keyOf = (rule: RuleName, { kind, id }: Pick<About, 'kind' | 'id'>): string => `${rule} ${kind} ${id}`

/** It ended under a mute, and somebody was told that it is open. */
const isOwed = ({ muted, told }: Pick<AlertRow, 'muted' | 'told'>): boolean =>
  muted === 1 && (told === 'open' || told === 'unsteady')

export const alertOf = (row: AlertRow): Alert => ({
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

/** The columns that a look may change. Who acknowledged it stays as it is: that is a person's. */
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

/** True where a look left anything to write. */
export function isChanged(before: Alert, after: Alert): boolean {
  const [was, is] = [columnsOf(before), columnsOf(after)]
  return (Object.keys(is) as (keyof typeof is)[]).some((column) => was[column] !== is[column])
}

interface NewAlert {
  scope: Scope
  rule: RuleName
  about: About
  /** The agents of a mass silence, JSON. */
  agents?: string
  /** A single event, which makes an alert only once. */
  cause?: string
}

/** Undefined: another node was first with an alert of this rule and subject, or of this cause. */
export async function insertAlert(trx: Db, wanted: NewAlert, alert: Alert, now: number): Promise<AlertRow | undefined> {
  const { scope, rule, about, agents = null, cause = null } = wanted
  return trx
    .insertInto('alert')
    .values({
      id: newId(now),
      scope: scope.id,
      workspace_id: scope.workspaceId,
      rule,
      subject_kind: about.kind,
      subject_id: about.id,
      subject_name: about.name,
      cause,
      acknowledged_by: null,
      acknowledged_at: null,
      note: null,
      agents,
      version: 1,
      ...columnsOf(alert),
    })
    .onConflict((oc) => oc.doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** `name`: that of its subject now. `agents`: those that a mass silence names. False: somebody changed the row since it was read. */
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

/** Forgets one that was pending and came to nothing. */
export async function removePending(trx: Db, { id, version }: AlertRow): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('alert')
    .where('id', '=', id)
    .where('version', '=', version)
    .where('opened_at', 'is', null)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** The mutes that have not ended. */
export async function mutesOf(db: Db, { id }: Scope): Promise<Mute[]> {
  const rows = await db
    .selectFrom('alert_mute')
    .select(['id', 'agent_id as agentId', 'rule', 'from_at as from', 'until_at as until'])
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
