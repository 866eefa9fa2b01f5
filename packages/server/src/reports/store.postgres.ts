/** A batch of reports on PostgreSQL: one transaction with a constant number of statements, whatever the batch holds. */
import type pg from 'pg'
import { declaredLogsIn, versionRun } from '../blueprints/declared.ts'
import type { MonotonicAge } from '../commands/settle.ts'
import type { Store } from '../db/open.ts'
import { hasLost, untilWon } from '../db/transaction.ts'
import { CommitUnknown, type ReportStore } from './committing.ts'
import type { AgentRows, Decision, KeptRun, LastReport, Ranked, StoredCommand, Submission, Writes } from './rows.ts'
import { asksForLog, decide, machineChangesMost, updateEventsMost } from './rules.ts'
import { excess, usageMost } from './runs.ts'
import { servedRelease, servedRow } from './served.ts'

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
  let broken: Error | undefined
  const onError = (error: Error) => {
    broken = error
  }
  client.on('error', onError)
  try {
    await client.query('begin')
    const rows = await load(client, batch)
    const decisions = batch.map((s) => decide(rows.get(s.agentId), s, now, age))
    await write(client, batch, decisions)
    await client.query('commit').catch((error) => {
      throw hasLost(error) ? error : new CommitUnknown(error)
    })
    return decisions
  } catch (error) {
    await client.query('rollback').catch((failed) => {
      broken ??= failed
    })
    throw error
  } finally {
    client.off('error', onError)
    client.release(broken)
  }
}

/** Reads what the rules need; agents are locked in the order of their ids, then their commands, so nobody waits in a ring. */
async function load(client: pg.PoolClient, batch: readonly Submission[]): Promise<Map<string, AgentRows>> {
  const ids = batch.map((s) => s.agentId)
  // Apart from the reading: a statement that had to wait for a lock sees only the locked row as it is now, the rest as it was.
  await client.query(statements.lock, [ids])
  const agents = await client.query(statements.agents, [ids])
  // After the lock: a wish was stored under the same one, so what it was judged by is seen here too (I11).
  const served = servedRow((await client.query(statements.served)).rows[0])
  const named = batch.flatMap((s) => (s.report.runs ?? []).map((run) => ({ agent: s.agentId, run: run.id })))
  const kept = new Map<string, Map<string, KeptRun>>(ids.map((id) => [id, new Map()]))
  if (named.length > 0) {
    const found = await client.query(statements.runs, [named.map((n) => n.agent), named.map((n) => n.run)])
    for (const row of found.rows) kept.get(row.agent_id)?.set(row.id, row)
  }
  const commands = new Map<string, StoredCommand[]>(ids.map((id) => [id, []]))
  const acks = batch.flatMap((s) => (s.report.acks ?? []).map((ack) => ack.id))
  for (const row of (await client.query(statements.commands, [ids, acks])).rows) commands.get(row.agent_id)?.push(row)

  const rows = new Map<string, AgentRows>()
  for (const row of agents.rows) {
    const last: LastReport | undefined = row.received_at === null ? undefined : row
    rows.set(row.id, {
      workspaceId: row.workspace_id,
      tokenHash: row.token_hash,
      activated: row.activated_at !== null,
      last,
      facts: row.facts,
      versions: {
        blueprint: row.blueprint,
        installed: row.installed_version,
        reported: row.reported_version,
        previous: row.previous_version,
      },
      wishes: row.wishes,
      attempts: row.attempts,
      served,
      runs: kept.get(row.id) ?? new Map(),
      lowest: [],
      commands: commands.get(row.id) ?? [],
      logs: new Set(),
    })
  }
  await loadLowest(client, batch, rows)
  await loadLogNames(client, rows)
  return rows
}

async function loadLowest(client: pg.PoolClient, batch: readonly Submission[], rows: Map<string, AgentRows>) {
  const full = batch.flatMap(({ agentId, report }) => {
    const of = rows.get(agentId)
    const count = of ? excess(of.last, (report.runs?.length ?? 0) - of.runs.size) : 0
    return count > 0 ? [{ agentId, count }] : []
  })
  if (full.length === 0) return
  const found = await client.query(statements.lowest, [full.map((f) => f.agentId), full.map((f) => f.count)])
  const lowest = new Map<string, Ranked[]>(full.map((f) => [f.agentId, []]))
  for (const row of found.rows) lowest.get(row.agent_id)?.push(row)
  for (const [id, list] of lowest) {
    const of = rows.get(id)
    if (of) of.lowest = list
  }
}

