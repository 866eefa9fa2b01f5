/** The costs of a workspace as rows, as CSV and as the page Cost shows them. */
import { type CostPage, type CostRow, type CostRun, type CostSums, history, type NamedCosts } from '@svc/api'
import type { Run } from '@svc/protocol'
import { scopeOf } from '../../alerts/scope.ts'
import { rulesOfScope } from '../../alerts/scoped-rules.ts'
import { usageDays } from '../../fleet/reports/usage-names.ts'
import { csvOf } from '../../platform/csv.ts'
import type { Db } from '../../platform/db/open.ts'
import { firstSorted, forEachInSlices, type SlicedWork, sortInSlices } from '../../platform/http/slices.ts'
import { dayMs, dayNumber } from '../../platform/limits/units.ts'
import { Refusal } from '../../platform/refusal.ts'
import {
  type CostCell,
  type CostQuestion,
  type CostTable,
  costCellAt,
  costTable,
  deletedAgents,
  type SumName,
  sumsOfAgents,
} from './cost-sums.ts'
import { firstThatFit, jsonSize } from './fitting.ts'
import { workspaceTurns } from './fleet.ts'

const { dayText } = history
/** The maximum number of rows of an answer in JSON. More rows would be larger than 1 MB in any case. */
const maxRows = 20_000
const rowsAtOnce = 1000
/** The maximum number and bytes of the names that the page lists, and the number of names that its chart shows. */
const [namesListed, nameBytes, namesDrawn] = [200, 100 * 1024, 5]

/**
 * Limits a question to the days for which there may be sums. Tomorrow is one of them, because the clock of an agent's
 * machine may be ahead.
 */
const withinKept = (question: CostQuestion, now: number): CostQuestion => ({
  ...question,
  from: Math.max(question.from, dayNumber(now) - usageDays),
  to: Math.min(question.to, dayNumber(now) + 1),
})

const textOf = (name: SumName): string | null => (name === deletedAgents ? '(deleted)' : name)

const dollars = (micro: number): number => micro / 1_000_000

const sumsOf = ({ runs, costMicro, outputTokens }: CostCell, per: CostQuestion['per']): CostSums =>
  per === 'model'
    ? { runs: null, cost: dollars(costMicro), outputTokens: null }
    : { runs, cost: dollars(costMicro), outputTokens }

const isEmpty = ({ runs, costMicro, outputTokens }: CostCell): boolean =>
  runs === 0 && costMicro === 0 && outputTokens === 0

type NamedCell = readonly [name: SumName, cell: CostCell]

/** Sorts the most expensive first, and equally expensive ones by name. */
const mostExpensiveFirst = ([a, x]: NamedCell, [b, y]: NamedCell): number =>
  y.costMicro - x.costMicro || (String(a) < String(b) ? -1 : 1)

/** The names that have sums in one time span, the most expensive first. */
function* ordered({ names }: CostTable, column: number): SlicedWork<NamedCell[]> {
  const named: NamedCell[] = []
  yield* forEachInSlices(names, ([name, sums]) => {
    const cell = costCellAt(sums, column)
    if (!isEmpty(cell)) named.push([name, cell])
  })
  return yield* sortInSlices(named, mostExpensiveFirst)
}

const rowOf = (start: number, [name, cell]: NamedCell, per: CostQuestion['per']): CostRow => ({
  from: dayText(start),
  name: textOf(name),
  ...sumsOf(cell, per),
})

function* rowsOf(table: CostTable, per: CostQuestion['per']): SlicedWork<CostRow[]> {
  const rows: CostRow[] = []
  for (const [column, start] of table.starts.entries()) {
    yield* forEachInSlices(yield* ordered(table, column), (named) => rows.push(rowOf(start, named, per)))
    if (rows.length > maxRows) throw new Refusal('costs_too_many')
  }
  return rows
}

/** The sums of a workspace as rows, oldest first. Refuses more rows than fit into an answer. */
export async function costRows(
  db: Db,
  workspace: { id: string },
  asked: CostQuestion,
  now: number,
): Promise<CostRow[]> {
  const table = await costTable(db, workspace, withinKept(asked, now))
  return workspaceTurns.run(workspace.id, rowsOf(table, asked.per))
}

/** The rows that `costRows` returns, as CSV in pieces. */
export async function* costCsv(
  db: Db,
  workspace: { id: string },
  asked: CostQuestion,
  now: number,
): AsyncGenerator<string> {
  const table = await costTable(db, workspace, withinKept(asked, now))
  yield csvOf([['from', 'name', 'runs', 'cost_usd', 'output_tokens']])
  for (const [column, start] of table.starts.entries()) {
    await workspaceTurns.next(workspace.id)
    const all = await workspaceTurns.run(workspace.id, ordered(table, column))
    for (let i = 0; i < all.length; i += rowsAtOnce) {
      if (i > 0) await workspaceTurns.next(workspace.id)
      yield csvOf(
        all.slice(i, i + rowsAtOnce).map((named) => {
          const { from, name, runs, cost, outputTokens } = rowOf(start, named, asked.per)
          return [from, name ?? undefined, runs ?? undefined, cost, outputTokens ?? undefined]
        }),
      ).slice(1)
    }
  }
}

/** The costs of a workspace with their most expensive agents, models or blueprints. */
export async function costPage(
  db: Db,
  workspace: { id: string; slug: string },
  asked: CostQuestion,
  now: number,
): Promise<CostPage> {
  const question = withinKept(asked, now)
  const table = await costTable(db, workspace, question)
  const rule = (await rulesOfScope(db, scopeOf(workspace)))('cost_day')
  return {
    ...{ from: dayText(asked.from), to: dayText(asked.to) },
    ...(await workspaceTurns.run(workspace.id, summed(table, question.per))),
    deletedAgents: await countDeleted(db, workspace, question),
    limit: rule.on && rule.limit !== null && rule.filter === null ? dollars(rule.limit) : null,
  }
}

