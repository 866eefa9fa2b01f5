/** Sends the same command to several agents, with a few statements for all of them together. */
import { neverReported } from '@svc/api'
import { type CommandBody, isRepetition, keptReport, type OfferedFacts, offerOf, whyNotOffered } from '@svc/protocol'
import { sql } from 'kysely'
import type { ChangeContext } from '../../people/audit/by.ts'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import type { CommandRow } from '../../platform/db/tables.ts'
import { unknownAgent } from '../../platform/verdict.ts'
import { declaredLogsIn, declaredVersionJoin } from '../versions/declared.ts'
import { noteSharedCommands } from './outcomes.ts'
import { commandBodyOf, commandRow } from './row.ts'
import { isCommandPending, maxPendingCommands, storedBody, tooManyPending } from './store.ts'

/**
 * The command that an agent got, or the reason why it got none. `shared` is true if that command was already pending
 * (D5).
 */
type QueueResult = { command: string; shared: boolean } | { skipped: string }

/**
 * Queues the command for agents whose last report offers it. The agents are locked in the order of their ids. Reports
 * lock agents in the same order, so the two cannot deadlock.
 */
export async function queueForAgents(
  { db: trx, by, now }: ChangeContext,
  agentIds: readonly string[],
  body: CommandBody,
): Promise<Map<string, QueueResult>> {
  const there = new Set(await lockAgents(trx, agentIds))
  const offers = await readOffers(trx, agentIds, logsIn(body))
  const open = await readPendingCommands(trx, agentIds, now)
  const made: CommandRow[] = []
  const results = agentIds.map((id): [string, QueueResult] => {
    if (!there.has(id)) return [id, { skipped: unknownAgent.message }]
    const offer = offers.get(id)
    if (!offer) return [id, { skipped: neverReported }]
    const why = whyNotOffered(body, offer)
    if (why !== undefined) return [id, { skipped: why }]
    const own = open.get(id) ?? []
    const same = own.find((row) => isRepetition(body, commandBodyOf(row)))
    if (same) return [id, { command: same.id, shared: true }]
    if (own.length >= maxPendingCommands) return [id, { skipped: tooManyPending }]
    const row = commandRow(id, storedBody(body, offer), { by, now })
    made.push(row)
    return [id, { command: row.id, shared: false }]
  })
  if (made.length > 0) await trx.insertInto('command').values(made).execute()
  await noteSharedCommands(
    trx,
    results.flatMap(([, each]) => ('command' in each && each.shared ? [each.command] : [])),
  )
  return new Map(results)
}

/** For each agent the reason why it would not get the command; undefined if it would get it. Changes nothing. */
export async function whyNotQueued(db: Db, agentIds: readonly string[], body: CommandBody) {
  const offers = await readOffers(db, agentIds, logsIn(body))
  return new Map(
    agentIds.map((id) => {
      const offer = offers.get(id)
      return [id, offer ? whyNotOffered(body, offer) : neverReported]
    }),
  )
}

/** Locks agents by ascending id until the transaction ends, and returns the ids of those that exist. */
export async function lockAgents(trx: Db, ids: readonly string[]): Promise<string[]> {
  const rows = trx.selectFrom('agent').select('id').where('id', 'in', ids).orderBy('id')
  return (await (isPostgres(trx) ? rows.forUpdate() : rows).execute()).map(({ id }) => id)
}

/** The names of logs that are read: only one name, all of them, or none. */
type LogsRead = { named: string } | 'all' | 'none'
const logsIn = (body: CommandBody): LogsRead => (body.type === 'log' ? { named: body.payload.name } : 'none')

/** Reads the offers of those agents that have reported, from their last reports. */
export async function readOffers(db: Db, ids: readonly string[], logs: LogsRead): Promise<Map<string, OfferedFacts>> {
  const reports = await db
    .selectFrom('agent_report')
    .select(['agent_id', 'body'])
    .where('agent_id', 'in', ids)
    .execute()
  const more =
    logs === 'none' ? new Map<string, string[]>() : await readLogNames(db, ids, logs === 'all' ? undefined : logs.named)
  return new Map(
    reports.map(({ agent_id, body: text }) => [agent_id, offerOf(keptReport(text), more.get(agent_id) ?? [])]),
  )
}

/**
 * The names of the logs that the agents' kept runs name or their manifests declare. With `name`, only runs with that
 * log are read.
 */
async function readLogNames(db: Db, ids: readonly string[], name: string | undefined): Promise<Map<string, string[]>> {
  const runs = await db
    .selectFrom('run')
    .select(['agent_id', 'log'])
    .distinct()
    .where('agent_id', 'in', ids)
    .where('log', 'is not', null)
    .$if(name !== undefined, (q) => q.where('log', '=', name ?? ''))
    .execute()
  const { rows } = await sql<{ id: string; manifest: string }>`
    select a.id, v.manifest from agent a ${sql.raw(declaredVersionJoin)} where a.id in (${sql.join(ids)})`.execute(db)
  const logs = new Map(rows.map(({ id, manifest }) => [id, declaredLogsIn(manifest)]))
  for (const { agent_id, log } of runs)
    logs.set(agent_id, [...(logs.get(agent_id) ?? []), ...(log === null ? [] : [log])])
  return logs
}

async function readPendingCommands(trx: Db, ids: readonly string[], now: number): Promise<Map<string, CommandRow[]>> {
  const rows = await trx
    .selectFrom('command')
    .selectAll()
    .where('agent_id', 'in', ids)
    .where('due_at', 'is not', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return Map.groupBy(
    rows.filter((row) => isCommandPending(row, now)),
    ({ agent_id }) => agent_id,
  )
}
