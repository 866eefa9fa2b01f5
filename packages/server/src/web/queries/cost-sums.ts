/**
 * Adds up the daily sums of a workspace by time and by agent, model or blueprint: those in the table `usage_day`, those
 * that still wait with the last reports, and those of deleted agents. Reads a few agents in each turn of the event
 * loop.
 */
import type { CostSplit, CostStep } from '@svc/api'
import { sql } from 'kysely'
import { pendingUsage } from '../../fleet/reports/pending.ts'
import type { UsageDelta } from '../../fleet/reports/stored.ts'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import { dayMs } from '../../platform/limits/units.ts'
import { Refusal } from '../../platform/refusal.ts'
import { workspaceTurns } from './fleet.ts'

/** The days whose costs are summed, and by what they are divided. */
export interface CostQuestion {
  /** The first and the last day, as days since 1970 (UTC). */
  from: number
  to: number
  by: CostStep
  per?: CostSplit | undefined
}

/** Stands for all deleted agents. It is a symbol and not a text, because a model may have any name. */
export const deletedAgents = Symbol('deleted agents')
/**
 * The name of a sum: an agent, a model or a blueprint; null for costs without a model or blueprint, and for sums of
 * everything.
 */
export type SumName = string | null | typeof deletedAgents

/** One sum of runs, costs and tokens. */
export interface CostCell {
  runs: number
  costMicro: number
  outputTokens: number
}
/**
 * The sums by name and time span. A time span is identified by its first day. The sums of a name are in one array of
 * numbers, since hundreds of thousands of objects would keep the event loop busy with the collection of garbage.
 */
export interface CostTable {
  /** The first days of the time spans, oldest first. */
  readonly starts: readonly number[]
  readonly names: ReadonlyMap<SumName, Float64Array>
}

/** A sum has three numbers in the arrays of a table: runs, cost and output tokens. */
const numbersPerSum = 3
/** The sum of a name in one column, that is, for one time span. */
export const costCellAt = (sums: Float64Array, column: number): CostCell => ({
  runs: sums[numbersPerSum * column] ?? 0,
  costMicro: sums[numbersPerSum * column + 1] ?? 0,
  outputTokens: sums[numbersPerSum * column + 2] ?? 0,
})

/** The maximum number of sums in a table; more would take too much memory. */
const maxCells = 2_000_000
/** The length of a block of sums in numbers (512 KB). */
const blockLength = 65_536
/** The maximum number of sums to read in one turn of the event loop, unless a single agent has more. */
const sumsAtOnce = 1000
/** The maximum number of stored rows that one query adds up. PostgreSQL adds them up outside this process. */
const rowsAtOnce = { sqlite: 1000, postgres: 20_000 } as const
const agentsAtOnce = 250
/** The number of rows that an agent usually has for a day: its total, and a row for each model. */
const rowsWithModels = 3
const deletedDaysAtOnce = 5
/** The maximum number of attempts to read data that changes during the reading. */
const maxReadings = 3

/** The first day of the time span to which a day belongs. The first day of 1970 was a Thursday. */
export function startOfStep(day: number, by: CostStep): number {
  if (by === 'day') return day
  if (by === 'week') return day - ((((day + 3) % 7) + 7) % 7)
  const date = new Date(day * dayMs)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / dayMs
}

/**
 * Reads the sums of a workspace. Sums move when an agent is deleted, so a reading during a deletion would count them
 * twice or not at all. Such a reading is repeated; after `maxReadings` attempts the question is refused.
 */
export async function costTable(db: Db, workspace: { id: string }, question: CostQuestion): Promise<CostTable> {
  for (let attempt = 0; attempt < maxReadings; attempt++) {
    const before = await countEnded(db, workspace)
    const table = await readTable(db, workspace, question)
    if (before === (await countEnded(db, workspace))) return table
  }
  throw new Refusal('costs_changing')
}

/** The number of deleted agents of a workspace that had sums. */
async function countEnded(db: Db, { id }: { id: string }): Promise<number> {
  const deleted = db.selectFrom('usage_deleted').where('workspace_id', '=', id).where('model', '=', '')
  const { ended } = await deleted.select(sql<number | null>`sum(ended)`.as('ended')).executeTakeFirstOrThrow()
  return Number(ended ?? 0)
}

async function readTable(db: Db, workspace: { id: string }, question: CostQuestion): Promise<CostTable> {
  const adding = new Adding(question)
  if (question.from > question.to) return adding.table
  for await (const sums of sumsOfAgents(db, workspace, question))
    for (const { owner, sum } of sums) adding.add(owner, sum)
  for await (const sums of sumsOfDeleted(db, workspace, question))
    for (const sum of sums) adding.add(deletedAgents, sum)
  return adding.table
}

