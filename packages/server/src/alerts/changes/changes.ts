/**
 * Changes that people make to alerts: they acknowledge an alert, set or lift a mute, or change a rule. Each change
 * writes a line to the activity.
 */
import type { Acknowledged, MuteRow, RuleName } from '@svc/api'
import { alertRules, ruleNames } from '@svc/api/words'
import { bare, cut, shown, type Verdict } from '@svc/protocol'
import { enqueue } from '../../deliveries/store.ts'
import { findAgent } from '../../fleet/agents/store.ts'
import { maxItemName } from '../../fleet/reports/signs.ts'
import type { ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import { lockWorkspace } from '../../people/workspaces/lock.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AlertRow } from '../../platform/db/tables.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { newId } from '../../platform/ids.ts'
import { done, refuse, unknownAgent } from '../../platform/verdict.ts'
import { agentsNow, presentLabels } from '../messages/present.ts'
import { allChannelsOf, changeOf, recipients } from '../messages/recipients.ts'
import { channelsOwned, shared } from '../owned.ts'
import { alertOf, rulesOf, type Scope, type SetRule, scopeOf, serviceScope } from '../store.ts'

/** A reference to a workspace, or to the service itself, which has alerts as well. */
export interface ScopeRef {
  id: string
  slug: string
}

const isOk = { ok: true } as const

/**
 * Records that a person has acknowledged an alert, and tells the channels unless the alert is muted or was never sent.
 * If it is already acknowledged, nothing changes.
 */
export const acknowledge = (
  ctx: ChangeContext,
  place: ScopeRef,
  { id, ...wanted }: { id: string } & AcknowledgeWords,
): Promise<Verdict<{ ok: true }, 'alert_unknown' | 'alert_over'>> =>
  transaction(ctx.db, async (trx) => {
    const [before] = await alertsWithin(trx, place, [id])
    if (!before) return refuse('alert_unknown', 'There is no such alert.')
    if (before.ended_at !== null) return refuse('alert_over', 'The alert has ended.')
    await acknowledgeWithin({ ...ctx, db: trx }, place, { id, ...wanted })
    return done(isOk)
  })

/**
 * Acknowledges many alerts with one note. Those that have ended or are acknowledged stay as they are. If one is unknown,
 * none is acknowledged.
 */
export const acknowledgeMany = (
  ctx: ChangeContext,
  place: ScopeRef,
  { ids, ...wanted }: { ids: readonly string[] } & AcknowledgeWords,
): Promise<Verdict<Acknowledged, 'alert_unknown'>> =>
  transaction(ctx.db, async (trx) => {
    const asked = [...new Set(ids)].sort()
    const known = new Set((await alertsWithin(trx, place, asked)).map(({ id }) => id))
    const unknown = asked.find((id) => !known.has(id))
    if (unknown !== undefined) return refuse('alert_unknown', `There is no alert ${shown(unknown)} in this workspace.`)
    let acknowledged = 0
    for (const id of asked) if (await acknowledgeWithin({ ...ctx, db: trx }, place, { id, ...wanted })) acknowledged++
    return done({ acknowledged })
  })

interface AcknowledgeWords {
  note: string | undefined
  baseUrl: string
}

/** The alerts of a place that have ever opened, of those with the given ids. */
const alertsWithin = (trx: Db, place: ScopeRef, ids: readonly string[]) =>
  trx
    .selectFrom('alert')
    .select(['id', 'ended_at'])
    .where('id', 'in', ids.length > 0 ? ids : [''])
    .where('scope', '=', scopeOf(place).id)
    .where('opened_at', 'is not', null)
    .execute()

/** Acknowledges an alert of the place; false if it has ended or is acknowledged, so that nothing changes. */
async function acknowledgeWithin(
  { db: trx, by, now }: ChangeContext,
  place: ScopeRef,
  { id, note, baseUrl }: { id: string } & AcknowledgeWords,
): Promise<boolean> {
  const scope = scopeOf(place)
  const row = await trx
    .updateTable('alert')
    .set({
      acknowledged_by: by.name,
      acknowledged_at: now,
      note: bare(note ?? '') || null,
      version: (eb) => eb('version', '+', 1),
    })
    .where('id', '=', id)
    .where('acknowledged_at', 'is', null)
    .where('ended_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  if (!row) return false
  await audit(trx, {
    ...noteOf(scope, { by, now }),
    action: 'alert.acknowledged',
    subject: subjectOf(row),
    details: { rule: row.rule, ...(row.item !== '' && { item: row.item }) },
  })
  if (row.muted === 0 && row.told !== 'nothing') await tell(trx, scope, { row, place, baseUrl, now })
  return true
}

async function tell(
  trx: Db,
  scope: Scope,
  { row, place, baseUrl, now }: { row: AlertRow; place: ScopeRef; baseUrl: string; now: number },
): Promise<void> {
  const rule = (await rulesOf(trx, scope))(row.rule)
  const sent = { type: 'alert.acknowledged', level: row.level, isEscalated: row.escalated_at !== null } as const
  const channels = recipients(rule, await allChannelsOf(trx, scope), sent, now)
  const alert = { ...alertOf(row), label: (await presentLabels(trx, [row]))(row) }
  const agents = await agentsNow(trx, row, { type: 'alert.acknowledged', now })
  const acknowledged = { type: 'alert.acknowledged', alert, agents } as const
  await enqueue(trx, channels, changeOf(row, acknowledged, { slug: place.slug, baseUrl, now }), now)
}

const noteOf = ({ workspaceId }: Scope, { by, now }: Pick<ChangeContext, 'by' | 'now'>) => ({
  workspaceId,
  at: now,
  by,
})

const subjectOf = ({ subject_kind, subject_name }: AlertRow): string =>
  subject_kind === 'service' ? subject_name : `${subject_kind} ${subject_name}`

interface MuteWanted {
  agent?: string | undefined
  rule?: RuleName | undefined
  /** A health item of the agent; a longer name is cut as in alerts. */
  item?: string | undefined
  /** The length of the mute in seconds. Null means that it lasts until every alert that it covers has ended. */
  seconds: number | null
  /** The start in Unix milliseconds, for a mute that is planned ahead; by default the mute starts now. */
  from?: number | undefined
}

const maxAhead = 365 * 86_400_000
/** The maximum number of mutes of a workspace that have not ended, planned ones included. */
export const maxMutes = 200

/** Adds a mute. Any member may mute an agent; muting a rule for all agents, or the whole workspace, needs an admin. */
export const mute = (
  { db, by, now, role }: ChangeContext & { role: 'admin' | 'member' },
  place: ScopeRef,
  { agent: name, rule: ruleWanted, item: itemWanted, seconds, from = now }: MuteWanted,
): Promise<Verdict<MuteRow, 'mute_invalid' | 'mutes_too_many' | 'agent_unknown' | 'not_allowed'>> =>
  transaction(db, async (trx) => {
    const scope = scopeOf(place)
    if (role !== 'admin' && name === undefined)
      return refuse('not_allowed', 'Only an admin of the workspace may mute a rule or the whole workspace.')
    const wrong = wrongWithItem({ agent: name, rule: ruleWanted, item: itemWanted })
    if (wrong !== undefined) return refuse('mute_invalid', wrong)
    const item = itemWanted === undefined ? undefined : cut(itemWanted, maxItemName)
    const rule = item === undefined ? ruleWanted : 'item'
    if (seconds === 0) return refuse('mute_invalid', 'A mute must last longer than 0 s.')
    if (from > now + maxAhead) return refuse('mute_invalid', 'A mute may begin at most a year from now.')
    const agent = name === undefined ? undefined : await findAgent(trx, place, name)
    if (name !== undefined && !agent) return unknownAgent
    if (await hasMaxMutes(trx, scope, now)) return tooManyMutes
    const begins = Math.max(from, now)
    const until = seconds === null ? null : begins + seconds * 1000
    const id = newId(now)
    await trx
      .insertInto('alert_mute')
      .values({
        id,
        scope: scope.id,
        workspace_id: scope.workspaceId,
        agent_id: agent?.id ?? null,
        rule: rule ?? null,
        item: item ?? null,
        from_at: begins,
        until_at: until,
        created_at: now,
        created_by: by.id,
        created_by_name: by.name,
        ended_at: null,
      })
      .execute()
    const details = { ...(rule && { rule }), ...(item !== undefined && { item }), until }
    await audit(trx, {
      ...noteOf(scope, { by, now }),
      action: 'alert.muted',
      subject: mutedSubject(place, name),
      details,
    })
    return done({ id, agent: name ?? null, rule: rule ?? null, item: item ?? null, until, from: begins, by: by.name })
  })

/** Says why a mute cannot be about a health item; undefined if it can, or if it is about none. */
function wrongWithItem({ agent, rule, item }: Pick<MuteWanted, 'agent' | 'rule' | 'item'>): string | undefined {
  if (item === undefined) return undefined
  if (item.trim() === '') return 'A mute of a health item needs the name of the item, such as "Job backup".'
  if (agent === undefined) return `A mute of the health item ${shown(item)} needs the agent that has it.`
  if (rule !== undefined && rule !== 'item')
    return `A mute of a health item belongs to the rule item: got the rule ${rule} as well. Leave the rule out.`
  return undefined
}

const mutedSubject = ({ id, slug }: ScopeRef, agent: string | null | undefined): string =>
  agent ? `agent ${agent}` : id === serviceScope ? 'the service' : `workspace ${slug}`

/** True if no further mute may be added. The workspace stays locked, so that simultaneous mutes are counted. */
async function hasMaxMutes(trx: Db, { id }: Scope, now: number): Promise<boolean> {
  await lockWorkspace(trx, id)
  const { open } = await trx
    .selectFrom('alert_mute')
    .select((eb) => eb.fn.countAll<number>().as('open'))
    .where('scope', '=', id)
    .where('ended_at', 'is', null)
    .where((eb) => eb.or([eb('until_at', 'is', null), eb('until_at', '>', now)]))
    .executeTakeFirstOrThrow()
  return Number(open) >= maxMutes
}

const tooManyMutes = refuse(
  'mutes_too_many',
  `A workspace may have ${maxMutes} mutes that have not ended: lift one first, or mute a rule or the whole workspace.`,
)

/** Ends a mute early. Any member may lift the mute of an agent; all other mutes need an admin. */
export const liftMute = (
  { db, by, now, role }: ChangeContext & { role: 'admin' | 'member' },
  place: ScopeRef,
  id: string,
): Promise<Verdict<{ ok: true }, 'mute_unknown' | 'not_allowed'>> =>
  transaction(db, async (trx) => {
    const scope = scopeOf(place)
    const found = await trx
      .selectFrom('alert_mute')
      .leftJoin('agent', 'agent.id', 'agent_id')
      .select(['agent_id', 'rule', 'item', 'agent.name'])
      .where('alert_mute.id', '=', id)
      .where('scope', '=', scope.id)
      .where('ended_at', 'is', null)
      .executeTakeFirst()
    if (!found) return refuse('mute_unknown', 'There is no such mute, or it has ended.')
    if (role !== 'admin' && found.agent_id === null)
      return refuse(
        'not_allowed',
        'Only an admin of the workspace may lift the mute of a rule or of the whole workspace.',
      )
    await trx.updateTable('alert_mute').set({ ended_at: now }).where('id', '=', id).execute()
    const { rule, item } = found
    const details = { ...(rule !== null && { rule }), ...(item !== null && { item }) }
    await audit(trx, {
      ...noteOf(scope, { by, now }),
      action: 'alert.unmuted',
      subject: mutedSubject(place, found.name),
      details,
    })
    return done(isOk)
  })

interface RuleChange {
  on?: boolean
  /** The seconds for which the condition must hold before the alert opens. */
  after?: number
  /** The limit for the cost of a day (UTC), in US dollars; null removes the limit. */
  limit?: number | null
  statuses?: string[]
  /**
   * The names of the channels that get the rule's messages; null means all channels of the workspace except those of
   * the second set.
   */
  channels?: string[] | null
  reminds?: boolean
  /**
   * The names of the second set of channels, and the seconds without an acknowledgement after which an alert is sent to
   * them; null removes the second set.
   */
  escalation?: { after: number; channels: string[] } | null
}

/**
 * Changes the given settings of a rule and keeps its other settings. If nothing about the rule differs afterwards, no
 * line is written to the activity.
 */
export const setRule = (
  { db, by, now }: ChangeContext,
  place: ScopeRef,
  { rule: named, ...wanted }: RuleChange & { rule: string },
): Promise<Verdict<SetRule, 'rule_unknown' | 'rule_invalid' | 'channel_unknown'>> =>
  transaction(db, async (trx) => {
    const scope = scopeOf(place)
    const name = ruleNames.find((one) => one === named)
    if (!name)
      return refuse('rule_unknown', `There is no rule ${shown(named)}: it must be one of ${ruleNames.join(', ')}.`)
    if (scope.id === serviceScope && name !== 'service')
      return refuse('rule_invalid', 'The only rule of @service is service.')
    const wrong = wrongWith(name, wanted)
    if (wrong !== undefined) return refuse('rule_invalid', wrong)
    const channels = await channelIds(trx, scope, wanted.channels)
    if (!channels.ok) return channels
    const second = await channelIds(trx, scope, wanted.escalation?.channels)
    if (!second.ok) return second
    const before = (await rulesOf(trx, scope))(name)
    const set = { ...columnsOf(wanted, channels.value), ...escalationColumns(wanted.escalation, second.value) }
    await trx
      .insertInto('alert_rule')
      .values({ scope: scope.id, workspace_id: scope.workspaceId, rule: name, ...nothing, ...set })
      .onConflict((oc) =>
        Object.keys(set).length === 0 ? oc.doNothing() : oc.columns(['scope', 'rule']).doUpdateSet(set),
      )
      .execute()
    const after = (await rulesOf(trx, scope))(name)
    if (JSON.stringify(before) !== JSON.stringify(after))
      await audit(trx, {
        ...noteOf(scope, { by, now }),
        action: 'rule.changed',
        subject: `rule ${name}`,
        details: { ...wanted },
      })
    return done(after)
  })

const nothing = {
  is_on: null,
  after_s: null,
  limit_micro: null,
  statuses: null,
  channels: null,
  reminds: null,
  escalation_s: null,
  escalation_channels: null,
}

/** Returns a sentence that says why the rule cannot have the given settings; undefined if it can have them. */
function wrongWith(name: RuleName, { limit, statuses, after, escalation }: RuleChange): string | undefined {
  const { setting, isEvent } = alertRules[name]
  if (limit !== undefined && setting !== 'limit') return `The rule ${name} has no limit; cost_day has one.`
  if (statuses !== undefined && setting !== 'statuses') return `The rule ${name} has no statuses; run_failed has.`
  if (statuses?.length === 0) return `The rule ${name} needs at least one status.`
  if (escalation && isEvent) return `The rule ${name} is about a single event, which nobody acknowledges.`
  if (escalation && (escalation.after === 0 || escalation.channels.length === 0))
    return 'An escalation needs a time longer than 0 s and at least one channel.'
  if (after !== undefined && isEvent) return `The rule ${name} is about a single event, which does not last.`
  return undefined
}

async function channelIds(
  trx: Db,
  scope: Scope,
  names: string[] | null | undefined,
): Promise<Verdict<string[] | null | undefined, 'channel_unknown'>> {
  if (!names) return done(names)
  const rows = await channelsOwned(trx, scope, shared).select(['id', 'name']).execute()
  const stranger = names.find((name) => !rows.some((row) => row.name === name))
  if (stranger !== undefined) return refuse('channel_unknown', `There is no channel ${shown(stranger)}.`)
  return done(rows.filter(({ name }) => names.includes(name)).map(({ id }) => id))
}

const escalationColumns = (escalation: RuleChange['escalation'], channels: string[] | null | undefined) =>
  escalation !== undefined && {
    escalation_s: escalation?.after ?? null,
    escalation_channels: escalation === null ? null : JSON.stringify(channels),
  }

const columnsOf = ({ on, after, limit, statuses, reminds }: RuleChange, channels: string[] | null | undefined) => ({
  ...(on !== undefined && { is_on: on ? 1 : 0 }),
  ...(after !== undefined && { after_s: after }),
  // Setting a limit also enables the rule, unless the request itself says whether the rule is enabled.
  ...(limit !== undefined && { limit_micro: limit === null ? null : Math.round(limit * 1_000_000) }),
  ...(limit != null && on === undefined && { is_on: 1 }),
  ...(statuses !== undefined && { statuses: JSON.stringify(statuses) }),
  ...(channels !== undefined && { channels: channels === null ? null : JSON.stringify(channels) }),
  ...(reminds !== undefined && { reminds: reminds ? 1 : 0 }),
})
