/** The second message of a batch on PostgreSQL: what was decided, table by table. */
import { type Columns, type Many, many } from '../db/columns.ts'
import type { Step } from '../db/pipeline.ts'
import { updateEventsMost } from '../wishes/events.ts'
import { usageMost } from './pending.ts'
import type {
  AgentRows,
  CommandChange,
  Decision,
  ReportWrite,
  RunWrite,
  Submission,
  UsageDelta,
  Writes,
} from './rows.ts'
import { machineChangesMost } from './rules.ts'

/** Writes what was decided: a statement for each table, and none for a table that nothing changes. */
export function writing(
  batch: readonly Submission[],
  decisions: readonly Decision[],
  rows: ReadonlyMap<string, AgentRows>,
  usage: ReadonlyMap<string, readonly UsageDelta[]>,
): Step[] {
  // In the order in which agents are locked, so that two batches never wait in a ring for other rows either.
  const written = batch
    .flatMap(({ agentId }, i) => {
      const decision = decisions[i]
      return decision?.ok ? [{ agent_id: agentId, write: decision.write }] : []
    })
    .sort((a, b) => (a.agent_id < b.agent_id ? -1 : 1))
  const steps: Step[] = []
  const put = <T extends object>(statement: Many<T & Of>, pick: (w: Writes, agentId: string) => readonly T[]) => {
    const picked = written.flatMap(({ agent_id, write }) => pick(write, agent_id).map((row) => ({ agent_id, ...row })))
    if (picked.length > 0) steps.push(statement.step(picked))
  }
  const one = <T>(row: T | undefined): T[] => (row ? [row] : [])
  const reportedBefore = (agentId: string) => rows.get(agentId)?.last !== undefined
  put(trim, (w) => w.trimmed.map((seq) => ({ seq })))
  put(insertRuns, (w) => w.newRuns)
  put(updateRuns, (w) => w.changedRuns)
  put(addUsage, (_, id) => usage.get(id) ?? [])
  put(levelChanges, (w) => one(w.levelChange))
  put(changeCommands, (w) => w.commands)
  put(machineChanges, (w) => w.machineChanges)
  put(trimChanges, (w) => w.machineChanges.slice(0, 1).map(() => ({})))
  put(changeAgents, (w) => one(w.agent))
  put(changeWishes, (w) => one(w.wishes))
  put(updateEvents, (w) => w.updateEvents)
  put(trimEvents, (w) => w.updateEvents.slice(0, 1).map(() => ({})))
  put(insertReports, (w, id) => (reportedBefore(id) ? [] : one(w.report)))
  put(updateReports, (w, id) => (reportedBefore(id) ? one(w.report) : []))
  return steps
}

interface Of {
  agent_id: string
}

