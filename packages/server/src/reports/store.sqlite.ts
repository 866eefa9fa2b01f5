/** A batch of reports on the embedded engine: one transaction, a handful of prepared statements a report. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Level } from '@svc/protocol'
import type { MonotonicAge } from '../commands/settle.ts'
import type { Store } from '../db/open.ts'
import { dayOf } from '../limits/days.ts'
import type { Served } from '../releases/store.ts'
import { declaredLogsIn, versionRun } from '../versions/declared.ts'
import { updateEventsMost } from '../wishes/events.ts'
import { CommitUnknown, type ReportStore } from './committing.ts'
import { usageMost } from './pending.ts'
import type {
  AgentRows,
  CommandChange,
  Decision,
  KeptRun,
  Places,
  Ranked,
  StoredCommand,
  Submission,
  Writes,
} from './rows.ts'
import { asksForLog, decide, machineChangesMost } from './rules.ts'
import { excess } from './runs.ts'
import { type ServedRow, servedRelease, servedRow } from './served.ts'
import { otherModels, type UsageRows, underNames } from './usage-names.ts'

/**
 * The store of reports over the one connection of the file. That connection is also Kysely's: the batch takes it from
 * Kysely for its length, so that it never lands inside somebody's open transaction.
 */
export function sqliteReports(store: Extract<Store, { engine: 'sqlite' }>): ReportStore {
  let statements: Statements | undefined
  return (batch, now, age) =>
    store.db.connection().execute(async () => {
      statements ??= prepare(store.sqlite)
      return commit(store.sqlite, statements, batch, now, age)
    })
}

/** Everything between `begin` and `commit` happens in one turn of the event loop. */
function commit(
  db: DatabaseSync,
  s: Statements,
  batch: readonly Submission[],
  now: number,
  age: MonotonicAge,
): Decision[] {
  s.begin.run()
  let decisions: Decision[]
  try {
    const seen: Seen = {
      served: servedRow(s.served.get() as ServedRow | undefined),
      activated: new Map(),
      withCommands: agentsWithCommands(s, batch.length),
    }
    decisions = batch.map((submission) => {
      const loaded = load(s, submission, seen)
      const decision = decide(loaded?.rows, submission, now, age)
      if (decision.ok && loaded) write(s, submission.agentId, loaded, decision.write, now)
      return decision
    })
  } catch (error) {
    if (db.isTransaction) s.rollback.run()
    throw error
  }
  try {
    s.commit.run()
  } catch (error) {
    if (db.isTransaction) s.rollback.run()
    throw new CommitUnknown(error)
  }
  return decisions
}

/** What the reports of a batch have in common, read once. */
interface Seen {
  served: Served | undefined
  /** Whether a workspace is activated (5.4), by its id. */
  activated: Map<string, boolean>
  /** Agents with open commands; undefined when that are so many that each report asks for its own. */
  withCommands: Set<string> | undefined
}

interface Loaded {
  rows: AgentRows
  reportRow: number | null
}

function load(s: Statements, { agentId, report, places }: Submission, seen: Seen): Loaded | undefined {
  const row = findAgent(s, agentId, places)
  if (!row) return undefined
  const workspaceId = row[0]
  const reportRow = row[9]
  const last =
    reportRow === null
      ? undefined
      : { level: row[10], boot: row[11], seq: row[12], reporters: row[13] ?? '', runsKept: row[14] ?? 0 }
  const runs = new Map<string, KeptRun>()
  if (report.runs) {
    for (const [i, { id }] of report.runs.entries()) {
      const kept = findRun(s, agentId, id, i, places)
      if (kept) runs.set(id, { seq: kept[0], place: kept[1], body: kept[2], costMicro: kept[3], outputTokens: kept[4] })
    }
  }
  const tooMany = excess(last, (report.runs?.length ?? 0) - runs.size)
  const hasCommands = report.acks !== undefined || (seen.withCommands?.has(agentId) ?? true)
  const commands = hasCommands ? loadCommands(s, agentId, report.acks) : []
  return {
    reportRow,
    rows: {
      workspaceId,
      tokenHash: row[1],
      activated: isActivated(s, seen.activated, workspaceId),
      last,
      facts: row[2],
      versions: { blueprint: row[3], installed: row[4], reported: row[5], previous: row[6] },
      wishes: row[7],
      attempts: row[8],
      served: seen.served,
      usage: row[15],
      runs,
      lowest: tooMany > 0 ? (s.lowest.all(agentId, tooMany) as unknown as Ranked[]) : [],
      commands,
      logs: asksForLog(commands) ? logNames(s, agentId) : new Set(),
    },
  }
}