async function loadLogNames(client: pg.PoolClient, rows: Map<string, AgentRows>) {
  const asked = [...rows].filter(([, of]) => asksForLog(of.commands)).map(([id]) => id)
  if (asked.length === 0) return
  const logs = new Map<string, Set<string>>(asked.map((id) => [id, new Set()]))
  for (const row of (await client.query(statements.logNames, [asked])).rows) logs.get(row.agent_id)?.add(row.log)
  for (const row of (await client.query(statements.manifests, [asked])).rows) {
    for (const name of declaredLogsIn(row.manifest)) logs.get(row.id)?.add(name)
  }
  for (const [id, names] of logs) {
    const of = rows.get(id)
    if (of) of.logs = names
  }
}

/** Writes what was decided: a statement for each table, and none for a table that nothing changes. */
async function write(client: pg.PoolClient, batch: readonly Submission[], decisions: readonly Decision[]) {
  const each = <T extends object>(pick: (w: Writes) => readonly T[]) =>
    decisions.flatMap((d, i) => (d.ok ? pick(d.write).map((row) => ({ agent_id: batch[i]?.agentId, ...row })) : []))
  const put = async (statement: string, rows: readonly object[]) => {
    if (rows.length > 0) await client.query(statement, [JSON.stringify(rows)])
  }
  await put(
    statements.trim,
    each((w) => w.trimmed.map((seq) => ({ seq }))),
  )
  await put(
    statements.insertRuns,
    each((w) => w.newRuns),
  )
  await put(
    statements.updateRuns,
    each((w) => w.changedRuns),
  )
  await put(statements.usage, each((w) => w.usage).sort(byKey))
  await put(
    statements.levelChanges,
    each((w) => (w.levelChange ? [w.levelChange] : [])),
  )
  await put(
    statements.commandChanges,
    each((w) => w.commands),
  )
  await put(
    statements.machineChanges,
    each((w) => w.machineChanges),
  )
  await put(
    statements.trimChanges,
    each((w) => w.machineChanges.slice(0, 1).map(() => ({}))),
  )
  await put(
    statements.agentChanges,
    each((w) => (w.agent ? [w.agent] : [])),
  )
  await put(
    statements.wishChanges,
    each((w) => (w.wishes ? [w.wishes] : [])),
  )
  await put(
    statements.updateEvents,
    each((w) => w.updateEvents),
  )
  await put(
    statements.trimEvents,
    each((w) => w.updateEvents.slice(0, 1).map(() => ({}))),
  )
  await put(
    statements.reports,
    each((w) => (w.report ? [w.report] : [])),
  )
}

const byKey = (a: { agent_id: string | undefined }, b: { agent_id: string | undefined }) =>
  (a.agent_id ?? '') < (b.agent_id ?? '') ? -1 : 1

const commandColumns =
  'id, agent_id, type, payload, state, created_at, delivered_at, failed_at, answered_at, message, due_at'

