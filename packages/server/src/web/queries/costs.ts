/** The costs of a workspace as rows, as CSV and as the page Cost shows them. */
import { type CostName, type CostPage, type CostRow, type CostStep, type CostSums, history } from '@svc/api'
import { rulesOf, scopeOf } from '../../alerts/store.ts'
import { usageDays } from '../../fleet/reports/usage-names.ts'
import { csvOf } from '../../platform/csv.ts'
import type { Db } from '../../platform/db/open.ts'
import { firstSorted, forEach, type SlicedWork, sorted } from '../../platform/http/slices.ts'
import { dayOf } from '../../platform/limits/units.ts'
import { Refusal } from '../../platform/refusal.ts'
import {
  type CostCell,
  type CostQuestion,
  type CostTable,
  costTable,
  deletedAgents,
  type SumName,
  startOf,
} from './cost-sums.ts'
import { fitting, jsonBytes } from './fitting.ts'
import { lists } from './fleet.ts'

const { dayText } = history
/** The maximum number of rows of an answer in JSON. More rows would be larger than 1 MB in any case. */
const maxRows = 20_000
const rowsAtOnce = 1000
/** The maximum number and bytes of the names that the page lists, and the number of names that its chart shows. */
const [namesListed, nameBytes, namesDrawn] = [200, 100 * 1024, 5]

/** Only days of which sums may be kept; a run may have started on the day after today by the clock of its machine. */
const withinKept = (question: CostQuestion, now: number): CostQuestion => ({
  ...question,
  from: Math.max(question.from, dayOf(now) - usageDays),
  to: Math.min(question.to, dayOf(now) + 1),
})

const textOf = (name: SumName): string | null => (name === deletedAgents ? '(deleted)' : name)

const dollars = (micro: number): number => micro / 1_000_000

const sumsOf = ({ runs, costMicro, outputTokens }: CostCell, per: CostQuestion['per']): CostSums =>
  per === 'model'
    ? { runs: null, cost: dollars(costMicro), outputTokens: null }
    : { runs, cost: dollars(costMicro), outputTokens }

const isEmpty = ({ runs, costMicro, outputTokens }: CostCell): boolean =>
  runs === 0 && costMicro === 0 && outputTokens === 0

type Named = readonly [name: SumName, cell: CostCell]

/** The most expensive first; equal ones by name. */
const mostExpensiveFirst = ([a, x]: Named, [b, y]: Named): number =>
  y.costMicro - x.costMicro || (String(a) < String(b) ? -1 : 1)

/** The names of one time that have sums, the most expensive first. */
const ordered = (names: ReadonlyMap<SumName, CostCell>): SlicedWork<Named[]> =>
  sorted(
    [...names].filter(([, cell]) => !isEmpty(cell)),
    mostExpensiveFirst,
  )

const oldestFirst = (table: CostTable) => [...table].sort(([a], [b]) => a - b)

const rowOf = (start: number, [name, cell]: Named, per: CostQuestion['per']): CostRow => ({
  from: dayText(start),
  name: textOf(name),
  ...sumsOf(cell, per),
})

function* rowsOf(table: CostTable, per: CostQuestion['per']): SlicedWork<CostRow[]> {
  const rows: CostRow[] = []
  for (const [start, names] of oldestFirst(table))
    yield* forEach(yield* ordered(names), (named) => rows.push(rowOf(start, named, per)))
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
  if ([...table.values()].reduce((sum, { size }) => sum + size, 0) > maxRows) throw new Refusal('costs_too_many')
  return lists.run(workspace.id, rowsOf(table, asked.per))
}

/** The same rows as CSV, in pieces. */
export async function* costCsv(
  db: Db,
  workspace: { id: string },
  asked: CostQuestion,
  now: number,
): AsyncGenerator<string> {
  const table = await costTable(db, workspace, withinKept(asked, now))
  yield csvOf([['from', 'name', 'runs', 'cost_usd', 'output_tokens']])
  for (const [start, names] of oldestFirst(table)) {
    await lists.next(workspace.id)
    const all = await lists.run(workspace.id, ordered(names))
    for (let i = 0; i < all.length; i += rowsAtOnce) {
      if (i > 0) await lists.next(workspace.id)
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
  const rule = (await rulesOf(db, scopeOf(workspace)))('cost_day')
  return {
    ...{ from: dayText(asked.from), to: dayText(asked.to) },
    ...(await lists.run(workspace.id, summed(table, question))),
    deletedAgents: await countDeleted(db, workspace, question),
    limit: rule.on && rule.limit !== null ? dollars(rule.limit) : null,
  }
}

/** Adds up the table for the page. */
function* summed(
  table: CostTable,
  question: CostQuestion,
): SlicedWork<Pick<CostPage, 'total' | 'columns' | 'names' | 'others'>> {
  const { from, to, by, per } = question
  const all = new Map<SumName, CostCell>()
  const total = nothing()
  for (const names of table.values())
    yield* forEach(names, ([name, cell]) => {
      all.set(name, added(all.get(name) ?? nothing(), cell))
      added(total, cell)
    })
  const named: Named[] = []
  yield* forEach(all, (one) => !isEmpty(one[1]) && named.push(one))
  const first = yield* firstSorted(named, namesListed, mostExpensiveFirst)
  const listed = fitting(first, ([name]) => jsonBytes(textOf(name)) + 100, nameBytes)
  const others = listed.reduce((rest, [, cell]) => added(rest, cell, -1), { ...total })
  const drawn = listed.slice(0, namesDrawn).map(([name]) => name)
  const columns: CostPage['columns'][number][] = []
  for (const start of startsOf(from, to, by)) {
    const names = table.get(start) ?? new Map<SumName, CostCell>()
    let micro = 0
    yield* forEach(names.values(), ({ costMicro }) => {
      micro += costMicro
    })
    const parts = drawn.map((name) => dollars(names.get(name)?.costMicro ?? 0))
    columns.push({ from: dayText(start), cost: dollars(micro), parts })
  }
  return {
    total: sumsOf(total, per),
    columns,
    names: listed.map(
      ([name, cell]): CostName => ({
        name: textOf(name),
        deleted: name === deletedAgents,
        ...sumsOf(cell, per),
      }),
    ),
    others: { count: named.length - listed.length, ...sumsOf(others, per) },
  }
}

const nothing = (): CostCell => ({ runs: 0, costMicro: 0, outputTokens: 0 })

function added(sum: CostCell, { runs, costMicro, outputTokens }: CostCell, sign: 1 | -1 = 1): CostCell {
  sum.runs += sign * runs
  sum.costMicro += sign * costMicro
  sum.outputTokens += sign * outputTokens
  return sum
}

/** The first days of all times from a day to a day. */
function startsOf(from: number, to: number, by: CostStep): number[] {
  const starts = new Set<number>()
  for (let day = from; day <= to; day++) starts.add(startOf(day, by))
  return [...starts]
}

/** The number of deleted agents that had runs from a day to a day, or before and after. */
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
