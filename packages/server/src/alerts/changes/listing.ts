/** Lists alerts, rules and mutes for the page and the command line. */
import { type ListedAlert, type MuteRow, type RuleFits, type RuleSettings, ruleNames } from '@svc/api'
import type { WorkspaceInfo } from '../../people/workspaces/store.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AlertRow as StoredAlert } from '../../platform/db/tables.ts'
import { channelsOfScope } from '../messages/recipients.ts'
import { countFits } from '../rule-agents.ts'
import { alertStateOf } from '../rules/judge.ts'
import { type ScopeRef, scopeOf, serviceScope } from '../scope.ts'
import { rulesOfScope, type ScopedRule } from '../scoped-rules.ts'
import { alertSubject, storedAlert } from '../store.ts'

/** The alerts of a workspace or of the service, newest first; without `all` only those that have not ended. */
export async function listAlerts(
  db: Db,
  scopeRef: ScopeRef,
  { all, limit }: { all: boolean; limit: number },
): Promise<ListedAlert[]> {
  const rows = await db
    .selectFrom('alert')
    .selectAll()
    .where('scope', '=', scopeOf(scopeRef).id)
    .$if(!all, (query) => query.where('ended_at', 'is', null))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(alertRow)
}

/** Counts the alerts of a workspace or of the service that `listAlerts` lists without a limit. */
export async function countAlerts(db: Db, scopeRef: ScopeRef, { all }: { all: boolean }): Promise<number> {
  const { count } = await db
    .selectFrom('alert')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('scope', '=', scopeOf(scopeRef).id)
    .$if(!all, (query) => query.where('ended_at', 'is', null))
    .executeTakeFirstOrThrow()
  return Number(count)
}

function alertRow(row: StoredAlert): ListedAlert {
  const alert = storedAlert(row)
  return {
    id: row.id,
    rule: row.rule,
    level: row.level,
    subject: alertSubject(row),
    state: alertStateOf(alert),
    since: row.since,
    openedAt: row.opened_at,
    endedAt: row.ended_at,
    acknowledged: alert.acknowledged,
    muted: alert.muted,
  }
}

/**
 * The workspace to which the alert, mute or delivery with this id belongs; undefined if there is none. If it belongs to
 * the service itself, the result is `serviceAsWorkspace`.
 */
export async function workspaceOfRow(
  db: Db,
  noun: 'alert' | 'mute' | 'delivery',
  id: string,
): Promise<WorkspaceInfo | undefined> {
  const row = await scopeOfRow(db, noun, id)
  if (row?.scope === serviceScope) return serviceAsWorkspace
  if (!row) return undefined
  return db.selectFrom('workspace').select(['id', 'slug', 'name']).where('id', '=', row.scope).executeTakeFirst()
}

/** The service itself in the form of a workspace, for code that handles both alike. */
export const serviceAsWorkspace: WorkspaceInfo = { id: serviceScope, slug: serviceScope, name: 'The service' }

function scopeOfRow(db: Db, noun: 'alert' | 'mute' | 'delivery', id: string): Promise<{ scope: string } | undefined> {
  if (noun === 'alert') return db.selectFrom('alert').select('scope').where('id', '=', id).executeTakeFirst()
  if (noun === 'mute') return db.selectFrom('alert_mute').select('scope').where('id', '=', id).executeTakeFirst()
  return db
    .selectFrom('alert_delivery')
    .innerJoin('alert_channel', 'alert_channel.id', 'channel_id')
    .select('scope')
    .where('alert_delivery.id', '=', id)
    .executeTakeFirst()
}

export async function listRules(db: Db, scopeRef: ScopeRef, now: number): Promise<RuleSettings[]> {
  const scope = scopeOf(scopeRef)
  const rules = await rulesOfScope(db, scope)
  const listed = ruleNames.filter((name) => scope.id !== serviceScope || name === 'service').map(rules)
  return ruleRows(db, scopeRef, listed, now)
}

/** Rules with the names of their channels, and with the number of agents that their filters select. */
export async function ruleRows(
  db: Db,
  scopeRef: ScopeRef,
  rules: readonly ScopedRule[],
  now: number,
): Promise<RuleSettings[]> {
  const names = new Map((await channelsOfScope(db, scopeOf(scopeRef))).map(({ id, name }) => [id, name]))
  const filters = rules.flatMap(({ filter }) => filter ?? [])
  const fits = await countFits(db, scopeOf(scopeRef).id, filters, now)
  return rules.map((rule) => ruleRow(rule, names, fits))
}

/** A rule with the names of its channels. Channels that were removed are left out. */
const ruleRow = (
  rule: ScopedRule,
  names: ReadonlyMap<string, string>,
  fits: ReadonlyMap<string, RuleFits>,
): RuleSettings => ({
  rule: rule.name,
  on: rule.on,
  after: rule.after / 1000,
  level: rule.level,
  limit: rule.limit === null ? null : rule.limit / 1_000_000,
  statuses: rule.statuses === null ? null : [...rule.statuses],
  channels: rule.channels === null ? null : rule.channels.flatMap((id) => names.get(id) ?? []),
  filter: rule.filter,
  ...fitsField(fits.get(rule.filter ?? '')),
  reminds: rule.reminds,
  escalation: rule.escalation && {
    after: rule.escalation.after / 1000,
    channels: rule.escalation.channels.flatMap((id) => names.get(id) ?? []),
  },
})

const fitsField = (fits: RuleFits | undefined): Pick<RuleSettings, 'fits'> => (fits ? { fits } : {})

export async function listMutes(db: Db, scopeRef: ScopeRef): Promise<MuteRow[]> {
  return db
    .selectFrom('alert_mute')
    .leftJoin('agent', 'agent.id', 'agent_id')
    .select([
      'alert_mute.id',
      'agent.name as agent',
      'rule',
      'item',
      'until_at as until',
      'from_at as from',
      'created_by_name as by',
    ])
    .where('scope', '=', scopeOf(scopeRef).id)
    .where('ended_at', 'is', null)
    .orderBy('alert_mute.id')
    .execute()
}