/** By the numbers of its rows, else by its id: text in an index costs several times more to find. */
function findAgent(s: Statements, agentId: string, places: Places | undefined): AgentRow | undefined {
  if (!places) return s.agent.get(agentId) as unknown as AgentRow | undefined
  const known =
    places.report === 0 ? undefined : (s.agentAt.get(places.agent, places.report, agentId) as unknown as AgentRow)
  if (known) return known
  const row = s.agent.get(agentId) as unknown as AgentRow | undefined
  places.agent = row?.[16] ?? 0
  places.report = row?.[9] ?? 0
  return row
}

/** So many runs of a report are found by number: enough for the usual report, little enough for many agents. */
const runPlaces = 8

function findRun(s: Statements, agentId: string, id: string, i: number, places: Places | undefined) {
  const place = places?.runs[i] ?? 0
  const known = place === 0 ? undefined : (s.runAt.get(place, agentId, id) as unknown as RunRow | undefined)
  if (known) return known
  const row = s.run.get(agentId, id) as unknown as RunRow | undefined
  if (places && i < runPlaces) places.runs[i] = row?.[0] ?? 0
  return row
}

/** Mostly nobody waits for an answer: asking once for all costs less than asking for each. */
function agentsWithCommands(s: Statements, most: number): Set<string> | undefined {
  const open = s.agentsWithCommands.all(most + 1) as unknown as [agentId: string][]
  return open.length > most ? undefined : new Set(open.map(([agentId]) => agentId))
}

function isActivated(s: Statements, known: Map<string, boolean>, workspaceId: string): boolean {
  let activated = known.get(workspaceId)
  if (activated === undefined) {
    activated = s.activated.get(workspaceId) !== undefined
    known.set(workspaceId, activated)
  }
  return activated
}

function logNames(s: Statements, agentId: string): Set<string> {
  const ofRuns = (s.logNames.all(agentId) as { log: string }[]).map(({ log }) => log)
  const manifest = s.manifest.get(agentId) as { manifest: string } | undefined
  return new Set([...ofRuns, ...(manifest ? declaredLogsIn(manifest.manifest) : [])])
}

function loadCommands(s: Statements, agentId: string, acks: readonly { id: string }[] = []): StoredCommand[] {
  const open = s.openCommands.all(agentId) as unknown as StoredCommand[]
  if (acks.length === 0) return open
  const known = new Set(open.map(({ id }) => id))
  for (const { id } of acks) {
    if (known.has(id)) continue
    known.add(id)
    const closed = s.command.get(id, agentId) as StoredCommand | undefined
    if (closed) open.push(closed)
  }
  return open
}