function* summed(
  { starts, names }: CostTable,
  per: CostQuestion['per'],
): SlicedWork<Pick<CostPage, 'total' | 'columns' | 'names' | 'others'>> {
  const total = noCosts()
  const costOf = new Float64Array(starts.length)
  const named: NamedCell[] = []
  yield* forEachInSlices(names, ([name, sums]) => {
    const all = noCosts()
    for (let column = 0; column < starts.length; column++) {
      const cell = costCellAt(sums, column)
      addToCell(all, cell)
      costOf[column] = (costOf[column] ?? 0) + cell.costMicro
    }
    addToCell(total, all)
    if (!isEmpty(all)) named.push([name, all])
  })
  const first = yield* firstSorted(named, namesListed, mostExpensiveFirst)
  const listed = firstThatFit(first, ([name]) => jsonSize(textOf(name)) + 100, nameBytes)
  const others = listed.reduce((rest, [, cell]) => addToCell(rest, cell, -1), { ...total })
  const drawn = listed.slice(0, namesDrawn).map(([name]) => names.get(name) ?? new Float64Array())
  return {
    total: sumsOf(total, per),
    columns: starts.map((start, column) => ({
      from: dayText(start),
      cost: dollars(costOf[column] ?? 0),
      parts: drawn.map((sums) => dollars(costCellAt(sums, column).costMicro)),
    })),
    names: listed.map(
      ([name, cell]): NamedCosts => ({
        name: textOf(name),
        deleted: name === deletedAgents,
        ...sumsOf(cell, per),
      }),
    ),
    others: { count: named.length - listed.length, ...sumsOf(others, per) },
  }
}

const noCosts = (): CostCell => ({ runs: 0, costMicro: 0, outputTokens: 0 })

function addToCell(sum: CostCell, { runs, costMicro, outputTokens }: CostCell, sign: 1 | -1 = 1): CostCell {
  sum.runs += sign * runs
  sum.costMicro += sign * costMicro
  sum.outputTokens += sign * outputTokens
  return sum
}

/** The number of deleted agents whose time from the first to the last day with runs overlaps these days. */
async function countDeleted(db: Db, workspace: { id: string }, { from, to }: CostQuestion): Promise<number> {
  const rows = await db
    .selectFrom('usage_deleted')
    .select(['day', 'began', 'ended'])
    .where('workspace_id', '=', workspace.id)
    .where('model', '=', '')
    .where('day', '>=', from)
    .execute()
  return rows.reduce((sum, { day, began, ended }) => sum + ended - (day > to ? began : 0), 0)
}

// The most expensive runs of the last days in a workspace.

/** The number of days whose runs are looked at, and the maximum number of runs that are shown. */
const [runDays, maxRuns] = [7, 20]
/** The number of agents whose runs are read in one turn of the event loop. An agent has up to 2,000 runs. */
const agentsAtOnce = 4

/**
 * The most expensive runs of the last 7 days. Agents are read in the order of their costs, the most expensive first,
 * until no run of the remaining agents can be among the most expensive.
 */
export async function costRuns(db: Db, workspace: { id: string }, now: number): Promise<CostRun[]> {
  const today = dayNumber(now)
  const agents = new Map<string, { id: string; name: string; costMicro: number }>()
  const time = { from: today - runDays + 1, to: today + 1, per: 'agent' } as const
  for await (const sums of sumsOfAgents(db, workspace, time))
    for (const { agent, sum } of sums) {
      if (!agent) continue
      const known = agents.get(agent.id)
      if (known) known.costMicro += sum.costMicro
      else agents.set(agent.id, { ...agent, costMicro: sum.costMicro })
    }
  const ordered = [...agents.values()].filter(({ costMicro }) => costMicro > 0)
  ordered.sort((a, b) => b.costMicro - a.costMicro)
  let runs: (CostRun & { micro: number })[] = []
  for (let i = 0; i < ordered.length; i += agentsAtOnce) {
    const aboveMicro = runs.length < maxRuns ? 0 : (runs.at(-1)?.micro ?? 0)
    if ((ordered[i]?.costMicro ?? 0) < aboveMicro) break
    await workspaceTurns.next(workspace.id)
    const names = new Map(ordered.slice(i, i + agentsAtOnce).map(({ id, name }) => [id, name]))
    const rows = await runsQuery(db, [...names.keys()], { since: (today - runDays + 1) * dayMs, aboveMicro })
    const found = rows.map(({ agent_id, cost_micro, place, output_tokens, body, ...run }) => ({
      ...run,
      subject: (JSON.parse(body) as Run).subjects?.[0]?.title ?? null,
      agent: names.get(agent_id) ?? '',
      at: place,
      micro: cost_micro ?? 0,
      cost: (cost_micro ?? 0) / 1_000_000,
      outputTokens: output_tokens,
    }))
    runs = [...runs, ...found].sort((a, b) => b.micro - a.micro).slice(0, maxRuns)
  }
  return runs.map(({ micro: _, ...run }) => run)
}

const runsQuery = (db: Db, ids: readonly string[], { since, aboveMicro }: { since: number; aboveMicro: number }) =>
  db
    .selectFrom('run')
    .select(['agent_id', 'id', 'place', 'kind', 'status', 'cost_micro', 'output_tokens', 'body'])
    .where('agent_id', 'in', ids)
    .where('place', '>=', since)
    .where('cost_micro', '>', aboveMicro)
    .orderBy('cost_micro', 'desc')
    .orderBy('place', 'desc')
    .limit(maxRuns)
    .execute()
