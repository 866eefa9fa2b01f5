import type { RunSort, Runs } from '@svc/api'
import { wordSearch } from '@svc/api/filter'
import { type Run, runSeconds } from '@svc/protocol'
import { type CsvCell, csvOf } from '../../platform/csv.ts'
import type { Db } from '../../platform/db/open.ts'
import { jobOf } from './job-runs.ts'

interface RunFilter {
  /** Only the run with exactly this id. */
  id?: string | undefined
  status?: string | undefined
  model?: string | undefined
  /** A text to search for in a run's id and kind and in the titles of its subjects, ignoring case. */
  text?: string | undefined
  /** Only runs of the job with exactly this name. */
  job?: string | undefined
  sort: RunSort
  /** True for the oldest, cheapest or shortest runs first. */
  rising?: boolean | undefined
}

/** The runs of an agent that fit a filter, newest first (D10) unless another order is asked for. */
export async function readRuns(
  db: Db,
  agent: { id: string },
  filter: RunFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<Runs> {
  const { status: _, sort, rising, ...searched } = filter
  if (Object.values(searched).every((one) => one === undefined) && sort === 'started' && !rising) {
    const query = runsQuery(db, agent, filter)
    const { total } = await query.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
    const rows = await newestFirst(query).offset(offset).limit(limit).execute()
    return { total: Number(total), rows: rows.map(runOf) }
  }
  const fitting = await fittingRuns(db, agent, filter)
  return { total: fitting.length, rows: fitting.slice(offset, offset + limit) }
}

/** The kept runs that fit a filter, as CSV. Times are UTC, in ISO form. */
export async function runsCsv(db: Db, agent: { id: string }, filter: RunFilter): Promise<string> {
  return csvOf([[...columns.keys()], ...(await fittingRuns(db, agent, filter)).map(cellsOf)])
}

/** The columns of the CSV, each with the function that gives the cell of a run. */
const columns = new Map<string, (run: Run) => CsvCell>([
  ['id', ({ id }) => id],
  ['started', ({ started }) => timeOf(started)],
  ['ended', ({ ended }) => timeOf(ended)],
  ['seconds', runSeconds],
  ['kind', ({ kind }) => kind],
  ['status', ({ status }) => status],
  ['subjects', ({ subjects }) => subjects?.map(({ title }) => title).join('; ')],
  ['models', ({ models }) => models && Object.keys(models).join('; ')],
  ['output_tokens', ({ output_tokens }) => output_tokens],
  ['cost_usd', ({ cost_usd }) => cost_usd],
])

const cellsOf = (run: Run): CsvCell[] => [...columns.values()].map((cell) => cell(run))

/** A reported time in ISO form. Agents may report any number, so a number that is no time stays a number. */
function timeOf(seconds: number | undefined): CsvCell {
  if (seconds === undefined) return undefined
  const at = new Date(seconds * 1000)
  return Number.isNaN(at.getTime()) ? seconds : at.toISOString()
}

/** The runs that fit a filter, sorted. All runs of the agent are read for that: at most 2000, in a few milliseconds. */
async function fittingRuns(db: Db, agent: { id: string }, filter: RunFilter): Promise<Run[]> {
  const runs = (await newestFirst(runsQuery(db, agent, filter)).execute()).map(runOf)
  const hasAll = wordSearch(filter.text ?? '')
  const { id, job } = filter
  const fitting = runs.filter(
    (run) =>
      (id === undefined || run.id === id) &&
      (job === undefined || jobOf(run) === job) &&
      names(run, filter.model) &&
      hasAll(textsIn(run)),
  )
  return sorted(fitting, filter)
}

function runsQuery(db: Db, agent: { id: string }, { status }: RunFilter) {
  const query = db.selectFrom('run').where('agent_id', '=', agent.id)
  return status === undefined ? query : query.where('status', '=', status)
}

const newestFirst = (query: ReturnType<typeof runsQuery>) =>
  query.select('body').orderBy('place', 'desc').orderBy('seq', 'desc')

/** Sorts runs that are ordered from the newest to the oldest. Runs without a cost or duration come last. */
function sorted(newest: Run[], { sort, rising = false }: RunFilter): Run[] {
  if (sort === 'started') return rising ? newest.toReversed() : newest
  const measure = sort === 'cost' ? (run: Run) => run.cost_usd : runSeconds
  const [having, lacking] = [true, false].map((has) => newest.filter((run) => (measure(run) !== undefined) === has))
  const order = rising ? 1 : -1
  return [...(having ?? []).sort((a, b) => order * ((measure(a) ?? 0) - (measure(b) ?? 0))), ...(lacking ?? [])]
}

const runOf = ({ body }: { body: string }): Run => JSON.parse(body) as Run

const names = ({ models }: Run, model: string | undefined): boolean =>
  model === undefined || (models !== undefined && Object.hasOwn(models, model))

const textsIn = ({ id, kind, subjects }: Run) => [id, kind, ...(subjects ?? []).map(({ title }) => title)]
