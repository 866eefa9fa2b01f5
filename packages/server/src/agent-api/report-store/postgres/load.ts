/** The first message of a batch on PostgreSQL: locks the agents and reads what is needed to judge their reports. */
import type pg from 'pg'
import type { StoredCommand } from '../../../fleet/commands/row.ts'
import { declaredLogsIn, declaredVersionJoin } from '../../../fleet/versions/declared.ts'
import { columnReader, integer, orNull } from '../../../platform/db/tables/described.ts'
import { command, run } from '../../../platform/db/tables/reports.ts'
import { asksForLog, excessRuns } from '../needs.ts'
import {
  agentColumns,
  agentReader,
  agentRows,
  commandReader,
  keptRun,
  lastReport,
  lowestRunReader,
  runReader,
  storedCommand,
} from '../reading.ts'
import type { AgentRows, KeptRun, RankedRun, Submission } from '../rows.ts'
import { servedReleaseOf, servedReleaseSql } from '../served.ts'
import { manyRows, textArray } from './arrays.ts'
import { type PreparedStatement, readTextRow, runPipelined, type TextRow } from './pipeline.ts'

/**
 * Reads what is needed to judge the reports of a batch. It locks the agents in the order of their ids, then their
 * commands, so that batches cannot deadlock.
 */
export async function loadBatch(client: pg.PoolClient, batch: readonly Submission[]): Promise<Map<string, AgentRows>> {
  const ids = textArray(batch.map((s) => s.agentId))
  const named = batch.flatMap((s) => (s.report.runs ?? []).map((run) => ({ agent: s.agentId, run: run.id })))
  const acks = batch.flatMap((s) => (s.report.acks ?? []).map((ack) => ack.id))
  const [, , , agents, [release], runs, open, closed] = await runPipelined(client, [
    [statements.begin],
    [statements.plans],
    [statements.lock, [ids]],
    [statements.agents, [ids]],
    [statements.served],
    namedRuns.step(named),
    [statements.openCommands, [ids]],
    [statements.closedCommands, [textArray(acks), ids]],
  ])
  const served = release && servedIn(release)
  const rows = new Map(agents.map((row) => loadedOf(row, served)))
  for (const found of runs) {
    const row = readTextRow(ownedRun, found)
    rows.get(row[ownedRun.at.agent_id])?.runs.set(row[ownedRun.at.id], keptRun(row))
  }
  for (const found of [...open, ...closed]) {
    const row = readTextRow(ownedCommand, found)
    rows.get(row[ownedCommand.at.agent_id])?.commands.push(storedCommand(row))
  }
  await loadMore(client, batch, rows)
  return rows
}

const knownAgent = columnReader({ ...agentColumns, activated_at: orNull(integer()) }, [
  ...agentReader.names,
  'id',
  'activated_at',
])
const ownedRun = columnReader(run.columns, [...runReader.names, 'agent_id', 'id'])
const ownedLowest = columnReader(run.columns, [...lowestRunReader.names, 'agent_id'])
const ownedCommand = columnReader(command.columns, [...commandReader.names, 'agent_id'])

/** The rows that are read for an agent. The results of the statements are added one after another. */
interface LoadedRows extends AgentRows {
  runs: Map<string, KeptRun>
  lowest: RankedRun[]
  commands: StoredCommand[]
  logs: Set<string>
}

function loadedOf(found: TextRow, served: AgentRows['served']): [id: string, LoadedRows] {
  const row = readTextRow(knownAgent, found)
  const activated = row[knownAgent.at.activated_at] !== null
  const more = { runs: new Map(), lowest: [], commands: [], logs: new Set<string>() }
  return [row[knownAgent.at.id], { ...agentRows(row, lastReport(row), { activated, served, ...more }), ...more }]
}

const servedIn = ([serial, version, sha256, signed]: TextRow): AgentRows['served'] =>
  servedReleaseOf([Number(serial), version ?? '', sha256 ?? '', Number(signed)])

/**
 * Reads what only few reports need: the lowest-ranked runs of an agent that has too many with this report (I8), and the
 * log names of an agent with a queued log command (D6).
 */
