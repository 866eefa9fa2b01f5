/** The rows that the facts about agents are made from. The slice is read of every agent in every look, the rest of few. */
import type { RuleName } from '@svc/api'
import type { Level } from '@svc/protocol'
import { sql } from 'kysely'
import type { Engine } from '../db/engine.ts'
import type { Db, Store } from '../db/open.ts'
import { dayOf } from '../limits/days.ts'
import { pendingUsage } from '../report-store/pending.ts'
import { youngRunMs } from '../reports/signs.ts'
import { minJumpMicro, type Rule } from './conditions.ts'

export const agentsAtOnce = 200
const failedRuns = 3
const costDays = 14

export interface Wanted {
  workspaceId: string
  rules: (name: RuleName) => Rule
  now: number
  /** The ids of agents whose facts are needed in any case, since they have an alert. */
  asked: ReadonlySet<string>
}

/** The cheapest agent that a rule about costs may hold for, in millionths of a US dollar; undefined: none is on. */
export function highCost(rules: Wanted['rules']): number | undefined {
  const [jump, day] = [rules('cost_jump'), rules('cost_day')]
  // Every cost counts for that of the workspace.
  if (day.on && day.limit !== null) return 0
  return jump.on ? minJumpMicro : undefined
}

const slicedColumns = [
  'agent.id',
  'name',
  'wishes',
  'signs',
  'hours',
  'received_at',
  'interval_s',
  'level',
  'label',
] as const
const moreColumns = ['doing', 'warnings', 'stopped', 'reporters', 'usage'] as const

/** The rows that a slice is made from. All columns are narrow and in front of the body of the report. */
const narrowRows = (db: Db) =>
  db
    .selectFrom('agent')
    .leftJoin('agent_report', 'agent_report.agent_id', 'agent.id')
    .leftJoin('agent_hours', 'agent_hours.agent_id', 'agent.id')
    .select([...slicedColumns, ...moreColumns])

export type SliceRow = Awaited<ReturnType<typeof readAgents>>[number]

/** These agents, whatever may be said about them. */
export const readAgents = (db: Db, ids: readonly string[]) => narrowRows(db).where('agent.id', 'in', ids).execute()

export interface Slice {
  /** The rows for which a rule may hold, and the last one. */
  rows: SliceRow[]
  /** The last name of the slice; undefined where no slice follows. */
  last: string | undefined
  /** How many of its agents ever reported. */
  counted: number
}

/** The next agents by the index of names. The database looks at all of them, and hands over those for which a rule may hold. */
export async function readSlice(
  { db, engine }: Store,
  { workspaceId, rules, now }: Wanted,
  after: string,
): Promise<Slice> {
  const levels = rules('warning').on ? ['bad', 'warn'] : ['bad']
  const all = rules('run_failed').on
  const young = rules('run_long').on && rules('run_long').after < youngRunMs
  const high = highCost(rules)
  const rows = await db
    .with(
      (as) => as('slice').materialized(),
      (query) =>
        narrowRows(query as Db)
          .where('workspace_id', '=', workspaceId)
          .where('name', '>', after)
          .orderBy('name')
          .limit(agentsAtOnce),
    )
    .selectFrom('slice')
    .selectAll()
    .select([
      sql<number>`(select count(*) from slice)`.as('size'),
      sql<number>`(select count(received_at) from slice)`.as('counted'),
    ])
    .where((eb) => {
      const mayHold = eb.or([
        eb.and([eb(sql`received_at + 90000`, '<=', now), eb(sql`received_at + 3000 * interval_s`, '<=', now)]),
        eb('level', 'in', levels as Level[]),
        eb('signs', 'is', null),
        eb('signs', '<>', ''),
        eb('wishes', 'is not', null),
        eb('warnings', 'is not', null),
        // Two different marks of reporters.
        eb(sql`replace(reporters, substr(reporters, 1, 8), '')`, '<>', ''),
        ...(young ? [eb('doing', 'is not', null)] : []),
        ...(all ? [eb('received_at', 'is not', null)] : []),
        ...(high === undefined ? [] : [mayBeHigh(engine, high, dayOf(now))]),
      ])
      const isLast = eb('name', '=', sql<string>`(select max(name) from slice)`)
      return eb.or([eb.and([eb('received_at', 'is not', null), mayHold]), isLast])
    })
    .orderBy('name')
    .execute()
  const [{ counted, size } = { counted: 0, size: 0 }] = rows
  return { rows, last: size < agentsAtOnce ? undefined : rows.at(-1)?.name, counted }
}

