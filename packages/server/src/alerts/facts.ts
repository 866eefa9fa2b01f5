/**
 * Reads the facts that rules are judged by, a few agents at a time, so that one look at a large fleet never holds up the reports
 * of this process. What only some rules need is read only while one of them is on.
 */
import type { RuleName } from '@svc/api'
import type { Db } from '../db/open.ts'
import { dayOf } from '../limits/days.ts'
import { storedReport } from '../report-store/body.ts'
import { pendingUsage } from '../report-store/pending.ts'
import { warnsOf } from '../reports/columns.ts'
import { twoReporters } from '../reports/reporters.ts'
import { attemptsIn, wishesIn } from '../wishes/kept.ts'
import type { AlertFacts } from './conditions.ts'
import { readHours } from './hours.ts'
import { noSigns, signsOf } from './signs.ts'
import type { About } from './store.ts'

const agentsAtOnce = 200
const failedRuns = 3
const costDays = 14

interface AgentFound {
  about: About
  facts: AlertFacts
}

/** The rules that are on: they say what has to be read. */
type On = (name: RuleName) => boolean

/** The agents of a workspace in slices, by their ids. */
export async function* agentFacts(
  db: Db,
  workspaceId: string,
  on: On,
  now: number,
): AsyncGenerator<readonly AgentFound[]> {
  for (let after = ''; ; ) {
    const slice = await readSlice(db, {
      workspaceId,
      after,
      bodies: ['process', 'binding', 'gauge', 'run_long'].some((name) => on(name as RuleName)),
    })
    const last = slice.at(-1)
    if (!last) return
    const ids = slice.map(({ id }) => id)
    const runs = on('run_failed') ? await lastRuns(db, ids) : undefined
    const costs = on('cost_day') || on('cost_jump') ? await costsOf(db, ids, now) : undefined
    yield slice.map((row) => ({
      about: { kind: 'agent' as const, id: row.id, name: row.name },
      facts: factsOf(row, runs?.get(row.id) ?? [], costs?.get(row.id), now),
    }))
    if (slice.length < agentsAtOnce) return
    after = last.id
  }
}

type SliceRow = Awaited<ReturnType<typeof readSlice>>[number]

function readSlice(db: Db, { workspaceId, after, bodies }: { workspaceId: string; after: string; bodies: boolean }) {
  return db
    .selectFrom('agent')
    .leftJoin('agent_report as report', 'report.agent_id', 'agent.id')
    .leftJoin('agent_hours', 'agent_hours.agent_id', 'agent.id')
    .select([
      'agent.id',
      'name',
      'facts',
      'wishes',
      'attempts',
      'received_at',
      'interval_s',
      'level',
      'label',
      'warnings',
      'stopped',
      'reporters',
      'usage',
      'hours',
    ])
    .$if(bodies, (query) => query.select('body'))
    .where('workspace_id', '=', workspaceId)
    .where('agent.id', '>', after)
    .orderBy('agent.id')
    .limit(agentsAtOnce)
    .execute()
}

function factsOf(row: SliceRow, runs: AlertFacts['runs'], cost: Costs | undefined, now: number): AlertFacts {
  const pending = pendingUsage(row.usage).filter(({ day, model }) => model === '' && day === dayOf(now))
  const hours = row.hours ? readHours(row.hours) : undefined
  return {
    receivedAt: row.received_at,
    intervalSeconds: row.interval_s ?? 0,
    stopped: row.stopped,
    paused: row.facts !== null && (JSON.parse(row.facts) as { paused?: boolean }).paused === true,
    level: row.level,
    label: row.label,
    statusStale: warnsOf(row.warnings, 'status'),
    signs: row.body ? signsOf(storedReport(row.body)) : noSigns,
    update: failedUpdate(row),
    runs,
    cost: {
      today: pending.reduce((sum, { costMicro }) => sum + costMicro, cost?.today ?? 0),
      before: cost?.before ?? [],
    },
    twoReporters: row.reporters !== null && twoReporters(row.reporters),
    hours: hours?.ok ? hours.value : null,
  }
}

/**
 * The attempt that ended badly and still counts: it is held, no other version is requested, and the agent has not reported a
 * good outcome since.
 */
export function failedUpdate({ wishes, attempts }: Pick<SliceRow, 'wishes' | 'attempts'>): AlertFacts['update'] {
  const { blueprint, blueprintHold, runtime, runtimeHold } = wishesIn(wishes)
  const { applied, runtime: ran } = attemptsIn(attempts)
  const parts = [
    { hold: blueprintHold, wanted: blueprint?.version, reported: applied },
    { hold: runtimeHold, wanted: runtime?.version, reported: ran?.applied },
  ]
  for (const { hold, wanted, reported } of parts) {
    if (!hold || (wanted !== undefined && wanted !== hold.version) || reported?.outcome === 'ok') continue
    return { version: hold.version, outcome: hold.outcome }
  }
  return null
}

async function lastRuns(db: Db, ids: readonly string[]): Promise<Map<string, (string | null)[]>> {
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
  const runs = new Map<string, (string | null)[]>()
  for (const { agent_id, status } of rows) runs.set(agent_id, [...(runs.get(agent_id) ?? []), status])
  return runs
}

interface Costs {
  today: number
  before: number[]
}

/** The earlier days only of agents that cost something today: of the others no day can stand out. */
async function costsOf(db: Db, ids: readonly string[], now: number): Promise<Map<string, Costs>> {
  const today = dayOf(now)
  const days = db.selectFrom('usage_day').select(['agent_id', 'day', 'cost_micro']).where('model', '=', '')
  const costs = new Map<string, Costs>()
  const first = await days.where('agent_id', 'in', ids).where('day', '=', today).where('cost_micro', '>', 0).execute()
  for (const { agent_id, cost_micro } of first) costs.set(agent_id, { today: cost_micro, before: [] })
  if (costs.size === 0) return costs
  const earlier = await days
    .where('agent_id', 'in', [...costs.keys()])
    .where('day', '>=', today - costDays)
    .where('day', '<', today)
    .where('cost_micro', '>', 0)
    .execute()
  for (const { agent_id, cost_micro } of earlier) costs.get(agent_id)?.before.push(cost_micro)
  return costs
}
