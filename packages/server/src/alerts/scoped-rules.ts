/** Rules as they are set in a scope: the settings that people changed, and the defaults of the others. */
import type { RuleName } from '@svc/api'
import type { Db } from '../platform/db/open.ts'
import type { AlertRuleRow } from '../platform/db/tables.ts'
import type { Rule } from './rules/conditions.ts'
import type { Escalation } from './rules/routing.ts'
import { defaultRule } from './rules/rules.ts'
import type { AlertScope } from './scope.ts'

/**
 * A rule as set in a scope. `channels` are the ids of the channels that get the rule's messages; null means all
 * channels except those in `escalation`.
 */
export interface ScopedRule extends Rule {
  channels: readonly string[] | null
  /** The filter that selects the agents for which the rule is judged; null means all. */
  filter: string | null
  /** The second channels, to which an alert is sent if nobody acknowledges it in time; null if there are none. */
  escalation: Escalation | null
}

/** Reads the rules of a scope: the settings that people changed, and the defaults of the others. */
export async function rulesOfScope(db: Db, { id }: AlertScope): Promise<(name: RuleName) => ScopedRule> {
  const rows = await db.selectFrom('alert_rule').selectAll().where('scope', '=', id).execute()
  const set = new Map(rows.map((row) => [row.rule, row]))
  return (name) => {
    const rule = defaultRule(name)
    const row = set.get(name)
    if (!row) return { ...rule, channels: null, filter: null, escalation: null }
    return {
      ...rule,
      on: row.is_on === null ? rule.on : row.is_on === 1,
      after: row.after_s === null ? rule.after : row.after_s * 1000,
      limit: row.limit_micro ?? rule.limit,
      statuses: row.statuses === null ? rule.statuses : (JSON.parse(row.statuses) as string[]),
      reminds: row.reminds !== 0,
      channels: row.channels === null ? null : (JSON.parse(row.channels) as string[]),
      filter: row.filter,
      escalation: escalationOf(row),
    }
  }
}

const escalationOf = (row: AlertRuleRow): Escalation | null =>
  row.escalation_s === null
    ? null
    : { after: row.escalation_s * 1000, channels: JSON.parse(row.escalation_channels ?? '[]') as string[] }
