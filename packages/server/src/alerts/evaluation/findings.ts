/**
 * Judges the rules of a workspace: about single agents, about many agents that go offline at once, about rollouts,
 * about channels and about the cost of the day. The rule `command` is judged elsewhere.
 */
import { setImmediate } from 'node:timers/promises'
import type { RuleName } from '@svc/api'
import type { Db, Store } from '../../platform/db/open.ts'
import type { AlertChannelRow } from '../../platform/db/tables.ts'
import { type ConditionFinding, costOfDay, isReportOverdue, overFinding, type RuleMoment } from '../rules/conditions.ts'
import { findItems } from '../rules/items.ts'
import { massOutage, wentOfflineThen } from '../rules/mass.ts'
import { agentRules, findInAgent, findInRollout, offlineAgentRules } from '../rules/rules.ts'
import type { AlertScope } from '../scope.ts'
import type { SetRule } from '../set-rules.ts'
import { alertSubject, type KnownAlert, type KnownAlerts, keyOfRow, type SubjectRef, subjectKeyOf } from '../store.ts'
import { agentFacts } from './facts.ts'
import { filteredRules } from './filtered-rules.ts'
import { channelFinding, channelSubject, type ServiceFacts, serviceFindings } from './service.ts'

/** The scope that an evaluation judges, with the short name of its workspace. */
export interface NamedScope extends AlertScope {
  slug: string
  /** False if the workspace is not activated, in which case all its alerts end. */
  active: boolean
}

/** The finding of a rule about one subject. */
export interface RuleFinding {
  rule: SetRule
  about: SubjectRef
  finding: ConditionFinding
  /** The agents of the mass outage that the finding is about; absent in other findings. */
  agents?: MassAgents
}

/**
 * The agents of a mass outage, as a list and as JSON. Both are kept, because making them for up to 50,000 agents takes
 * long.
 */
interface MassAgents {
  list: { names: readonly string[]; of: number }
  json: string
}

interface FindingContext {
  rules: (name: RuleName) => SetRule
  known: KnownAlerts
  moment: RuleMoment
  channels: readonly AlertChannelRow[]
  muted: (agentId: string) => boolean
}

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
  const offline: OfflineAgents = { ids: [], names: [], froms: [], sinces: [], unknown: new Set(), counted: 0, asked }
  const mass = massAlertOf(known)
  if (mass && isAnnounced(mass)) offline.announced = mass.row.since
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
        const finding = findInAgent(ruleFor(rule, about.id), facts, moment)
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
const workspaceCost = (rule: SetRule, today: number): ConditionFinding =>
  rule.on && rule.filter === null ? costOfDay(today, rule) : overFinding

/**
 * The number of offline agents that are handled in one turn of the event loop. It is limited so that turns stay short.
 */
const offlineAtOnce = 2000

const aboutWorkspace = ({ id, slug }: NamedScope): SubjectRef => ({ kind: 'workspace', id, name: slug })

/**
 * The agents that an evaluation has found offline. Those that are not muted are kept in columns, each
 * agent at the same index of all four: if a large fleet goes offline, small objects that live for the whole evaluation
 * would make the garbage collector block this process for too long.
 */
interface OfflineAgents {
  ids: string[]
  names: string[]
  /** The times from which the rule's `after` counts, in Unix milliseconds. */
  froms: number[]
  /** The times at which the agents went offline, in Unix milliseconds. */
  sinces: number[]
  /**
   * The names of agents about which the rule `silent` can say nothing now, for example soon after an outage of the
   * service.
   */
  unknown: Set<string>
  /** The number of agents of the workspace that have ever reported. */
  counted: number
  /** The ids of agents that have alerts. */
  asked: ReadonlySet<string>
  /**
   * The start of the mass outage that a message has announced; undefined if there is none. Its list of agents is
   * final, so of the members without alerts only the first is kept, which shows that the outage lasts.
   */
  announced?: number
  /** True if a member of the announced mass outage without an alert was kept. */
  hasMember?: boolean
}

/** Notes what the rule `silent` has found for an agent. True if the agent is offline. */
function noteOffline(offline: OfflineAgents, { id, name }: SubjectRef, finding: ConditionFinding): boolean {
  if (finding.is === 'unknown') offline.unknown.add(name)
  if (finding.is !== 'holds') return false
  const from = finding.from ?? 0
  const since = finding.since ?? from
  if (offline.announced !== undefined && wentOfflineThen(offline.announced, since) && !offline.asked.has(id)) {
    if (offline.hasMember) return true
    offline.hasMember = true
  }
  offline.ids.push(id)
  offline.names.push(name)
  offline.froms.push(from)
  offline.sinces.push(since)
  return true
}

const noItems: readonly never[] = []

