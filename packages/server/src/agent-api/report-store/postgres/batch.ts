/**
 * A batch of reports on PostgreSQL: one transaction, usually in two messages. The first locks and reads, the second
 * writes and commits. The number of statements does not depend on the number of reports.
 */
import type pg from 'pg'
import type { UsageDelta } from '../../../fleet/reports/stored.ts'
import { assignUsageRows, otherModels, type UsageRows } from '../../../fleet/reports/usage-names.ts'
import type { Store } from '../../../platform/db/open.ts'
import { retryIfLost } from '../../../platform/db/transaction.ts'
import { dayNumber } from '../../../platform/limits/units.ts'
import {
  type AgentRows,
  CommitUnknown,
  type DecideReport,
  type ReportDecision,
  type ReportStore,
  type Submission,
} from '../rows.ts'
import { manyRows } from './arrays.ts'
import { loadBatch } from './load.ts'
import { runPipelined } from './pipeline.ts'
import { writeSteps } from './writing.ts'

export function postgresReportStore(store: Extract<Store, { engine: 'postgres' }>, decide: DecideReport): ReportStore {
  return (batch, now, age) =>
    retryIfLost(() => commitOnce(store.pool, batch, (s, rows) => decide(rows, s, now, age), now))
}

async function commitOnce(
  pool: pg.Pool,
  batch: readonly Submission[],
  judge: (submission: Submission, rows: AgentRows | undefined) => ReportDecision,
  now: number,
): Promise<ReportDecision[]> {
  const client = await pool.connect()
  let commits = false
  try {
    const rows = await loadBatch(client, batch)
    const decisions = batch.map((s) => judge(s, rows.get(s.agentId)))
    const usage = await dueUsage(client, batch, decisions, now)
    const steps = writeSteps(batch, decisions, rows, usage)
    commits = true
    await runPipelined(client, [...steps, [commit]])
    client.release()
    return decisions
  } catch (error) {
    // If the connection still answers, nothing was committed. If the connection is lost, the batch may have been
    // committed or not (D1).
    const answers = await client.query('rollback').then(
      () => true,
      () => false,
    )
    client.release(!answers)
    throw commits && !answers ? new CommitUnknown(error) : error
  }
}

const commit = { name: 'report_commit', text: 'commit' }

// The functions below choose the rows of `usage_day` to which the sums of a batch are added. Most batches add none,
// since sums first wait in the row of the last report (pending.ts).

/**
 * The daily sums that must be written now, by agent id. The agents are locked, so no other batch can add models to
 * their days meanwhile.
 */
async function dueUsage(
  client: pg.PoolClient,
  batch: readonly Submission[],
  decisions: readonly ReportDecision[],
  now: number,
): Promise<Map<string, readonly UsageDelta[]>> {
  const due = batch.flatMap(({ agentId }, i) => {
    const decision = decisions[i]
    return decision?.ok && decision.write.usage.length > 0 ? [{ agentId, sums: decision.write.usage }] : []
  })
  if (due.length === 0) return new Map()
  const rows = await usageRows(client, due)
  return new Map(due.map(({ agentId, sums }) => [agentId, assignUsageRows(sums, rows(agentId), dayNumber(now))]))
}

async function usageRows(
  client: pg.PoolClient,
  due: readonly { agentId: string; sums: readonly UsageDelta[] }[],
): Promise<(agentId: string) => UsageRows> {
  const named = due.flatMap(({ agentId, sums }) => sums.map(({ day, model }) => ({ agent: agentId, day, model })))
  const days = due.flatMap(({ agentId, sums }) =>
    [...new Set(sums.map(({ day }) => day))].map((day) => ({ agent: agentId, day })),
  )
  const [known, counted] = await runPipelined(client, [knownNames.step(named), countedDays.step(days)])
  const names = new Set((known as KnownNameKey[]).map(([agent, day, model]) => `${agent} ${day} ${model}`))
  const counts = new Map((counted as NameCountsRow[]).map(([agent, day, ...counts]) => [`${agent} ${day}`, counts]))
  return (agentId) => ({
    has: (day, model) => names.has(`${agentId} ${day} ${model}`),
    of: (day) => {
      const [count = '0', others = '0'] = counts.get(`${agentId} ${day}`) ?? []
      return { names: Number(count), others: others !== '0' }
    },
  })
}

type KnownNameKey = readonly [agent: string, day: string, model: string]
type NameCountsRow = readonly [agent: string, day: string, names: string, others: string]

const knownNames = manyRows<{ agent: string; day: number; model: string }>(
  'report_known_names',
  [
    ['agent', 'text'],
    ['day', 'bigint'],
    ['model', 'text'],
  ],
  (rows) => `select r.agent, r.day, r.model from ${rows}
    join usage_day u on u.agent_id = r.agent and u.day = r.day and u.model = r.model`,
)
const countedDays = manyRows<{ agent: string; day: number }>(
  'report_counted_days',
  [
    ['agent', 'text'],
    ['day', 'bigint'],
  ],
  (rows) => `select r.agent, r.day, count(*) filter (where u.model not in ('', '${otherModels}')),
    count(*) filter (where u.model = '${otherModels}')
    from ${rows} join usage_day u on u.agent_id = r.agent and u.day = r.day group by r.agent, r.day`,
)
