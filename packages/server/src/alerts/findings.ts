/**
 * Judges the rules of a workspace: about single agents, about many agents that fall silent at once, about rollouts,
 * about channels and about the cost of the day. The rule `command` is judged elsewhere.
 */
import { setImmediate } from 'node:timers/promises'
import type { RuleName } from '@svc/api'
import type { Db, Store } from '../db/open.ts'
import type { AlertChannelRow } from '../db/tables.ts'
import { agentRules, costOfDay, type Finding, findInAgent, findInRollout, type Moment } from './conditions.ts'
import { agentFacts } from './facts.ts'
import { massSilence, type SilentAgent } from './mass.ts'
import { aboutChannel, channelFinding, type ServiceFacts, serviceFindings } from './service.ts'
import { type About, type Known, type KnownAlert, keyOf, keyOfRow, type Scope, type SetRule } from './store.ts'

export interface NamedScope extends Scope {
  slug: string
  /** False if the workspace is not activated, in which case all its alerts end. */
  active: boolean
}

export interface RuleFinding {
  rule: SetRule
  about: About
  finding: Finding
  /** The agents of a mass silence, as JSON. */
  agents?: string
}

interface Looking {
  rules: (name: RuleName) => SetRule
  known: Known
  moment: Moment
  channels: readonly AlertChannelRow[]
  muted: (agentId: string) => boolean
}

export async function findings(store: Store, place: NamedScope, looking: Looking): Promise<RuleFinding[]> {
  const { rules, known, moment } = looking
  const judgedRules = agentRules.map(rules)
  const mustBeJudged = new Set(known.current.map(({ row }) => keyOfRow(row)))
  const asked = new Set(
    known.current.filter(({ row }) => row.subject_kind === 'agent').map(({ row }) => row.subject_id),
  )
  const found: RuleFinding[] = []
  let costToday = 0
  const silence: Silence = { silent: [], unknown: new Set(), counted: 0 }
  for await (const slice of agentFacts(store, { workspaceId: place.id, rules, now: moment.now, asked })) {
    silence.counted += slice.counted
    costToday += slice.costToday
    for (const { about, facts } of slice.agents) {
      for (const rule of judgedRules) {
        const finding = findInAgent(rule, facts, moment)
        if (rule.name === 'silent' && !looking.muted(about.id)) noteSilence(silence, about, finding)
        if (finding.is !== 'holds' && !(asked.has(about.id) && mustBeJudged.has(keyOf(rule.name, about)))) continue
        found.push({ rule, about, finding })
      }
    }
    await setImmediate()
  }
  return [
    ...(await folded(place, found, silence, looking)),
    ...(await rolloutFindings(store.db, place, looking)),
    ...channelFindings(looking),
    {
      rule: rules('cost_day'),
      about: aboutPlace(place),
      finding: rules('cost_day').on ? costOfDay(costToday, rules('cost_day')) : over,
    },
  ]
}

/**
 * The number of findings that are checked in one turn of the event loop for members of a mass silence. It is limited so
 * that the turns stay short.
 */
const foldedAtOnce = 2000

const over: Finding = { is: 'over' }
const aboutPlace = ({ id, slug }: NamedScope): About => ({ kind: 'workspace', id, name: slug })

interface Silence {
  silent: SilentAgent[]
  /**
   * The names of agents about which the rule `silent` can say nothing now, for example soon after an outage of the
   * service.
   */
  unknown: Set<string>
  /** The number of agents of the workspace that have ever reported. */
  counted: number
}

function noteSilence({ silent, unknown }: Silence, { id, name }: About, finding: Finding): void {
  if (finding.is === 'unknown') unknown.add(name)
  if (finding.is === 'holds') silent.push({ id, name, since: finding.since ?? finding.from ?? 0 })
}

/**
 * The findings about the service itself and about its channels. The evaluation does not count as late because of an
 * outage of the service.
 */
export function serviceFound(facts: ServiceFacts, looking: Looking): RuleFinding[] {
  const { rules, moment } = looking
  const rule = rules('service')
  const evaluatedAt = facts.evaluatedAt === null ? null : Math.max(facts.evaluatedAt, moment.backSince ?? 0)
  const found = serviceFindings({ ...facts, evaluatedAt }, moment.now).map(({ about, finding }): RuleFinding => {
    return { rule, about, finding: rule.on ? finding : { is: 'over' } }
  })
  return [...found, ...channelFindings(looking)]
}