/** Of a cost above a limit, more than half is written or more than half still waits. */
function mayBeHigh(engine: Engine, limit: number, day: number) {
  const half = Math.floor(limit / 2)
  const digits = '[0-9]'.repeat(String(half).length)
  // Sums that wait are JSON such as [[20000,"",1,2,3]]: day, model, runs, cost, tokens.
  const waits =
    engine === 'sqlite'
      ? sql`usage glob ${`*[[]${day},"",*,${digits}*`}`
      : sql`usage ~ ${`\\[${day},"",[0-9]+,${digits}`}`
  return sql<boolean>`(${waits} or exists (select 1 from usage_day where usage_day.agent_id = slice.id and model = ''
    and usage_day.day = ${day} and usage_day.cost_micro > ${half}))`
}

export interface Details {
  facts: string | null
  attempts: string | null
}

/** The columns of the agent's own row that few agents need. */
export async function detailsOf(db: Db, ids: readonly string[]): Promise<Map<string, Details>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('agent').select(['id', 'facts', 'attempts']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, facts, attempts }) => [id, { facts, attempts }]))
}

/** The statuses of the last runs that ended, newest first. */
export async function lastRuns(db: Db, ids: readonly string[]): Promise<Map<string, (string | null)[]>> {
  const runs = new Map<string, (string | null)[]>()
  if (ids.length === 0) return runs
  const numbered = db
    .selectFrom('run')
    .select(({ fn }) => [
      'agent_id',
      'status',
      fn
        .agg<number>('row_number')
        .over((over) => over.partitionBy('agent_id').orderBy('place', 'desc').orderBy('seq', 'desc'))
        .as('place_from_end'),
    ])
    .where('agent_id', 'in', ids)
    .where('ended', 'is not', null)
  const rows = await db
    .selectFrom(numbered.as('numbered'))
    .select(['agent_id', 'status'])
    .where('place_from_end', '<=', failedRuns)
    .orderBy('agent_id')
    .orderBy('place_from_end')
    .execute()
  for (const { agent_id, status } of rows) runs.set(agent_id, [...(runs.get(agent_id) ?? []), status])
  return runs
}

/** What these agents cost on a day, millionths of a US dollar, without the sums that still wait. */
export async function costsOfDay(db: Db, ids: readonly string[], day: number): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('usage_day')
    .select(['agent_id', 'cost_micro'])
    .where('agent_id', 'in', ids)
    .where('model', '=', '')
    .where('day', '=', day)
    .execute()
  return new Map(rows.map(({ agent_id, cost_micro }) => [agent_id, cost_micro]))
}

/** The costs of these agents on the 14 days before a day, by agent and day. */
export async function earlierCosts(
  db: Db,
  ids: readonly string[],
  day: number,
): Promise<Map<string, Map<number, number>>> {
  const costs = new Map(ids.map((id) => [id, new Map<number, number>()]))
  if (ids.length === 0) return costs
  const rows = await db
    .selectFrom('usage_day')
    .select(['agent_id', 'day', 'cost_micro'])
    .where('agent_id', 'in', ids)
    .where('model', '=', '')
    .where('day', '>=', day - costDays)
    .where('day', '<', day)
    .execute()
  for (const row of rows) costs.get(row.agent_id)?.set(row.day, row.cost_micro)
  return costs
}

/** The sums of a day and the days before it that wait in the row of the last report, by day. */
export function waitingCosts(usage: string | null, today: number): Map<number, number> {
  const costs = new Map<number, number>()
  // Most columns have no sum of today, and need not be parsed.
  if (!usage?.includes(`[${today},"",`)) return costs
  for (const { day, model, costMicro } of pendingUsage(usage))
    if (model === '' && day <= today && day >= today - costDays) costs.set(day, costMicro)
  return costs
}
