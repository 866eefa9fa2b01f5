/**
 * A batch of reports on PostgreSQL: one transaction, usually in two messages. The first locks and reads, the second
 * writes and commits. The number of statements does not depend on the number of reports.
 */
import type pg from 'pg'
import type { Store } from '../../../platform/db/open.ts'
import { untilWon } from '../../../platform/db/transaction.ts'
import {
  type AgentRows,
  CommitUnknown,
  type Decide,
  type Decision,
  type ReportStore,
  type Submission,
} from '../rows.ts'
import { load } from './load.ts'
import { pipelined } from './pipeline.ts'
import { dueUsage } from './usage.ts'
import { writeSteps } from './writing.ts'

export function postgresReports(store: Extract<Store, { engine: 'postgres' }>, decide: Decide): ReportStore {
  return (batch, now, age) => untilWon(() => commitOnce(store.pool, batch, (s, rows) => decide(rows, s, now, age), now))
}

async function commitOnce(
  pool: pg.Pool,
  batch: readonly Submission[],
  judge: (submission: Submission, rows: AgentRows | undefined) => Decision,
  now: number,
): Promise<Decision[]> {
  const client = await pool.connect()
  let commits = false
  try {
    const rows = await load(client, batch)
    const decisions = batch.map((s) => judge(s, rows.get(s.agentId)))
    const usage = await dueUsage(client, batch, decisions, now)
    const steps = writeSteps(batch, decisions, rows, usage)
    commits = true
    await pipelined(client, [...steps, [commit]])
    client.release()
    return decisions
  } catch (error) {
    // If the connection still answers, nothing was committed. If the connection is lost, nobody knows whether it was
    // (D1).
    const answers = await client.query('rollback').then(
      () => true,
      () => false,
    )
    client.release(!answers)
    throw commits && !answers ? new CommitUnknown(error) : error
  }
}

const commit = { name: 'report_commit', text: 'commit' }
