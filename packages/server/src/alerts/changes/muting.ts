/** Sets and lifts mutes. Each change writes a line to the activity. */
import type { MuteRow, RuleName } from '@svc/api'
import { cut, shown, type Verdict } from '@svc/protocol'
import { findAgent } from '../../fleet/agents/store.ts'
import { maxItemName } from '../../fleet/reports/signs.ts'
import type { ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import { lockWorkspace } from '../../people/workspaces/lock.ts'
import type { Db } from '../../platform/db/open.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { newId } from '../../platform/ids.ts'
import { done, refuse, unknownAgent } from '../../platform/verdict.ts'
import { type AlertScope, type ScopeRef, scopeOf, serviceScope } from '../scope.ts'

const okResult = { ok: true } as const

interface MuteWanted {
  agent?: string | undefined
  rule?: RuleName | undefined
  /** The name of a health item of the agent. It is cut to `maxItemName`. */
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
export const muteAlerts = (
  { db, by, now, role }: ChangeContext & { role: 'admin' | 'member' },
  scopeRef: ScopeRef,
  { agent: name, rule: ruleWanted, item: itemWanted, seconds, from = now }: MuteWanted,
): Promise<Verdict<MuteRow, 'mute_invalid' | 'mutes_too_many' | 'agent_unknown' | 'not_allowed'>> =>
  transaction(db, async (trx) => {
    const scope = scopeOf(scopeRef)
    if (role !== 'admin' && name === undefined)
      return refuse('not_allowed', 'Only an admin of the workspace may mute a rule or the whole workspace.')
    const wrong = wrongWithItem({ agent: name, rule: ruleWanted, item: itemWanted })
    if (wrong !== undefined) return refuse('mute_invalid', wrong)
    const item = itemWanted === undefined ? undefined : cut(itemWanted, maxItemName)
    const rule = item === undefined ? ruleWanted : 'item'
    if (seconds === 0) return refuse('mute_invalid', 'A mute must last longer than 0 s.')
    if (from > now + maxAhead) return refuse('mute_invalid', 'A mute may begin at most a year from now.')
    const agent = name === undefined ? undefined : await findAgent(trx, scopeRef, name)
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
      workspaceId: scope.workspaceId,
      at: now,
      by,
      action: 'alert.muted',
      subject: mutedSubject(scopeRef, name),
      details,
    })
    return done({ id, agent: name ?? null, rule: rule ?? null, item: item ?? null, until, from: begins, by: by.name })
  })

/** Says why a mute cannot be about `item`; undefined if it can, or if there is no `item`. */
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

/** True if no further mute may be added. Locks the workspace until the transaction ends, so the count stays right. */
async function hasMaxMutes(trx: Db, { id }: AlertScope, now: number): Promise<boolean> {
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
  `A workspace may have ${maxMutes} mutes that have not ended: lift one first. One mute of a rule can stand for many.`,
)

/** Ends a mute early. Any member may lift the mute of an agent; all other mutes need an admin. */
export const liftMute = (
  { db, by, now, role }: ChangeContext & { role: 'admin' | 'member' },
  scopeRef: ScopeRef,
  id: string,
): Promise<Verdict<{ ok: true }, 'mute_unknown' | 'not_allowed'>> =>
  transaction(db, async (trx) => {
    const scope = scopeOf(scopeRef)
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
      workspaceId: scope.workspaceId,
      at: now,
      by,
      action: 'alert.unmuted',
      subject: mutedSubject(scopeRef, found.name),
      details,
    })
    return done(okResult)
  })
