/**
 * A batch of reports on PostgreSQL: one transaction in two messages, one that locks and reads, one that writes and commits.
 * How many statements they hold does not depend on how many reports the batch holds.
 */
import type { Level } from '@svc/protocol'
import type pg from 'pg'
import type { MonotonicAge } from '../commands/settle.ts'
import { many, textArray } from '../db/columns.ts'
import type { Store } from '../db/open.ts'
import { type Prepared, pipelined, type Row } from '../db/pipeline.ts'
import { untilWon } from '../db/transaction.ts'
import { declaredLogsIn, versionRun } from '../versions/declared.ts'
import { CommitUnknown, type ReportStore } from './committing.ts'
import type { AgentRows, Decision, KeptRun, LastReport, Ranked, StoredCommand, Submission } from './rows.ts'
import { asksForLog, decide } from './rules.ts'
import { excess } from './runs.ts'
import { servedRelease } from './served.ts'
import { dueUsage } from './usage.postgres.ts'
import { writing } from './writing.postgres.ts'

export function postgresReports(store: Extract<Store, { engine: 'postgres' }>): ReportStore {
  return (batch, now, age) => untilWon(() => commitOnce(store.pool, batch, now, age))
}

async function commitOnce(
  pool: pg.Pool,
  batch: readonly Submission[],
  now: number,
  age: MonotonicAge,
): Promise<Decision[]> {
  const client = await pool.connect()
  let commits = false
  try {
    const rows = await load(client, batch)
    const decisions = batch.map((s) => decide(rows.get(s.agentId), s, now, age))
    const usage = await dueUsage(client, batch, decisions, now)
    const steps = writing(batch, decisions, rows, usage)
    commits = true
    await pipelined(client, [...steps, [statements.commit]])
    client.release()
    return decisions
  } catch (error) {
    // A connection that still answers did not commit; of one that was lost on the way nothing is known (D1).
    const answers = await client.query('rollback').then(
      () => true,
      () => false,
    )
    client.release(!answers)
    throw commits && !answers ? new CommitUnknown(error) : error
  }
}

/** Reads what the rules need; agents are locked in the order of their ids, then their commands, so nobody waits in a ring. */
async function load(client: pg.PoolClient, batch: readonly Submission[]): Promise<Map<string, AgentRows>> {
  const ids = textArray(batch.map((s) => s.agentId))
  const named = batch.flatMap((s) => (s.report.runs ?? []).map((run) => ({ agent: s.agentId, run: run.id })))
  const acks = batch.flatMap((s) => (s.report.acks ?? []).map((ack) => ack.id))
  const [, , , agents, [release], runs, open, closed] = await pipelined(client, [
    [statements.begin],
    [statements.plans],
    [statements.lock, [ids]],
    [statements.agents, [ids]],
    [statements.served],
    namedRuns.step(named),
    [statements.openCommands, [ids]],
    [statements.closedCommands, [textArray(acks), ids]],
  ])
  const served = release && servedOf(release)
  const rows = new Map((agents as AgentRow[]).map((row) => agentOf(row, served)))
  for (const row of runs as RunRow[]) rows.get(row[0])?.runs.set(row[1], keptOf(row))
  for (const row of [...open, ...closed] as CommandRow[]) rows.get(row[0])?.commands.push(commandOf(row))
  await loadMore(client, batch, rows)
  return rows
}

/** The rows of `load` as they come: columns in their order, numbers as text. */
type Text = string | null
type AgentRow = readonly [
  id: string,
  workspaceId: string,
  tokenHash: string,
  activated: Text,
  facts: Text,
  blueprint: Text,
  installed: Text,
  reported: Text,
  previous: Text,
  wishes: Text,
  attempts: Text,
  receivedAt: Text,
  level: Level | null,
  boot: Text,
  seq: Text,
  reporters: string,
  runsKept: Text,
  usage: Text,
]
type RunRow = readonly [agent: string, id: string, seq: string, place: string, body: string, cost: Text, tokens: Text]
type CommandRow = readonly [
  agent: string,
  id: string,
  type: StoredCommand['type'],
  payload: string,
  state: StoredCommand['state'],
  created: Text,
  delivered: Text,
  failed: Text,
  answered: Text,
  message: Text,
  due: Text,
]
const number = (text: Text): number | null => (text === null ? null : Number(text))

const keptOf = ([, , seq, place, body, cost, tokens]: RunRow): KeptRun => ({
  seq: Number(seq),
  place: Number(place),
  body,
  costMicro: number(cost),
  outputTokens: number(tokens),
})

/** What is read of an agent, filled bit by bit. */
interface Loaded extends AgentRows {
  runs: Map<string, KeptRun>
  lowest: Ranked[]
  commands: StoredCommand[]
  logs: Set<string>
}

function agentOf(row: AgentRow, served: AgentRows['served']): [id: string, Loaded] {
  const [id, workspaceId, tokenHash, activated, facts, blueprint, installed, reported, previous, ...rest] = row
  const [wishes, attempts, receivedAt, level, boot, seq, reporters, runsKept, usage] = rest
  const last: LastReport | undefined =
    receivedAt === null ? undefined : { level, boot, seq: number(seq), reporters, runsKept: Number(runsKept) }
  return [
    id,
    {
      workspaceId,
      tokenHash,
      activated: activated !== null,
      last,
      facts,
      wishes,
      attempts,
      served,
      usage,
      versions: { blueprint, installed, reported, previous },
      runs: new Map(),
      lowest: [],
      commands: [],
      logs: new Set(),
    },
  ]
}