/**
 * Judges each channel of a workspace, or of the service, by whether it fails. Messages about a channel are sent to the
 * other channels.
 */
function channelFindings({ rules, channels, moment: { now } }: Looking): RuleFinding[] {
  const rule = rules('service')
  return channels.map((channel) => {
    const { id, name, enabled, disabled_why, failing_since } = channel
    const facts = { id, name, enabled: enabled === 1, disabledWhy: disabled_why, failingSince: failing_since }
    return { rule, about: aboutChannel(channel), finding: rule.on ? channelFinding(facts, now) : { is: 'over' } }
  })
}

/**
 * Replaces the silence of many agents at once by one alert of the workspace. Until that alert opens, the agents' own
 * alerts wait; once it is open, they are dropped unless they were already sent. A fleet may have tens of thousands of
 * agents, so reports are answered between the steps.
 */
async function folded(
  place: NamedScope,
  found: readonly RuleFinding[],
  { silent, unknown, counted }: Silence,
  { rules, known }: Looking,
): Promise<RuleFinding[]> {
  const rule = rules('silent')
  const about = aboutPlace(place)
  const before = known.current.find(
    ({ row }) => row.rule === 'silent' && row.subject_kind === about.kind && row.subject_id === about.id,
  )
  const isOpen = before?.alert.openedAt != null
  // A mass alert that is still pending opens only if many agents are still silent. After a short network failure
  // perhaps only one agent is really gone.
  const mass = massSilence(silent, counted, isOpen ? { since: before.row.since } : undefined)
  if (!mass && !before) return [...found]
  await setImmediate()
  // The list of agents in a mass alert does not change after its first message, so that the message about its end lists
  // the same agents.
  const isAnnounced = before !== undefined && before.alert.told !== 'nothing'
  const names = mass?.agents.map(({ name }) => name)
  const agents = names && !isAnnounced ? { agents: JSON.stringify({ names, of: counted }) } : {}
  const gone: Finding = { is: namesOf(before).some((name) => unknown.has(name)) ? 'unknown' : 'clear' }
  const finding: Finding = mass ? { is: 'holds', from: mass.since, since: mass.since } : rule.on ? gone : { is: 'over' }
  await setImmediate()
  const members = new Set(mass?.agents.map(({ id }) => id))
  const own = new Map(known.current.filter(({ row }) => row.rule === 'silent').map((one) => [one.row.subject_id, one]))
  const rest: RuleFinding[] = []
  const foldedOne = (one: RuleFinding): RuleFinding[] => {
    const isMember = one.rule.name === 'silent' && one.about.kind === 'agent' && members.has(one.about.id)
    if (!isMember) return [one]
    const alert = own.get(one.about.id)?.alert
    // An agent without an alert about its own silence gets none; it is only listed in the mass alert.
    if (!alert) return []
    return alert.told === 'nothing' ? [{ ...one, finding: { is: isOpen ? 'over' : 'unknown' } }] : [one]
  }
  for (let i = 0; i < found.length; i += foldedAtOnce) {
    await setImmediate()
    rest.push(...found.slice(i, i + foldedAtOnce).flatMap(foldedOne))
  }
  return [...rest, { rule, about, finding, ...agents }]
}

/** The names of the agents in an alert about a mass silence. */
const namesOf = (mass: KnownAlert | undefined): readonly string[] =>
  mass?.row.agents == null ? [] : (JSON.parse(mass.row.agents) as { names: string[] }).names

async function rolloutFindings(db: Db, place: NamedScope, { rules, known }: Looking): Promise<RuleFinding[]> {
  const ids = known.current.filter(({ row }) => row.rule === 'rollout').map(({ row }) => row.subject_id)
  const rows = await db
    .selectFrom('rollout')
    .select(['id', 'kind', 'blueprint', 'version', 'state'])
    .where('workspace_id', '=', place.id)
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
  const keys = new Set(found.map(({ rule, about }) => keyOf(rule.name, about)))
  const forgotten = current.filter(({ row }) => !keys.has(keyOfRow(row)))
  return [
    ...found,
    ...forgotten.map(({ row }) => ({
      rule: rules(row.rule),
      about: { kind: row.subject_kind, id: row.subject_id, name: row.subject_name },
      finding: { is: 'over' } as const,
    })),
  ]
}