/** The alerts about items that have not ended, by the id of their agent. */
function itemAlertsOf({ current }: KnownAlerts) {
  const all = current.filter(({ row }) => row.rule === 'item')
  return Map.groupBy(
    all.map(({ row, alert }) => ({ agentId: row.subject_id, item: row.item, alert })),
    ({ agentId }) => agentId,
  )
}

/** The alert about a mass outage that has not ended. */
const massAlertOf = ({ current }: KnownAlerts): KnownAlert | undefined =>
  current.find(({ row }) => row.rule === 'silent' && row.subject_kind === 'workspace')

/** True if a message about this alert was sent. */
const isAnnounced = ({ alert }: KnownAlert): boolean => alert.told !== 'nothing'

/**
 * The findings about the service itself and about its channels. An outage of the service does not make the evaluation
 * count as late.
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
 * Judges each channel of a workspace, or of the service, by whether it fails. Messages about a channel are sent to the
 * other channels.
 */
function channelFindings({ rules, channels, moment: { now } }: FindingContext): RuleFinding[] {
  const rule = rules('service')
  return channels.map((channel) => {
    const { id, name, enabled, disabled_why, failing_since } = channel
    const facts = { id, name, enabled: enabled === 1, disabledWhy: disabled_why, failingSince: failing_since }
    return { rule, about: channelSubject(channel), finding: rule.on ? channelFinding(facts, now) : overFinding }
  })
}

/**
 * The findings of the rule `silent`. If many agents went offline at once, one finding about the workspace replaces
 * theirs. Until its alert opens, the agents' own alerts wait; once it is open, they are dropped unless they were
 * already sent.
 */
async function offlineFindings(
  scope: NamedScope,
  offline: OfflineAgents,
  { rules, known }: FindingContext,
): Promise<RuleFinding[]> {
  const rule = rules('silent')
  const before = massAlertOf(known)
  const isOpen = before?.alert.openedAt != null
  // A mass alert that is still pending opens only if many agents are still offline. After a short network failure
  // perhaps only one agent is really gone.
  const begin = massOutage(offline.sinces, offline.counted, isOpen ? before.row.since : undefined)
  const own = new Map(
    known.current.filter(({ row }) => row.rule === 'silent').map(({ row, alert }) => [row.subject_id, alert]),
  )
  const found: RuleFinding[] = []
  for (const [i, id] of offline.ids.entries()) {
    if (i % offlineAtOnce === 0) await setImmediate()
    const since = offline.sinces[i] ?? 0
    const alert = own.get(id)
    const isMember = begin !== undefined && wentOfflineThen(begin, since)
    // A member of the mass outage that has no alert yet gets none; the mass alert lists it.
    if (isMember && !alert) continue
    const waits: ConditionFinding | undefined =
      isMember && alert?.told === 'nothing' ? { is: isOpen ? 'over' : 'unknown' } : undefined
    const finding = waits ?? { is: 'holds', from: offline.froms[i] ?? since, since }
    found.push({ rule, about: { kind: 'agent', id, name: offline.names[i] ?? '' }, finding })
  }
  if (begin !== undefined || before) found.push(await aboutMass(scope, offline, { rule, begin, before }))
  return found
}

interface MassParts {
  rule: SetRule
  /** The time at which the mass outage began; undefined if there is none, or if it has ended. */
  begin: number | undefined
  before: KnownAlert | undefined
}

async function aboutMass(
  scope: NamedScope,
  offline: OfflineAgents,
  { rule, begin, before }: MassParts,
): Promise<RuleFinding> {
  const about = aboutWorkspace(scope)
  if (begin === undefined) {
    const isUnknown = namesOf(before).some((name) => offline.unknown.has(name))
    return { rule, about, finding: rule.on ? { is: isUnknown ? 'unknown' : 'clear' } : overFinding }
  }
  const finding: ConditionFinding = { is: 'holds', from: begin, since: begin }
  // The list of agents in a mass alert does not change after its first message, so that the message about its end lists
  // the same agents.
  if (before && isAnnounced(before)) return { rule, about, finding }
  await setImmediate()
  const names = offline.names.filter((_, i) => wentOfflineThen(begin, offline.sinces[i] ?? 0))
  await setImmediate()
  const list = { names, of: offline.counted }
  const json = JSON.stringify(list)
  await setImmediate()
  return { rule, about, finding, agents: { list, json } }
}

/** The names of the agents in an alert about a mass outage. */
const namesOf = (mass: KnownAlert | undefined): readonly string[] =>
  mass?.row.agents == null ? [] : (JSON.parse(mass.row.agents) as { names: string[] }).names

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
    finding: findInRollout(rules('rollout'), { state }),
  }))
}

/**
 * Adds findings that end every alert whose subject was not found: the agent was deleted, or the workspace is not
 * activated.
 */
export function withForgotten(
  found: readonly RuleFinding[],
  current: readonly KnownAlert[],
  rules: (name: RuleName) => SetRule,
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