const trim = many<Of & { seq: number }>(
  'report_trim',
  { seq: 'bigint' },
  (rows) => `delete from run using ${rows} where run.seq = r.seq`,
)
const runColumns: Columns<RunWrite> = {
  started: 'bigint',
  ended: 'bigint',
  status: 'text',
  kind: 'text',
  costMicro: 'bigint',
  outputTokens: 'bigint',
  log: 'text',
  body: 'text',
}
const insertRuns = many<Of & RunWrite>(
  'report_insert_runs',
  { agent_id: 'text', id: 'text', place: 'bigint', firstSeen: 'bigint', ...runColumns },
  (rows) => `insert into run
    (agent_id, id, place, first_seen, started, ended, status, kind, cost_micro, output_tokens, log, body)
    select * from ${rows}`,
)
const updateRuns = many<Of & Writes['changedRuns'][number]>(
  'report_update_runs',
  { seq: 'bigint', ...runColumns },
  (rows) => `update run set started = r.started, ended = r.ended, status = r.status, kind = r.kind,
    cost_micro = r."costMicro", output_tokens = r."outputTokens", log = r.log, body = r.body
    from ${rows} where run.seq = r.seq`,
)
const addUsage = many<Of & UsageDelta>(
  'report_add_usage',
  { agent_id: 'text', day: 'bigint', model: 'text', runs: 'bigint', costMicro: 'bigint', outputTokens: 'bigint' },
  (rows) => `insert into usage_day as day (agent_id, day, model, runs, cost_micro, output_tokens)
    select * from ${rows} on conflict (agent_id, day, model) do update set runs = greatest(0, day.runs + excluded.runs),
    cost_micro = least(${usageMost}, greatest(0, day.cost_micro + excluded.cost_micro)),
    output_tokens = least(${usageMost}, greatest(0, day.output_tokens + excluded.output_tokens))`,
)
const levelChanges = many<Of & NonNullable<Writes['levelChange']>>(
  'report_level_changes',
  { agent_id: 'text', at: 'bigint', level: 'text', label: 'text' },
  (rows) => `insert into level_change (agent_id, at, level, label) select * from ${rows}`,
)
const changeCommands = many<Of & CommandChange>(
  'report_change_commands',
  {
    id: 'text',
    state: 'text',
    delivered_at: 'bigint',
    failed_at: 'bigint',
    answered_at: 'bigint',
    message: 'text',
    due_at: 'bigint',
  },
  (rows) => `update command set state = r.state, delivered_at = r.delivered_at, failed_at = r.failed_at,
    answered_at = r.answered_at, message = r.message, due_at = r.due_at from ${rows} where command.id = r.id`,
)
const machineChanges = many<Of & Writes['machineChanges'][number]>(
  'report_machine_changes',
  { agent_id: 'text', at: 'bigint', kind: 'text', key: 'text', before: 'text', after: 'text' },
  (rows) => `insert into machine_change (agent_id, at, kind, key, before, after) select * from ${rows}`,
)
const trimChanges = many<Of>(
  'report_trim_changes',
  { agent_id: 'text' },
  (rows) => `delete from machine_change c using ${rows} where c.agent_id = r.agent_id and c.seq <
    (select seq from machine_change k where k.agent_id = r.agent_id order by seq desc limit 1
    offset ${machineChangesMost - 1})`,
)
const changeAgents = many<Of & NonNullable<Writes['agent']>>(
  'report_change_agents',
  { agent_id: 'text', facts: 'text', reported: 'text', previous: 'text' },
  (rows) => `update agent set facts = r.facts, reported_version = r.reported, previous_version = r.previous
    from ${rows} where agent.id = r.agent_id`,
)
const changeWishes = many<Of & NonNullable<Writes['wishes']>>(
  'report_change_wishes',
  {
    agent_id: 'text',
    wishes: 'text',
    wished_version: 'text',
    runtime_wished: 'text',
    runtime_granted_at: 'bigint',
    attempts: 'text',
  },
  (rows) => `update agent set wishes = r.wishes, wished_version = r.wished_version, runtime_wished = r.runtime_wished,
    runtime_granted_at = r.runtime_granted_at, attempts = r.attempts from ${rows} where agent.id = r.agent_id`,
)
const updateEvents = many<Of & Writes['updateEvents'][number]>(
  'report_update_events',
  {
    agent_id: 'text',
    at: 'bigint',
    of: 'text',
    kind: 'text',
    version: 'text',
    from: 'text',
    message: 'text',
    by: 'text',
    rollout: 'text',
    since: 'bigint',
  },
  (rows) => `insert into update_event
    (agent_id, at, subject, kind, version, from_version, message, by_name, rollout_id, since) select * from ${rows}`,
)
const trimEvents = many<Of>(
  'report_trim_events',
  { agent_id: 'text' },
  (rows) => `delete from update_event e using ${rows} where e.agent_id = r.agent_id and e.seq <
    (select seq from update_event k where k.agent_id = r.agent_id order by seq desc limit 1
    offset ${updateEventsMost - 1})`,
)
/** The columns of a report in the table, and what they are of. */
const reportColumns = {
  received_at: 'receivedAt',
  level: 'level',
  label: 'label',
  detail: 'detail',
  version: 'version',
  doing: 'doing',
  controls: 'controls',
  interval_s: 'interval',
  boot: 'boot',
  seq: 'seq',
  reporters: 'reporters',
  runs_kept: 'runsKept',
  status_at: 'statusAt',
  warnings: 'warnings',
  stopped: 'stopped',
  usage: 'usage',
  body: 'body',
} as const satisfies Record<string, keyof ReportWrite>
const reportTypes: Columns<Of & ReportWrite> = {
  agent_id: 'text',
  receivedAt: 'bigint',
  level: 'text',
  label: 'text',
  detail: 'text',
  version: 'text',
  doing: 'text',
  controls: 'text',
  interval: 'bigint',
  boot: 'text',
  seq: 'bigint',
  reporters: 'text',
  runsKept: 'bigint',
  statusAt: 'bigint',
  warnings: 'text',
  stopped: 'text',
  usage: 'text',
  body: 'text',
}
const insertReports = many<Of & ReportWrite>(
  'report_insert_reports',
  reportTypes,
  (rows) => `insert into agent_report (agent_id, ${Object.keys(reportColumns).join(', ')}) select * from ${rows}`,
)
const updateReports = many<Of & ReportWrite>(
  'report_update_reports',
  reportTypes,
  (rows) =>
    `update agent_report set ${Object.entries(reportColumns)
      .map(([column, of]) => `${column} = r."${of}"`)
      .join(', ')} from ${rows} where agent_report.agent_id = r.agent_id`,
)
