/**
 * Reads the rows from which the facts about agents are made. Every evaluation looks at columns with short values of all
 * agents, and reads the other columns for few agents only.
 */
import type { CompiledQuery } from 'kysely'
import { pendingUsage } from '../../fleet/reports/pending.ts'
import type { Db, Store } from '../../platform/db/open.ts'
import { type JudgedRules, mayHold } from '../rules/may-hold.ts'

/** The maximum number of agents whose facts are read at a time. */
export const factAgentsAtOnce = 200
const failedRuns = 3
/** The number of days before today with which the sums of today are compared. */
const sumDays = 14

/** The workspace and the rules for which facts are read. */
export interface WantedFacts extends JudgedRules {
  workspaceId: string
  /** The ids of agents whose facts are needed in any case, because they have an alert. */
  asked: ReadonlySet<string>
}

/** Selects those columns of agents that hold short values. */
const narrowRows = (db: Db) =>
  db
    .selectFrom('agent')
    .leftJoin('agent_report', 'agent_report.agent_id', 'agent.id')
    .leftJoin('agent_hours', 'agent_hours.agent_id', 'agent.id')
    .select(['agent.id', 'name', 'wishes', 'hours', 'received_at', 'interval_s', 'level', 'label'])
    .select(['doing', 'agent_report.signs', 'warnings', 'stopped', 'reporters', 'usage'])

export type SliceRow = Awaited<ReturnType<typeof readAgents>>[number]

/** Reads the agents with these ids, even if no rule can hold for them. */
export const readAgents = (db: Db, ids: readonly string[]) => narrowRows(db).where('agent.id', 'in', ids).execute()

/** The next agents of a workspace, in the order of their names. */
export interface FactSlice {
  /** The agents for which a rule may hold. */
  rows: SliceRow[]
  /** The name of the last agent of the slice; undefined if this is the last slice. */
  last: string | undefined
  /** The number of agents in the slice that have ever reported. */
  counted: number
}

/** Placeholders for names in a compiled statement. They contain NUL, so no agent can have such a name. */
const [afterMark, lastMark] = ['\0after', '\0last']

const fillMarks = <R>(statement: CompiledQuery<R>, after: string, last = ''): CompiledQuery<R> => ({
  ...statement,
  parameters: statement.parameters.map((value) => (value === afterMark ? after : value === lastMark ? last : value)),
})

/**
 * Returns a function that reads the slice of agents whose names come after a given name, and of these the rows for
 * which a rule may hold. To be fast, it counts the agents by indexes alone and compiles the statements only once.
 */
export function sliceReader({ db, engine }: Store, { workspaceId, rules, now }: WantedFacts) {
  const next = db
    .selectFrom('agent')
    .leftJoin('agent_report', 'agent_report.agent_id', 'agent.id')
    .select(['name', 'agent_id'])
    .where('workspace_id', '=', workspaceId)
    .where('name', '>', afterMark)
    .orderBy('name')
    .limit(factAgentsAtOnce)
  const counting = db
    .selectFrom(next.as('next'))
    .select(({ fn }) => [
      fn.max('name').as('last'),
      fn.countAll<number>().as('size'),
      fn.count<number>('agent_id').as('counted'),
    ])
    .compile()
  const reading = narrowRows(db)
    .where('workspace_id', '=', workspaceId)
    .where('name', '>', afterMark)
    .where('name', '<=', lastMark)
    .where('received_at', 'is not', null)
    .where((eb) => eb.or(mayHold(engine, { rules, now })))
    .orderBy('name')
    .compile()
  return async (after: string): Promise<FactSlice> => {
    const [found] = (await db.executeQuery(fillMarks(counting, after))).rows
    if (!found || found.last === null) return { rows: [], last: undefined, counted: 0 }
    const { last, size, counted } = found
    const { rows } = await db.executeQuery(fillMarks(reading, after, last))
    return { rows, last: size < factAgentsAtOnce ? undefined : last, counted }
  }
}

/** The columns of an agent that an evaluation needs for few agents: JSON texts, null if the agent reported none. */
export interface FactsAndAttempts {
  facts: string | null
  attempts: string | null
}

/** Reads columns of the table `agent` that are needed for few agents only. */
export async function readAgentDetails(db: Db, ids: readonly string[]): Promise<Map<string, FactsAndAttempts>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('agent').select(['id', 'facts', 'attempts']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, facts, attempts }) => [id, { facts, attempts }]))
}

/**
 * Reads the statuses of the last three ended runs of each of these agents, newest first. A run with one of `statuses`
 * counts as ended too, since the end of a lost run is never reported.
 */
export async function lastRuns(
  db: Db,
  ids: readonly string[],
  statuses: readonly string[],
): Promise<Map<string, (string | null)[]>> {
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
    .where((eb) => eb.or([eb('ended', 'is not', null), ...(statuses.length > 0 ? [eb('status', 'in', statuses)] : [])]))
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

/** The cost of a day in millionths of a US dollar, and the number of runs that started on it. */
export interface DaySum {
  cost: number
  runs: number
}

/**
 * The sums of these agents on a day, without those that are stored with the last reports and not in `usage_day` yet.
 */
export async function sumsOfDay(db: Db, ids: readonly string[], day: number): Promise<Map<string, DaySum>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('usage_day')
    .select(['agent_id', 'cost_micro as cost', 'runs'])
    .where('agent_id', 'in', ids)
    .where('model', '=', '')
    .where('day', '=', day)
    .execute()
  return new Map(rows.map(({ agent_id, ...sum }) => [agent_id, sum]))
}

/** Reads the sums of these agents on the 14 days before a day, by agent id and day. */
export async function earlierSums(
  db: Db,
  ids: readonly string[],
  day: number,
): Promise<Map<string, Map<number, DaySum>>> {
  const sums = new Map(ids.map((id) => [id, new Map<number, DaySum>()]))
  if (ids.length === 0) return sums
  const rows = await db
    .selectFrom('usage_day')
    .select(['agent_id', 'day', 'cost_micro as cost', 'runs'])
    .where('agent_id', 'in', ids)
    .where('model', '=', '')
    .where('day', '>=', day - sumDays)
    .where('day', '<', day)
    .execute()
  for (const { agent_id, day: of, ...sum } of rows) sums.get(agent_id)?.set(of, sum)
  return sums
}

const noSum: DaySum = { cost: 0, runs: 0 }

/** Adds two sums. A missing sum counts as zero. */
export const addDaySum = (sum: DaySum = noSum, { cost, runs }: DaySum = noSum): DaySum => ({
  cost: sum.cost + cost,
  runs: sum.runs + runs,
})

/** The sum of today that is stored with an agent's last report and not in `usage_day` yet. */
export function waitingSum(usage: string | null, today: number): DaySum {
  // Most agents have no sum of today in this column, so its JSON need not be parsed.
  if (!usage?.includes(`[${today},"",`)) return noSum
  const sum = pendingUsage(usage).find(({ day, model }) => day === today && model === '')
  return sum ? { cost: sum.costMicro, runs: sum.runs } : noSum
}

/** The sums of the 14 days before a day that are stored with an agent's last report and not in `usage_day` yet. */
export const earlierWaitingSums = (usage: string | null, today: number): [day: number, sum: DaySum][] =>
  pendingUsage(usage)
    .filter(({ day, model }) => model === '' && day < today && day >= today - sumDays)
    .map(({ day, costMicro, runs }) => [day, { cost: costMicro, runs }])