class Adding {
  readonly table: CostTable
  readonly #names = new Map<SumName, Float64Array>()
  readonly #columns: ReadonlyMap<number, number>
  readonly #question: CostQuestion
  #block = new Float64Array()
  #used = 0

  constructor(question: CostQuestion) {
    this.#question = question
    const starts = startsOf(question)
    this.#columns = new Map(starts.map((start, column) => [start, column]))
    this.table = { starts, names: this.#names }
  }

  /** Adds a daily sum of an agent with this name or blueprint. */
  add(owner: SumName, { day, model, runs, costMicro, outputTokens }: UsageDelta): void {
    const { by, per } = this.#question
    const column = this.#columns.get(startOfStep(day, by)) ?? 0
    if (per !== 'model') {
      this.#addTo(per ? owner : null, column, runs, costMicro, outputTokens)
      return
    }
    // The total of a day minus the sums of its models is the cost without a model.
    this.#addTo(null, column, 0, model === '' ? costMicro : -costMicro, 0)
    if (model !== '') this.#addTo(model, column, 0, costMicro, 0)
  }

  #addTo(name: SumName, column: number, runs: number, costMicro: number, outputTokens: number): void {
    let sums = this.#names.get(name)
    if (!sums) {
      if ((this.#names.size + 1) * this.#columns.size > maxCells) throw new Refusal('costs_too_many')
      sums = this.#newSums()
      this.#names.set(name, sums)
    }
    const at = numbersPerSum * column
    sums[at] = (sums[at] ?? 0) + runs
    sums[at + 1] = (sums[at + 1] ?? 0) + costMicro
    sums[at + 2] = (sums[at + 2] ?? 0) + outputTokens
  }

  /** The sums of names share a few large blocks: ten thousand buffers would make each garbage collection longer. */
  #newSums(): Float64Array {
    const length = numbersPerSum * this.#columns.size
    if (this.#used + length > this.#block.length) {
      this.#block = new Float64Array(Math.max(length, blockLength))
      this.#used = 0
    }
    this.#used += length
    return this.#block.subarray(this.#used - length, this.#used)
  }
}

/** The first days of all time spans of a question, oldest first. */
function startsOf({ from, to, by }: CostQuestion): number[] {
  const starts = new Set<number>()
  for (let day = from; day <= to; day++) starts.add(startOfStep(day, by))
  return [...starts]
}

interface AgentKey {
  id: string
  name: string
  blueprint: string | null
}
/** A daily sum of one agent, or of several agents, for which `agent` is undefined. */
interface SumOfAgents {
  agent: AgentKey | undefined
  /** The name of the agent or of the blueprint if the question is about those, otherwise null. */
  owner: string | null
  sum: UsageDelta
}

/**
 * All agents of a workspace, read in the order of their names, some at a time. An agent that is renamed meanwhile may
 * be missed, so all are read again if there are too few.
 */
async function readAgentKeys(db: Db, workspace: { id: string }): Promise<AgentKey[]> {
  const known = new Map<string, AgentKey>()
  const all = db.selectFrom('agent').where('workspace_id', '=', workspace.id)
  for (let attempt = 0; attempt < maxReadings; attempt++) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      await workspaceTurns.next(workspace.id)
      const agents: AgentKey[] = await all
        .select(['id', 'name', 'blueprint'])
        .where('name', '>', after)
        .orderBy('name')
        .limit(agentsAtOnce)
        .execute()
      after = agents.length < agentsAtOnce ? undefined : agents.at(-1)?.name
      for (const agent of agents) known.set(agent.id, agent)
    }
    const { count } = await all.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
    if (known.size >= Number(count)) break
  }
  return [...known.values()]
}

/** The daily sums of all agents of a workspace, some agents at a time. */
export async function* sumsOfAgents(
  db: Db,
  workspace: { id: string },
  question: Pick<CostQuestion, 'from' | 'to' | 'per'>,
): AsyncGenerator<SumOfAgents[]> {
  const days = question.to - question.from + 1
  const rowsOfAgent = days * (question.per === 'model' ? rowsWithModels : 1)
  const rows = question.per === 'agent' ? sumsAtOnce : rowsAtOnce[isPostgres(db) ? 'postgres' : 'sqlite']
  const maxAtOnce = Math.max(1, Math.min(agentsAtOnce, Math.floor(rows / rowsOfAgent)))
  let atOnce = maxAtOnce
  const agents = await readAgentKeys(db, workspace)
  for (let at = 0; at < agents.length; ) {
    await workspaceTurns.next(workspace.id)
    const some = agents.slice(at, at + atOnce)
    const sums = await completeSums(db, some, question, some.length > 1 ? rows : undefined)
    if (sums) {
      at += some.length
      // The slices grow again, because only a few agents have many models.
      atOnce = Math.min(maxAtOnce, 2 * atOnce)
      yield sums
    } else {
      atOnce = Math.ceil(some.length / 2)
    }
  }
}

