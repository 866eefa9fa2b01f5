/**
 * Measures the costs of a workspace with many agents that have 30 days of sums, in this process and on both databases:
 * the answers for each split, and the longest turn of the event loop meanwhile.
 *
 *   npm run bench -- costs [--agents 1000,10000] [--rounds 5]
 */
import { parseArgs } from 'node:util'
import { type CostSplit, history } from '@svc/api'
import type { Store } from '../packages/server/src/platform/db/open.ts'
import { dayNumber } from '../packages/server/src/platform/limits/units.ts'
import { costPage, costRuns } from '../packages/server/src/web/queries/costs.ts'
import { startDatabase } from './common/postgres.ts'
import { startService, workspace } from './common/service.ts'
import { type Cell, count, fixed, table } from './common/table.ts'
import { median } from './common/times.ts'

/** The limits in milliseconds: of an answer about few and about many agents, and of a turn of the event loop. */
const maxMs = { few: 500, many: 3000, turn: 10 } as const
const fewAgents = 1000

export async function benchCosts(args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: { agents: { type: 'string', default: '1000,10000' }, rounds: { type: 'string', default: '5' } },
  })
  const rows: Cell[][] = []
  const rounds = Number(values.rounds)
  for (const agents of values.agents.split(',').map(Number)) {
    rows.push(...(await measure('SQLite', agents, rounds, {})))
    // Each fleet gets a new PostgreSQL: a service refuses a database that a service with another secret has used.
    const postgres = await startDatabase()
    try {
      const env = { SVC_DATABASE_URL: postgres.url }
      rows.push(...(await measure(`PostgreSQL ${postgres.version}`, agents, rounds, env)))
    } finally {
      await postgres.stop()
    }
  }
  const missed = rows.filter((row) => Number(row.at(-1)) > 1)
  return [
    `Costs of 30 days by day, with 60 rows of sums for each agent; milliseconds, medians of ${values.rounds} rounds. A turn of the event loop counts with its CPU time, or its time if that is shorter; the shortest of the longest.`,
    table(['database', 'agents', 'what', 'counted', 'slowest', 'limit', '÷ limit'], rows),
    missed.length === 0
      ? 'Everything is within its limit.'
      : `ABOVE the limit: ${missed.map(([engine, agents, what]) => `${what} (${agents} agents, ${engine})`).join(', ')}.`,
  ].join('\n\n')
}

async function measure(engine: string, agents: number, rounds: number, env: Record<string, string>): Promise<Cell[][]> {
  console.error(`costs: ${count(agents)} agents, ${engine}`)
  const service = await startService(agents, { env, history: true })
  try {
    return await service.offline(async (store) => {
      const rows: Cell[][] = []
      for (const [what, answer] of await answersOf(store)) {
        const times: number[] = []
        const turns: number[] = []
        // The first round compiles the code.
        for (let round = 0; round <= rounds; round++) {
          const { ms, turn } = await measureTurns(answer)
          if (round > 0) times.push(ms)
          if (round > 0) turns.push(turn)
        }
        const limit = agents > fewAgents ? maxMs.many : maxMs.few
        rows.push(rowOf([engine, count(agents), what], times, limit))
        // A turn is longer on a busy machine, so the best round counts.
        rows.push(rowOf([engine, count(agents), `${what}, longest turn`], turns, maxMs.turn, Math.min))
      }
      return rows
    })
  } finally {
    await service.stop()
  }
}

const rowOf = (
  names: readonly string[],
  times: readonly number[],
  limit: number,
  chosen: (...times: number[]) => number = (...all) => median(all),
): Cell[] => {
  const counted = chosen(...times)
  return [...names, fixed(counted), fixed(Math.max(...times)), limit, fixed(counted / limit, 2)]
}

/** The answers that are measured. */
async function answersOf({ db }: Store): Promise<[what: string, answer: () => Promise<unknown>][]> {
  const place = await db
    .selectFrom('workspace')
    .select(['id', 'slug'])
    .where('slug', '=', workspace)
    .executeTakeFirstOrThrow()
  const now = Date.now()
  const question = { ...history.costPeriodOf({}, dayNumber(now)), by: 'day' as const }
  const splits: readonly (CostSplit | undefined)[] = [undefined, ...history.costSplits]
  return [
    ...splits.map((per): [string, () => Promise<unknown>] => [
      per === undefined ? 'costs of everything' : `costs per ${per}`,
      () => costPage(db, place, { ...question, per }, now),
    ]),
    ['most expensive runs', () => costRuns(db, place, now)],
  ]
}

/**
 * The milliseconds of some work, and the longest turn of the event loop meanwhile. The shorter of a turn's time and CPU
 * time counts: others may have the core meanwhile, and Linux counts the CPU time of a running thread in ticks of 4 ms.
 */
async function measureTurns(work: () => Promise<unknown>): Promise<{ ms: number; turn: number }> {
  let turn = 0
  let last = { cpu: process.threadCpuUsage(), at: performance.now() }
  let isOver = false
  const look = () => {
    const { user, system } = process.threadCpuUsage(last.cpu)
    const now = performance.now()
    turn = Math.max(turn, Math.min((user + system) / 1000, now - last.at))
    last = { cpu: process.threadCpuUsage(), at: now }
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  const began = performance.now()
  await work()
  isOver = true
  look()
  return { ms: performance.now() - began, turn }
}
