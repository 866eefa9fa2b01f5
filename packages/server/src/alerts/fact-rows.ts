/**
 * Reads the rows from which the facts about agents are made. Columns with short values are read for all agents in every
 * evaluation, all other columns only for few agents.
 */
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
  /** The ids of agents whose facts are needed in any case, because they have an alert. */
  asked: ReadonlySet<string>
}

/**
 * An agent's cost of today, in millionths of a US dollar, above which the agent's costs are needed for a rule;
 * undefined if no enabled rule needs costs.
 */
export function highCost(rules: Wanted['rules']): number | undefined {
  const [jump, day] = [rules('cost_jump'), rules('cost_day')]
  // The rule `cost_day` also judges the sum of a workspace, so the costs of all its agents are needed.
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

/**
 * Selects the columns of agents that have short values. In the tables these columns are in front of the body of the
 * report, so the database need not read the body.
 */
const narrowRows = (db: Db) =>
  db
    .selectFrom('agent')
    .leftJoin('agent_report', 'agent_report.agent_id', 'agent.id')
    .leftJoin('agent_hours', 'agent_hours.agent_id', 'agent.id')
    .select([...slicedColumns, ...moreColumns])

export type SliceRow = Awaited<ReturnType<typeof readAgents>>[number]

/** Reads the agents with these ids, even if no rule can hold for them. */
export const readAgents = (db: Db, ids: readonly string[]) => narrowRows(db).where('agent.id', 'in', ids).execute()

export interface Slice {
  /** The agents for which a rule may hold, and in any case the last agent of the slice. */
  rows: SliceRow[]
  /** The name of the last agent of the slice; undefined if this is the last slice. */
  last: string | undefined
  /** The number of agents in the slice that have ever reported. */
  counted: number
}

/**
 * Reads the next 200 agents of a workspace in the order of their names. The database looks at all of them, but returns
 * only those for which a rule may hold, and the last one.
 */
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
        // True if the column `reporters` has marks of two different reporters.
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

/**
 * A condition for agents whose cost on a day may be above the limit. The cost is the sum of a row in `usage_day` and of
 * a cost stored with the last report, so one of these two is above half of the limit. The cost with the last report is
 * only compared by its number of digits.
 */
function mayBeHigh(engine: Engine, limit: number, day: number) {
  const half = Math.floor(limit / 2)
  const digits = '[0-9]'.repeat(String(half).length)
  // The costs stored with the last report are JSON such as [[20000,"",1,2,3]]: day, model, runs, cost, tokens.
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

/** Reads columns of the table `agent` that are needed for few agents only. */
export async function detailsOf(db: Db, ids: readonly string[]): Promise<Map<string, Details>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('agent').select(['id', 'facts', 'attempts']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, facts, attempts }) => [id, { facts, attempts }]))
}

/** Reads the statuses of the last three ended runs of each of these agents, newest first. */
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

/**
 * The costs of these agents on a day in millionths of a US dollar, without costs that are stored with the last reports
 * and not in `usage_day` yet.
 */
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

/** Reads the costs of these agents on the 14 days before a day, by agent id and day. */
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

/**
 * The cost of today that is stored with an agent's last report and not in `usage_day` yet, in millionths of a US
 * dollar.
 */
export function waitingCost(usage: string | null, today: number): number {
  // Most agents have no cost of today in this column, so its JSON need not be parsed.
  if (!usage?.includes(`[${today},"",`)) return 0
  return pendingUsage(usage).find(({ day, model }) => day === today && model === '')?.costMicro ?? 0
}

/** The costs of the 14 days before a day that are stored with an agent's last report and not in `usage_day` yet. */
export const earlierWaitingCosts = (usage: string | null, today: number): [day: number, costMicro: number][] =>
  pendingUsage(usage)
    .filter(({ day, model }) => model === '' && day < today && day >= today - costDays)
    .map(({ day, costMicro }) => [day, costMicro])