/**
 * The sums of these agents. Undefined if `maxRows` is given and they have more rows than that, or more sums than one
 * turn of the event loop may read.
 */
async function completeSums(
  db: Db,
  agents: readonly AgentKey[],
  question: Pick<CostQuestion, 'from' | 'to' | 'per'>,
  maxRows: number | undefined,
): Promise<SumOfAgents[] | undefined> {
  const { from, to, per } = question
  const known = new Map(agents.map((agent) => [agent.id, agent]))
  const ids = [...known.keys()]
  const none = sql<string | null>`cast(null as text)`
  const isTotal = per === 'model' ? sql`` : sql`and model = ''`
  const isAsked = sql<boolean>`usage_day.agent_id in (${sql.join(ids)}) and day >= ${from} and day <= ${to} ${isTotal}`
  const columns = ['day', 'model', 'runs', 'cost_micro', 'output_tokens'] as const
  const ofAgents = db.selectFrom('usage_day').where(isAsked)
  const stored =
    per === 'blueprint'
      ? ofAgents
          .innerJoin('agent', 'agent.id', 'usage_day.agent_id')
          .select([...columns, 'agent.blueprint as owner'])
          .as('stored')
      : ofAgents
          .select([...columns, none.as('owner')])
          // The limit keeps the query short: an agent may have rows of many models for each day.
          .$if(per === 'model' && maxRows !== undefined, (query) => query.limit((maxRows ?? 0) + 1))
          .as('stored')
  const written =
    per === 'agent'
      ? ofAgents
          .select([sql<string | null>`agent_id`.as('owner'), 'day', 'model', 'runs', 'cost_micro as costMicro'])
          .select(['output_tokens as outputTokens', none.as('waiting'), sql<number>`1`.as('rows')])
      : db
          .selectFrom(stored)
          .select(['owner', 'day', 'model', sumOf('runs').as('runs'), sumOf('cost_micro').as('costMicro')])
          .select([sumOf('output_tokens').as('outputTokens'), none.as('waiting')])
          .select(({ fn }) => fn.countAll<number>().as('rows'))
          .groupBy(['owner', 'day', 'model'])
  const waiting = db
    .selectFrom('agent_report')
    .select([sql<string | null>`agent_id`.as('owner'), sql<number>`0`.as('day'), sql<string>`''`.as('model')])
    .select(sql<number>`0`.as('runs'))
    .select([sql<number>`0`.as('costMicro'), sql<number>`0`.as('outputTokens'), 'usage as waiting'])
    .select(sql<number>`0`.as('rows'))
    .where('agent_id', 'in', ids)
    .where('usage', 'is not', null)
  // One statement reads both tables, so that a report in between cannot move sums from one table to the other.
  const found = await db.selectFrom(written.as('written')).selectAll().unionAll(waiting).execute()
  if (maxRows !== undefined && found.length > sumsAtOnce + ids.length) return undefined
  if (maxRows !== undefined && found.reduce((sum, { rows }) => sum + Number(rows), 0) > maxRows) return undefined
  const ownerOf = (agent: AgentKey | undefined): string | null =>
    (per === 'agent' ? agent?.name : per === 'blueprint' ? agent?.blueprint : null) ?? null
  return found.flatMap(({ owner, waiting: json, rows: _, ...sum }): SumOfAgents[] => {
    if (json === null && per !== 'agent') return [{ agent: undefined, owner, sum }]
    const agent = known.get(owner ?? '')
    if (json === null) return [{ agent, owner: ownerOf(agent), sum }]
    return pendingUsage(json)
      .filter(({ day, model }) => day >= from && day <= to && (per === 'model' || model === ''))
      .map((one) => ({ agent, owner: ownerOf(agent), sum: one }))
  })
}

const sumOf = (column: 'runs' | 'cost_micro' | 'output_tokens') => sql<number>`cast(sum(${sql.ref(column)}) as bigint)`

/** The daily sums of the deleted agents of a workspace, some days at a time. */
async function* sumsOfDeleted(
  db: Db,
  workspace: { id: string },
  { from, to, per }: CostQuestion,
): AsyncGenerator<UsageDelta[]> {
  const daysAtOnce = per === 'model' ? deletedDaysAtOnce : to - from + 1
  for (let day = from; day <= to; day += daysAtOnce) {
    await workspaceTurns.next(workspace.id)
    yield await db
      .selectFrom('usage_deleted')
      .select(['day', 'model', 'runs', 'cost_micro as costMicro', 'output_tokens as outputTokens'])
      .where('workspace_id', '=', workspace.id)
      .where('day', '>=', day)
      .where('day', '<=', Math.min(to, day + daysAtOnce - 1))
      .$if(per !== 'model', (query) => query.where('model', '=', ''))
      .execute()
  }
}