const statements = {
  lock: 'select id from agent where id = any($1::text[]) order by id for update',
  agents: `select a.id, a.workspace_id, a.token_hash, p.activated_at, r.received_at, r.level, r.boot, r.seq, r.reporters,
    r.runs_kept as "runsKept", a.facts, a.blueprint, a.installed_version, a.reported_version, a.previous_version,
    a.wishes, a.attempts from agent a
    left join workspace_product p on p.workspace_id = a.workspace_id and p.product_id = 'svc'
    left join agent_report r on r.agent_id = a.id
    where a.id = any($1::text[])`,
  runs: `select run.agent_id, run.id, run.seq, run.place, run.body from unnest($1::text[], $2::text[]) as named (agent, id)
    join run on run.agent_id = named.agent and run.id = named.id`,
  commands: `select ${commandColumns} from command
    where agent_id = any($1::text[]) and (due_at is not null or id = any($2::text[]))
    order by created_at, id for update`,
  lowest: `select low.* from unnest($1::text[], $2::int[]) as full_one (agent, count) cross join lateral
    (select agent_id, seq, place from run where agent_id = full_one.agent order by place, seq limit full_one.count) low
    order by low.place, low.seq`,
  logNames: 'select distinct agent_id, log from run where agent_id = any($1::text[]) and log is not null',
  manifests: `select a.id, v.manifest from agent a ${versionRun} where a.id = any($1::text[])`,
  trim: 'delete from run using json_to_recordset($1::json) as gone (seq bigint) where run.seq = gone.seq',
  insertRuns: `insert into run
    (agent_id, id, place, first_seen, started, ended, status, kind, cost_micro, output_tokens, log, body)
    select agent_id, id, place, "firstSeen", started, ended, status, kind, "costMicro", "outputTokens", log, body
    from json_to_recordset($1::json) as r (agent_id text, id text, place bigint, "firstSeen" bigint, started bigint, ended bigint,
    status text, kind text, "costMicro" bigint, "outputTokens" bigint, log text, body text)`,
  updateRuns: `update run set started = r.started, ended = r.ended, status = r.status, kind = r.kind,
    cost_micro = r."costMicro", output_tokens = r."outputTokens", log = r.log, body = r.body
    from json_to_recordset($1::json) as r (seq bigint, started bigint, ended bigint, status text, kind text,
    "costMicro" bigint, "outputTokens" bigint, log text, body text) where run.seq = r.seq`,
  usage: `insert into usage_day as day (agent_id, day, model, runs, cost_micro, output_tokens)
    select agent_id, day, model, runs, "costMicro", "outputTokens" from json_to_recordset($1::json) as r
    (agent_id text, day int, model text, runs bigint, "costMicro" bigint, "outputTokens" bigint)
    on conflict (agent_id, day, model) do update set runs = greatest(0, day.runs + excluded.runs),
    cost_micro = least(${usageMost}, greatest(0, day.cost_micro + excluded.cost_micro)),
    output_tokens = least(${usageMost}, greatest(0, day.output_tokens + excluded.output_tokens))`,
  levelChanges: `insert into level_change (agent_id, at, level, label)
    select agent_id, at, level, label from json_to_recordset($1::json) as r (agent_id text, at bigint, level text, label text)`,
  machineChanges: `insert into machine_change (agent_id, at, kind, key, before, after)
    select agent_id, at, kind, key, before, after from json_to_recordset($1::json) as r
    (agent_id text, at bigint, kind text, key text, before text, after text)`,
  trimChanges: `delete from machine_change c using json_to_recordset($1::json) as r (agent_id text)
    where c.agent_id = r.agent_id and c.seq < (select seq from machine_change k where k.agent_id = r.agent_id
    order by seq desc limit 1 offset ${machineChangesMost - 1})`,
  agentChanges: `update agent set facts = r.facts, reported_version = r.reported, previous_version = r.previous
    from json_to_recordset($1::json) as r (agent_id text, facts text, reported text, previous text)
    where agent.id = r.agent_id`,
  served: servedRelease,
  wishChanges: `update agent set wishes = r.wishes, wished_version = r.wished_version, runtime_wished = r.runtime_wished,
    runtime_granted_at = r.runtime_granted_at, attempts = r.attempts from json_to_recordset($1::json) as r
    (agent_id text, wishes text, wished_version text, runtime_wished text, runtime_granted_at bigint, attempts text)
    where agent.id = r.agent_id`,
  updateEvents: `insert into update_event
    (agent_id, at, subject, kind, version, from_version, message, by_name, rollout_id, since)
    select agent_id, at, "of", kind, version, "from", message, "by", rollout, since from json_to_recordset($1::json) as r
    (agent_id text, at bigint, "of" text, kind text, version text, "from" text, message text, "by" text, rollout text,
    since bigint)`,
  trimEvents: `delete from update_event e using json_to_recordset($1::json) as r (agent_id text)
    where e.agent_id = r.agent_id and e.seq < (select seq from update_event k where k.agent_id = r.agent_id
    order by seq desc limit 1 offset ${updateEventsMost - 1})`,
  commandChanges: `update command set state = r.state, delivered_at = r.delivered_at, failed_at = r.failed_at,
    answered_at = r.answered_at, message = r.message, due_at = r.due_at from json_to_recordset($1::json) as r
    (id text, state text, delivered_at bigint, failed_at bigint, answered_at bigint, message text, due_at bigint)
    where command.id = r.id`,
  reports: `insert into agent_report as kept (agent_id, received_at, level, label, detail, version, doing, controls,
    interval_s, boot, seq, reporters, runs_kept, body)
    select agent_id, "receivedAt", level, label, detail, version, doing, controls, interval, boot, seq, reporters,
    "runsKept", body from json_to_recordset($1::json) as r (agent_id text, "receivedAt" bigint, level text, label text,
    detail text, version text, doing text, controls text, interval int, boot text, seq bigint, reporters text,
    "runsKept" int, body text)
    on conflict (agent_id) do update set received_at = excluded.received_at, level = excluded.level,
    label = excluded.label, detail = excluded.detail, version = excluded.version, doing = excluded.doing,
    controls = excluded.controls, interval_s = excluded.interval_s, boot = excluded.boot, seq = excluded.seq,
    reporters = excluded.reporters, runs_kept = excluded.runs_kept, body = excluded.body`,
}