async function loadMore(
  client: pg.PoolClient,
  batch: readonly Submission[],
  rows: Map<string, LoadedRows>,
): Promise<void> {
  const full = batch.flatMap(({ agentId, report }) => {
    const of = rows.get(agentId)
    const count = of ? excessRuns(of.last, (report.runs?.length ?? 0) - of.runs.size) : 0
    return count > 0 ? [{ agent: agentId, count }] : []
  })
  const asked = [...rows].filter(([, of]) => asksForLog(of.commands)).map(([id]) => id)
  if (full.length === 0 && asked.length === 0) return
  const ids = [textArray(asked)]
  const [lowest, logNames, manifests] = await runPipelined(client, [
    lowestRuns.step(full),
    [statements.logNames, ids],
    [statements.manifests, ids],
  ])
  const { at } = ownedLowest
  for (const found of lowest) {
    const row = readTextRow(ownedLowest, found)
    rows.get(row[at.agent_id])?.lowest.push({ seq: row[at.seq], place: row[at.place] })
  }
  for (const [id, log] of logNames as NameRow[]) rows.get(id)?.logs.add(log)
  for (const [id, manifest] of manifests as NameRow[])
    for (const name of declaredLogsIn(manifest)) rows.get(id)?.logs.add(name)
}
type NameRow = readonly [agent: string, value: string]

const preparedStatement = (name: string, text: string): PreparedStatement => ({ name: `report_${name}`, text })

/** The SQL that reads the column `activated_at`, which is in another table than the agent. */
const activatedAt = `(select p.activated_at from workspace_product p
    where p.workspace_id = a.workspace_id and p.product_id = 'svc')`
const agentNames = knownAgent.names.map((name) => (name === 'activated_at' ? activatedAt : name)).join(', ')
const commandNames = ownedCommand.names.join(', ')

const statements = {
  begin: preparedStatement('begin', 'begin'),
  /**
   * Makes PostgreSQL avoid plans that scan whole tables. Such a plan is cheapest while a table is empty, and stays in
   * use after the table has grown. One plan serves all values, because planning costs as much as a small batch.
   */
  plans: preparedStatement(
    'plans',
    `select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true), set_config('enable_bitmapscan', 'off', true),
    set_config('jit', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true)`,
  ),
  // The rows are read by later statements. A statement that also locks would, after a wait, see the locked row as it is
  // now, but rows of other tables as they were before the wait.
  lock: preparedStatement('lock', 'select 1 from agent where id = any($1::text[]) order by id for update'),
  agents: preparedStatement(
    'agents',
    `select ${agentNames} from agent a left join agent_report r on r.agent_id = a.id where a.id = any($1::text[])`,
  ),
  // The served release is read after the lock. A wish is stored under the same lock, so this statement sees the release
  // by which the wish was judged, or a later one (I11).
  served: preparedStatement('served', servedReleaseSql),
  openCommands: preparedStatement(
    'open_commands',
    `select ${commandNames} from command where agent_id = any($1::text[]) and due_at is not null
    order by created_at, id for update`,
  ),
  closedCommands: preparedStatement(
    'closed_commands',
    `select ${commandNames} from command where id = any($1::text[]) and agent_id = any($2::text[]) and due_at is null
    order by created_at, id for update`,
  ),
  logNames: preparedStatement(
    'log_names',
    'select distinct agent_id, log from run where agent_id = any($1::text[]) and log is not null',
  ),
  manifests: preparedStatement(
    'manifests',
    `select a.id, v.manifest from agent a ${declaredVersionJoin} where a.id = any($1::text[])`,
  ),
}

const namedRuns = manyRows<{ agent: string; run: string }>(
  'report_named_runs',
  [
    ['agent', 'text'],
    ['run', 'text'],
  ],
  (rows) => `select ${ownedRun.names.map((name) => `run.${name}`).join(', ')} from ${rows}
    join run on run.agent_id = r.agent and run.id = r.run`,
)
const lowestRuns = manyRows<{ agent: string; count: number }>(
  'report_lowest_runs',
  [
    ['agent', 'text'],
    ['count', 'bigint'],
  ],
  (rows) => `select low.* from ${rows} cross join lateral
    (select ${ownedLowest.names.join(', ')} from run where agent_id = r.agent order by place, seq limit r.count) low
    order by low.place, low.seq`,
)