function write(s: Statements, agentId: string, { reportRow }: Loaded, w: Writes, now: number): void {
  for (const seq of w.trimmed) s.trim.run(seq)
  for (const r of w.newRuns) {
    s.insertRun.run(
      agentId,
      r.id,
      r.place,
      r.firstSeen,
      r.started,
      r.ended,
      r.status,
      r.kind,
      r.costMicro,
      r.outputTokens,
      r.log,
      r.body,
    )
  }
  for (const r of w.changedRuns) {
    s.updateRun.run(r.started, r.ended, r.status, r.kind, r.costMicro, r.outputTokens, r.log, r.body, r.seq)
  }
  for (const u of w.usage.length > 0 ? underNames(w.usage, usageRows(s, agentId), dayOf(now)) : w.usage)
    s.usage.run(agentId, u.day, u.model, u.runs, u.costMicro, u.outputTokens)
  if (w.levelChange) s.levelChange.run(agentId, w.levelChange.at, w.levelChange.level, w.levelChange.label)
  for (const c of w.commands) changeCommand(s.changeCommand, c)
  for (const c of w.machineChanges) s.machineChange.run(agentId, c.at, c.kind, c.key, c.before, c.after)
  if (w.machineChanges.length > 0) s.trimChanges.run(agentId, agentId, machineChangesMost - 1)
  if (w.agent) s.changeAgent.run(w.agent.facts, w.agent.reported, w.agent.previous, agentId)
  const u = w.wishes
  if (u) {
    s.changeWishes.run(u.wishes, u.wished_version, u.runtime_wished, u.runtime_granted_at, u.attempts, agentId)
  }
  for (const e of w.updateEvents) {
    s.updateEvent.run(agentId, e.at, e.of, e.kind, e.version, e.from, e.message, e.by, e.rollout, e.since)
  }
  if (w.updateEvents.length > 0) s.trimEvents.run(agentId, agentId, updateEventsMost - 1)
  const r = w.report
  if (!r) return
  const statement = reportRow === null ? s.insertReport : s.updateReport
  statement.run(
    r.receivedAt,
    r.level,
    r.label,
    r.detail,
    r.version,
    r.doing,
    r.controls,
    r.interval,
    r.boot,
    r.seq,
    r.reporters,
    r.runsKept,
    r.statusAt,
    r.warnings,
    r.stopped,
    r.body,
    r.usage,
    reportRow ?? agentId,
  )
}

const usageRows = (s: Statements, agentId: string): UsageRows => ({
  has: (day, model) => s.usageNamed.get(agentId, day, model) !== undefined,
  of: (day) => {
    const { names, others } = s.usageOfDay.get(agentId, day) as { names: number; others: number }
    return { names, others: others > 0 }
  },
})

const changeCommand = (statement: StatementSync, c: CommandChange) =>
  statement.run(c.state, c.delivered_at, c.failed_at, c.answered_at, c.message, c.due_at, c.id)

const reportColumns = [
  'received_at',
  'level',
  'label',
  'detail',
  'version',
  'doing',
  'controls',
  'interval_s',
  'boot',
  'seq',
  'reporters',
  'runs_kept',
  'status_at',
  'warnings',
  'stopped',
  'body',
  'usage',
]
const commandColumns = 'id, type, payload, state, created_at, delivered_at, failed_at, answered_at, message, due_at'

const agentColumns = `a.workspace_id, a.token_hash, a.facts, a.blueprint, a.installed_version, a.reported_version,
  a.previous_version, a.wishes, a.attempts, r.rowid, r.level, r.boot, r.seq, r.reporters, r.runs_kept, r.usage, a.rowid`

const runColumns = 'seq, place, body, cost_micro, output_tokens'

/** The columns of `agent` and `run` above, in their order: objects with names cost a third more. */
type AgentRow = [
  workspaceId: string,
  tokenHash: string,
  facts: string | null,
  blueprint: string | null,
  installed: string | null,
  reported: string | null,
  previous: string | null,
  wishes: string | null,
  attempts: string | null,
  reportRow: number | null,
  level: Level | null,
  boot: string | null,
  seq: number | null,
  reporters: string | null,
  runsKept: number | null,
  usage: string | null,
  agentRow: number,
]
type RunRow = [seq: number, place: number, body: string, costMicro: number | null, outputTokens: number | null]

function inArrays(statement: StatementSync): StatementSync {
  statement.setReturnArrays(true)
  return statement
}

type Statements = ReturnType<typeof prepare>

