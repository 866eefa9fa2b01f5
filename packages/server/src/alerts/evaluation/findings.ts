/**
 * Judges the rules about agents, rollouts, channels, the cost of the day and the service itself. The rule `command` is
 * judged in commands.ts.
 */
import { setImmediate } from 'node:timers/promises'
import type { RuleName } from '@svc/api'
import type { Db, Store } from '../../platform/db/open.ts'
import { type ConditionFinding, costOfDay, isReportOverdue, overFinding } from '../rules/conditions.ts'
import { findItems } from '../rules/items.ts'
import { agentRules, judgeForAgent, judgeForRollout, offlineAgentRules } from '../rules/rules.ts'
import type { ScopedRule } from '../scoped-rules.ts'
import { alertSubject, type KnownAlert, type KnownAlerts, keyOfRow, subjectKeyOf } from '../store.ts'
import { agentFacts } from './facts.ts'
import { filteredRules } from './filtered-rules.ts'
import { newOfflineAgents, noteOffline, offlineFindings } from './offline-agents.ts'
import { aboutWorkspace, type FindingContext, type NamedScope, type RuleFinding } from './rule-finding.ts'
import { channelFinding, channelSubject, type ServiceFacts, serviceFindings } from './service.ts'

/** The findings about a workspace. Those about an agent's items come before the finding of the rule `bad`. */
export async function readFindings(store: Store, scope: NamedScope, context: FindingContext): Promise<RuleFinding[]> {
  const { rules, known, moment } = context
  const itemRule = rules('item')
  const itemsOf = itemAlertsOf(known)
  const [judgedRules, judgedWhileOffline] = [agentRules.map(rules), offlineAgentRules.map(rules)]
  const readFilters = filteredRules(store.db, rules, moment.now)
  const mustBeJudged = new Set(known.current.map(({ row }) => keyOfRow(row)))
  const asked = new Set(
    known.current.filter(({ row }) => row.subject_kind === 'agent').map(({ row }) => row.subject_id),
  )
  const found: RuleFinding[] = []
  let costToday = 0
  const offline = newOfflineAgents(known, asked)
  for await (const slice of agentFacts(store, { workspaceId: scope.id, rules, now: moment.now, asked })) {
    offline.counted += slice.counted
    costToday += slice.costToday
    const ruleFor = await readFilters(slice.agents.map(({ about }) => about.id))
    for (const { about, facts } of slice.agents) {
      const isAsked = asked.has(about.id)
      const ofItems = itemsOf.get(about.id) ?? noItems
      if (ofItems.length + facts.signs.items.length > 0)
        for (const { item, finding } of findItems(ruleFor(itemRule, about.id), facts, {
          known: ofItems,
          earlier: known.itemsBefore(about.id),
          now: moment.now,
        }))
          found.push({ rule: itemRule, about: { ...about, item }, finding })
      for (const rule of !isAsked && isReportOverdue(facts, moment.now) ? judgedWhileOffline : judgedRules) {
        const finding = judgeForAgent(ruleFor(rule, about.id), facts, moment)
        if (rule.name === 'silent' && !context.muted(about.id) && noteOffline(offline, about, finding)) continue
        if (finding.is !== 'holds' && !(isAsked && mustBeJudged.has(subjectKeyOf(rule.name, about)))) continue
        found.push({ rule, about, finding })
      }
    }
    await setImmediate()
  }
  return [
    ...found,
    ...(await offlineFindings(scope, offline, context)),
    ...(await rolloutFindings(store.db, scope, context)),
    ...channelFindings(context),
    { rule: rules('cost_day'), about: aboutWorkspace(scope), finding: workspaceCost(rules('cost_day'), costToday) },
  ]
}

/**
 * Judges the cost of a whole workspace. A rule with a filter does not apply, because its limit is for the selected
 * agents only.
 */
const workspaceCost = (rule: ScopedRule, today: number): ConditionFinding =>
  rule.on && rule.filter === null ? costOfDay(today, rule) : overFinding

const noItems: readonly never[] = []

/** The alerts of the rule `item` that have not ended, by the id of their agent. */
function itemAlertsOf({ current }: KnownAlerts) {
  const all = current.filter(({ row }) => row.rule === 'item')
  return Map.groupBy(
    all.map(({ row, alert }) => ({ agentId: row.subject_id, item: row.item, alert })),
    ({ agentId }) => agentId,
  )
}

/**
 * The findings about the service itself and about its channels. The evaluation does not count as late because of an
 * outage of the service.
 */
export function judgeService(facts: ServiceFacts, context: FindingContext): RuleFinding[] {
  const { rules, moment } = context
  const rule = rules('service')
  const evaluatedAt = facts.evaluatedAt === null ? null : Math.max(facts.evaluatedAt, moment.backSince ?? 0)
  const found = serviceFindings({ ...facts, evaluatedAt }, moment.now).map(({ about, finding }): RuleFinding => {
    return { rule, about, finding: rule.on ? finding : overFinding }
  })
  return [...found, ...channelFindings(context)]
}

/**
 * Judges if the channels of a workspace or of the service fail. Messages about one channel are sent to the other
 * channels.
 */
function channelFindings({ rules, channels, moment: { now } }: FindingContext): RuleFinding[] {
  const rule = rules('service')
  return channels.map((channel) => {
    const { id, name, enabled, disabled_why, failing_since } = channel
    const facts = { id, name, enabled: enabled === 1, disabledWhy: disabled_why, failingSince: failing_since }
    return { rule, about: channelSubject(channel), finding: rule.on ? channelFinding(facts, now) : overFinding }
  })
}

async function rolloutFindings(db: Db, scope: NamedScope, { rules, known }: FindingContext): Promise<RuleFinding[]> {
  const ids = known.current.filter(({ row }) => row.rule === 'rollout').map(({ row }) => row.subject_id)
  const rows = await db
    .selectFrom('rollout')
    .select(['id', 'kind', 'blueprint', 'version', 'state'])
    .where('workspace_id', '=', scope.id)
    .where((eb) => eb.or([eb('state', '=', 'halted'), ...(ids.length > 0 ? [eb('id', 'in', ids)] : [])]))
    .execute()
  return rows.map(({ id, kind, blueprint, version, state }) => ({
    rule: rules('rollout'),
    about: { kind: 'rollout', id, name: kind === 'blueprint' ? `${blueprint}@${version}` : `the runtime ${version}` },
    finding: judgeForRollout(rules('rollout'), { state }),
  }))
}

/**
 * Adds a finding for each alert that has none, for example because its agent was deleted or the workspace is not
 * activated. The added finding ends the alert.
 */
export function withMissingSubjects(
  found: readonly RuleFinding[],
  current: readonly KnownAlert[],
  rules: (name: RuleName) => ScopedRule,
): RuleFinding[] {
  const keys = new Set(found.map(({ rule, about }) => subjectKeyOf(rule.name, about)))
  const forgotten = current.filter(({ row }) => !keys.has(keyOfRow(row)))
  return [
    ...found,
    ...forgotten.map(({ row }) => ({
      rule: rules(row.rule),
      about: { id: row.subject_id, ...alertSubject(row) },
      finding: { is: 'over' } as const,
    })),
  ]
}
