/** Changes the settings of a rule, and writes a line to the activity. */
import type { RuleName } from '@svc/api'
import { parseRuleFilter } from '@svc/api/filter'
import { alertRules, ruleNames } from '@svc/api/words'
import { shown, type Verdict } from '@svc/protocol'
import type { ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import type { Db } from '../../platform/db/open.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { isNodeWithout } from '../../platform/nodes.ts'
import { done, refuse } from '../../platform/verdict.ts'
import { channelsOwned } from '../owned.ts'
import { type AlertScope, type ScopeRef, scopeOf, serviceScope } from '../scope.ts'
import { rulesOfScope, type ScopedRule } from '../scoped-rules.ts'

interface RuleChange {
  on?: boolean
  /** The seconds for which the condition must hold before the alert opens. */
  after?: number
  /** The limit for the cost of a day (UTC), in US dollars; null removes the limit. */
  limit?: number | null
  statuses?: string[]
  /**
   * The names of the channels that get the rule's messages; null means all channels of the workspace except those in
   * `escalation`.
   */
  channels?: string[] | null
  /** The filter that selects the agents for which the rule is judged; null means all. */
  filter?: string | null
  reminds?: boolean
  /** The channels to which an alert is sent if nobody acknowledges it for `after` seconds; null removes them. */
  escalation?: { after: number; channels: string[] } | null
}

/**
 * Changes the given settings of a rule and keeps its other settings. A filter is refused while a node runs that does
 * not know filters; `heard` are the nodes that `Live.nodesHeard` returns.
 */
export const setRule = (
  { db, by, now, heard = [] }: ChangeContext & { heard?: readonly string[] },
  scopeRef: ScopeRef,
  { rule: named, ...wanted }: RuleChange & { rule: string },
): Promise<
  Verdict<ScopedRule, 'rule_unknown' | 'rule_invalid' | 'filter_invalid' | 'nodes_mixed' | 'channel_unknown'>
> =>
  transaction(db, async (trx) => {
    const scope = scopeOf(scopeRef)
    const name = ruleNames.find((one) => one === named)
    if (!name)
      return refuse('rule_unknown', `There is no rule ${shown(named)}: it must be one of ${ruleNames.join(', ')}.`)
    if (scope.id === serviceScope && name !== 'service')
      return refuse('rule_invalid', 'The only rule of @service is service.')
    const wrong = wrongWith(name, wanted)
    if (wrong !== undefined) return refuse('rule_invalid', wrong)
    const filter = typeof wanted.filter === 'string' ? parseRuleFilter(wanted.filter) : undefined
    if (filter && !filter.ok) return refuse('filter_invalid', filter.message)
    const channels = await channelIds(trx, scope, wanted.channels)
    if (!channels.ok) return channels
    const second = await channelIds(trx, scope, wanted.escalation?.channels)
    if (!second.ok) return second
    const before = (await rulesOfScope(trx, scope))(name)
    const narrows = wanted.filter && wanted.filter.trim() !== (before.filter ?? '')
    if (narrows && (await isNodeWithout('rule_filters', trx, heard, now))) return refuse('nodes_mixed', nodesMixed)
    const set = { ...columnsOf(wanted, channels.value), ...escalationColumns(wanted.escalation, second.value) }
    await trx
      .insertInto('alert_rule')
      .values({ scope: scope.id, workspace_id: scope.workspaceId, rule: name, ...noSettings, ...set })
      .onConflict((oc) =>
        Object.keys(set).length === 0 ? oc.doNothing() : oc.columns(['scope', 'rule']).doUpdateSet(set),
      )
      .execute()
    const after = (await rulesOfScope(trx, scope))(name)
    if (JSON.stringify(before) !== JSON.stringify(after))
      await audit(trx, {
        workspaceId: scope.workspaceId,
        at: now,
        by,
        action: 'rule.changed',
        subject: `rule ${name}`,
        details: { ...wanted },
      })
    return done(after)
  })

const nodesMixed =
  'A node of an earlier version is still running, which would judge the rule for all agents. Stop it, and try again in two minutes.'

const noSettings = {
  is_on: null,
  after_s: null,
  limit_micro: null,
  statuses: null,
  channels: null,
  filter: null,
  reminds: null,
  escalation_s: null,
  escalation_channels: null,
}

/** Returns a sentence that says why the rule cannot have the given settings; undefined if it can have them. */
function wrongWith(name: RuleName, { limit, statuses, after, filter, escalation }: RuleChange): string | undefined {
  const { setting, isEvent, isAboutAgents = true } = alertRules[name]
  if (limit !== undefined && setting !== 'limit') return `The rule ${name} has no limit; cost_day has one.`
  if (statuses !== undefined && setting !== 'statuses') return `The rule ${name} has no statuses; run_failed has.`
  if (filter && !isAboutAgents) return `The rule ${name} is not about agents, so it takes no filter.`
  if (statuses?.length === 0) return `The rule ${name} needs at least one status.`
  if (escalation && isEvent) return `The rule ${name} is about a single event, which nobody acknowledges.`
  if (escalation && (escalation.after === 0 || escalation.channels.length === 0))
    return 'An escalation needs a time longer than 0 s and at least one channel.'
  if (after !== undefined && isEvent) return `The rule ${name} is about a single event, which does not last.`
  return undefined
}

async function channelIds(
  trx: Db,
  scope: AlertScope,
  names: string[] | null | undefined,
): Promise<Verdict<string[] | null | undefined, 'channel_unknown'>> {
  if (!names) return done(names)
  const rows = await channelsOwned(trx, { scope }).select(['id', 'name']).execute()
  const stranger = names.find((name) => !rows.some((row) => row.name === name))
  if (stranger !== undefined) return refuse('channel_unknown', `There is no channel ${shown(stranger)}.`)
  return done(rows.filter(({ name }) => names.includes(name)).map(({ id }) => id))
}

const escalationColumns = (escalation: RuleChange['escalation'], channels: string[] | null | undefined) =>
  escalation !== undefined && {
    escalation_s: escalation?.after ?? null,
    escalation_channels: escalation === null ? null : JSON.stringify(channels),
  }

const columnsOf = (
  { on, after, limit, statuses, filter, reminds }: RuleChange,
  channels: string[] | null | undefined,
) => ({
  ...(on !== undefined && { is_on: on ? 1 : 0 }),
  ...(after !== undefined && { after_s: after }),
  // Setting a limit also enables the rule, unless the request itself says whether the rule is enabled.
  ...(limit !== undefined && { limit_micro: limit === null ? null : Math.round(limit * 1_000_000) }),
  ...(limit != null && on === undefined && { is_on: 1 }),
  ...(statuses !== undefined && { statuses: JSON.stringify(statuses) }),
  ...(channels !== undefined && { channels: channels === null ? null : JSON.stringify(channels) }),
  // An empty filter selects all agents.
  ...(filter !== undefined && { filter: filter?.trim() || null }),
  ...(reminds !== undefined && { reminds: reminds ? 1 : 0 }),
})
