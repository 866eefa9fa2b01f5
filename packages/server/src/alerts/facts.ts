/**
 * Reads the facts by which rules about agents are judged, 200 agents at a time, so that evaluating a large fleet does
 * not delay reports. Facts that only some rules need are read only if one of those rules is enabled.
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

/** Returns whether a rule is enabled, which decides what has to be read. */
type On = (name: RuleName) => boolean

/** The agents of a workspace with their facts, in the order of their ids and in slices of at most 200. */
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
 * The failed or rolled-back update that still counts: its version is held, no other version is wished, and the agent
 * has not reported a good outcome since. Null if there is none.
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

/**
 * Reads the costs of agents today and on earlier days. Earlier days are read only for agents with a cost today, because
 * only today's cost is judged.
 */
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