/** `limit ? + 0`: SQLite prepares a bare `limit ?` anew for every value. */
const prepare = (db: DatabaseSync) => ({
  begin: db.prepare('begin immediate'),
  commit: db.prepare('commit'),
  rollback: db.prepare('rollback'),
  agent: inArrays(
    db.prepare(`select ${agentColumns} from agent a left join agent_report r on r.agent_id = a.id where a.id = ?`),
  ),
  agentAt: inArrays(
    db.prepare(`select ${agentColumns} from agent a join agent_report r on r.rowid = ?2 and r.agent_id = a.id
    where a.rowid = ?1 and a.id = ?3`),
  ),
  agentsWithCommands: inArrays(db.prepare('select agent_id from command where due_at is not null limit ? + 0')),
  activated: db.prepare(`select 1 from workspace_product where workspace_id = ? and product_id = 'svc'`),
  run: inArrays(db.prepare(`select ${runColumns} from run where agent_id = ? and id = ?`)),
  runAt: inArrays(db.prepare(`select ${runColumns} from run where seq = ? and agent_id = ? and id = ?`)),
  lowest: db.prepare('select seq, place from run where agent_id = ? order by place, seq limit ? + 0'),
  logNames: db.prepare('select distinct log from run where agent_id = ? and log is not null'),
  manifest: db.prepare(`select v.manifest from agent a ${versionRun} where a.id = ?`),
  openCommands: db.prepare(
    `select ${commandColumns} from command where agent_id = ? and due_at is not null order by created_at, id`,
  ),
  command: db.prepare(`select ${commandColumns} from command where id = ? and agent_id = ?`),
  trim: db.prepare('delete from run where seq = ?'),
  insertRun: db.prepare(`insert into run
    (agent_id, id, place, first_seen, started, ended, status, kind, cost_micro, output_tokens, log, body)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
  updateRun: db.prepare(`update run set started = ?, ended = ?, status = ?, kind = ?, cost_micro = ?, output_tokens = ?,
    log = ?, body = ? where seq = ?`),
  usage: db.prepare(`insert into usage_day (agent_id, day, model, runs, cost_micro, output_tokens)
    values (?, ?, ?, ?, ?, ?)
    on conflict (agent_id, day, model) do update set runs = max(0, runs + excluded.runs),
    cost_micro = min(${usageMost}, max(0, cost_micro + excluded.cost_micro)),
    output_tokens = min(${usageMost}, max(0, output_tokens + excluded.output_tokens))`),
  usageNamed: db.prepare('select 1 from usage_day where agent_id = ? and day = ? and model = ?'),
  usageOfDay: db.prepare(`select count(*) filter (where model not in ('', '${otherModels}')) as names,
    count(*) filter (where model = '${otherModels}') as others from usage_day where agent_id = ? and day = ?`),
  levelChange: db.prepare('insert into level_change (agent_id, at, level, label) values (?, ?, ?, ?)'),
  machineChange: db.prepare(
    'insert into machine_change (agent_id, at, kind, key, before, after) values (?, ?, ?, ?, ?, ?)',
  ),
  trimChanges: db.prepare(`delete from machine_change where agent_id = ?
    and seq < (select seq from machine_change where agent_id = ? order by seq desc limit 1 offset ?)`),
  changeAgent: db.prepare('update agent set facts = ?, reported_version = ?, previous_version = ? where id = ?'),
  served: db.prepare(servedRelease),
  changeWishes: db.prepare(`update agent set wishes = ?, wished_version = ?, runtime_wished = ?, runtime_granted_at = ?,
    attempts = ? where id = ?`),
  updateEvent: db.prepare(`insert into update_event
    (agent_id, at, subject, kind, version, from_version, message, by_name, rollout_id, since)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
  trimEvents: db.prepare(`delete from update_event where agent_id = ?
    and seq < (select seq from update_event where agent_id = ? order by seq desc limit 1 offset ?)`),
  changeCommand:
    db.prepare(`update command set state = ?, delivered_at = ?, failed_at = ?, answered_at = ?, message = ?,
    due_at = ? where id = ?`),
  insertReport: db.prepare(
    `insert into agent_report (${reportColumns.join(', ')}, agent_id) values (${'?, '.repeat(reportColumns.length)}?)`,
  ),
  updateReport: db.prepare(
    `update agent_report set ${reportColumns.map((c) => `${c} = ?`).join(', ')} where rowid = ?`,
  ),
})
