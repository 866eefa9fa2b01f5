/**
 * Judges the rule `silent`, which is about offline agents. If many agents went offline at once, one alert about the
 * workspace replaces the alerts about these agents.
 */
import { setImmediate } from 'node:timers/promises'
import { type ConditionFinding, massOutage, overFinding, wentOfflineThen } from '../rules/conditions.ts'
import type { ScopedRule } from '../scoped-rules.ts'
import type { KnownAlert, KnownAlerts, SubjectRef } from '../store.ts'
import { aboutWorkspace, type FindingContext, type NamedScope, type RuleFinding } from './rule-finding.ts'

/** The number of offline agents that are handled in one turn of the event loop, so that turns stay short. */
const offlineAtOnce = 2000

/**
 * The agents that an evaluation has found offline, without muted ones. An agent has the same index in all four arrays.
 * For a large fleet, one object for each agent would make the garbage collector block this process for too long.
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
   * The start of the mass outage that a message has announced; undefined if there is none. The list of agents in that
   * message is final. So of the outage's agents without an alert only the first is put into the arrays, as the sign
   * that the outage lasts.
   */
  announced?: number
  /** True if that first agent is in the arrays. */
  hasMember?: boolean
}

/** The empty lists with which an evaluation begins. `asked` are the ids of agents that have alerts. */
export function newOfflineAgents(known: KnownAlerts, asked: ReadonlySet<string>): OfflineAgents {
  const offline: OfflineAgents = { ids: [], names: [], froms: [], sinces: [], unknown: new Set(), counted: 0, asked }
  const mass = massAlertOf(known)
  if (mass && isAnnounced(mass)) offline.announced = mass.row.since
  return offline
}

/** Notes what the rule `silent` has found for an agent. True if the agent is offline. */
export function noteOffline(offline: OfflineAgents, { id, name }: SubjectRef, finding: ConditionFinding): boolean {
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

/**
 * The findings of the rule `silent`. If many agents went offline at once, one finding about the workspace replaces
 * theirs: until the alert about the workspace opens, the agents' own alerts wait. Once it is open, they end, unless
 * messages about them were already sent.
 */
export async function offlineFindings(
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
    // An agent of the mass outage that has no alert yet gets none; the mass alert lists the agent.
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
  rule: ScopedRule
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
  // The list of agents is kept after the first message, so that the message about the end lists the same agents.
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

/** The alert about a mass outage, if one has not ended yet. */
const massAlertOf = ({ current }: KnownAlerts): KnownAlert | undefined =>
  current.find(({ row }) => row.rule === 'silent' && row.subject_kind === 'workspace')

/** True if a message about this alert was sent. */
const isAnnounced = ({ alert }: KnownAlert): boolean => alert.told !== 'nothing'