const commandOf = ([, id, type, payload, state, ...rest]: CommandRow): StoredCommand => {
  const [created, delivered, failed, answered, message, due] = rest
  return {
    id,
    type,
    payload,
    state,
    message,
    created_at: Number(created),
    delivered_at: number(delivered),
    failed_at: number(failed),
    answered_at: number(answered),
    due_at: number(due),
  }
}

function servedOf([serial, version, sha256, signed]: Row): AgentRows['served'] {
  return { serial: Number(serial), version: version ?? '', sha256: sha256 ?? '', signed: signed === '1' }
}

/** What only few reports need: the lowest runs of an agent that has too many (I8), the log names of one that is asked for a log (D6). */
async function loadMore(client: pg.PoolClient, batch: readonly Submission[], rows: Map<string, Loaded>): Promise<void> {
  const full = batch.flatMap(({ agentId, report }) => {
    const of = rows.get(agentId)
    const count = of ? excess(of.last, (report.runs?.length ?? 0) - of.runs.size) : 0
    return count > 0 ? [{ agent: agentId, count }] : []
  })
  const asked = [...rows].filter(([, of]) => asksForLog(of.commands)).map(([id]) => id)
  if (full.length === 0 && asked.length === 0) return
  const ids = [textArray(asked)]
  const [lowest, logNames, manifests] = await pipelined(client, [
    lowestRuns.step(full),
    [statements.logNames, ids],
    [statements.manifests, ids],
  ])
  for (const [id, seq, place] of lowest as LowestRow[])
    rows.get(id)?.lowest.push({ seq: Number(seq), place: Number(place) })
  for (const [id, log] of logNames as NameRow[]) rows.get(id)?.logs.add(log)
  for (const [id, manifest] of manifests as NameRow[])
    for (const name of declaredLogsIn(manifest)) rows.get(id)?.logs.add(name)
}
type LowestRow = readonly [agent: string, seq: string, place: string]
type NameRow = readonly [agent: string, value: string]

const prepared = (name: string, text: string): Prepared => ({ name: `report_${name}`, text })

const commandColumns =
  'agent_id, id, type, payload, state, created_at, delivered_at, failed_at, answered_at, message, due_at'

const statements = {
  begin: prepared('begin', 'begin'),
  commit: prepared('commit', 'commit'),
  /**
   * Plans are kept for as long as a connection, also those made when the tables were empty: reading them whole was cheapest then,
   * and would be what every report pays until the tables are analysed.
   */
  plans: prepared(
    'plans',
    `select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true), set_config('enable_bitmapscan', 'off', true),
    set_config('jit', 'off', true)`,
  ),
  // Apart from the reading: a statement that had to wait for a lock sees only the locked row as it is now, the rest as it was.
  lock: prepared('lock', 'select 1 from agent where id = any($1::text[]) order by id for update'),
  agents: prepared(
    'agents',
    `select a.id, a.workspace_id, a.token_hash,
    (select activated_at from workspace_product p where p.workspace_id = a.workspace_id and p.product_id = 'svc'),
    a.facts, a.blueprint, a.installed_version, a.reported_version, a.previous_version, a.wishes, a.attempts,
    r.received_at, r.level, r.boot, r.seq, r.reporters, r.runs_kept, r.usage
    from agent a left join agent_report r on r.agent_id = a.id
    where a.id = any($1::text[])`,
  ),
  // After the lock: a wish was stored under the same one, so what it was judged by is seen here too (I11).
  served: prepared('served', servedRelease),
  openCommands: prepared(
    'open_commands',
    `select ${commandColumns} from command where agent_id = any($1::text[]) and due_at is not null
    order by created_at, id for update`,
  ),
  closedCommands: prepared(
    'closed_commands',
    `select ${commandColumns} from command where id = any($1::text[]) and agent_id = any($2::text[]) and due_at is null
    order by created_at, id for update`,
  ),
  logNames: prepared(
    'log_names',
    'select distinct agent_id, log from run where agent_id = any($1::text[]) and log is not null',
  ),
  manifests: prepared('manifests', `select a.id, v.manifest from agent a ${versionRun} where a.id = any($1::text[])`),
}

const namedRuns = many<{ agent: string; run: string }>(
  'report_named_runs',
  { agent: 'text', run: 'text' },
  (rows) => `select run.agent_id, run.id, run.seq, run.place, run.body, run.cost_micro, run.output_tokens from ${rows}
    join run on run.agent_id = r.agent and run.id = r.run`,
)
const lowestRuns = many<{ agent: string; count: number }>(
  'report_lowest_runs',
  { agent: 'text', count: 'bigint' },
  (rows) => `select low.* from ${rows} cross join lateral
    (select agent_id, seq, place from run where agent_id = r.agent order by place, seq limit r.count) low
    order by low.place, low.seq`,
)
