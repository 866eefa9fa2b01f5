/**
 * The tables that a report reads and writes. Each table is described once; its types and the statements of the code
 * that stores reports (report-store/) are made from the description. A new column needs a line here, a migration, and a
 * line in agent-api/report-store/written.ts.
 */
import type { RolloutKind, UpdateKind } from '@svc/api'
import type { CommandState, CommandType, Level, StoppedBy } from '@svc/protocol'
import { autoIncrement, describedTable, integer, orNull, type TableOf, text } from './described.ts'

export const agent = describedTable('agent', {
  id: text(),
  workspace_id: text(),
  name: text(),
  /** SHA-256 of the agent's token, in hex. The token itself is never stored (5). */
  token_hash: text(),
  created_at: integer(),
  created_by: orNull(text()),
  /** The blueprint from which the agent was installed; null for an agent that was connected by hand. */
  blueprint: orNull(text()),
  /**
   * Only for an agent of a blueprint: the version that its install code installed, the version that it last reported,
   * and the previous version that its machine keeps.
   */
  installed_version: orNull(text()),
  reported_version: orNull(text()),
  previous_version: orNull(text()),
  /**
   * The facts of the agent's last report that are compared with the next one, as JSON: pause, settings and version
   * (agent-api/reports/machine-changes.ts).
   */
  facts: orNull(text()),
  /**
   * `wishes` has the pending wishes and the holds as JSON, and is null if there are none. `attempts` has the update
   * attempts that the last report named (updates/wishes/kept.ts).
   */
  wishes: orNull(text()),
  attempts: orNull(text()),
  /**
   * Columns that repeat parts of `wishes` for queries: the wished versions of the agent and of its runtime, and the
   * time from which the runtime's wish counts as a trial.
   */
  wished_version: orNull(text()),
  runtime_wished: orNull(text()),
  runtime_granted_at: orNull(integer()),
  /**
   * When the first report arrived; null before that. If a node of an earlier version received that report, the sweeper
   * fills the column.
   */
  first_report_at: orNull(integer()),
  /** No longer used. `signs` of `agent_report` replaces it. */
  signs: orNull(text()),
})

/**
 * The last report, one row per agent. `body` is the report as kept (fleet/reports/body.ts reads it); its runs
 * are in `run`.
 */
export const agentReport = describedTable('agent_report', {
  agent_id: text(),
  received_at: integer(),
  /** The columns of the report that the fleet list shows, so that the list needs no body. */
  level: orNull(text<Level>()),
  label: orNull(text()),
  detail: orNull(text()),
  version: orNull(text()),
  /**
   * One line about what the agent is doing, made from the reported field `active`; null if nothing is active or
   * reported.
   */
  doing: orNull(text()),
  /** The controls that the agent offers in its last report, as a JSON array. */
  controls: text(),
  /**
   * The interval in seconds that the answer to the last report asked for. This interval decides when the agent counts
   * as offline (D20).
   */
  interval_s: integer(),
  /**
   * The random id of the reporter's present start (its boot id), and the number of its last report since that start
   * (D11).
   */
  boot: orNull(text()),
  seq: orNull(integer()),
  /**
   * The marks of the senders of the last ten reports (D8), by which fleet/reports/reporters.ts notices two reporters
   * with one token.
   */
  reporters: text(),
  runs_kept: integer(),
  body: text(),
  /**
   * The daily sums of the agent's runs that are not in `usage_day` yet, as JSON (fleet/reports/pending.ts).
   */
  usage: orNull(text()),
  /** When the agent wrote its status file, in Unix seconds as reported (D65); null if not reported. */
  status_at: orNull(integer()),
  /**
   * The warnings that the list shows, as words with spaces between them (fleet/reports/columns.ts); null without any.
   */
  warnings: orNull(text()),
  /** Who stopped the reporter, if its last report was sent at a clean stop (D66); null otherwise. */
  stopped: orNull(text<StoppedBy>()),
  /**
   * The facts about the report that alerts need (fleet/reports/signs.ts), so that alerts need no body. Null means that
   * an earlier version of the service stored the report, so its body has to be read.
   */
  signs: orNull(text()),
  /**
   * The name of the agent's machine; '' if the report has none. Null means that an earlier version of the service
   * stored the report, so its body has to be read.
   */
  host: orNull(text()),
})

/** The tags that admins gave to agents. */
export interface AgentTagTable {
  agent_id: string
  tag: string
}

/**
 * Runs (2.2). `place` orders the runs of an agent by time, in milliseconds; the 2000 runs with the highest `place` are
 * kept (D10).
 */
export const run = describedTable('run', {
  /** The run's number in order of arrival, which orders runs of an agent that have an equal `place`. */
  seq: autoIncrement(),
  agent_id: text(),
  id: text(),
  place: integer(),
  first_seen: integer(),
  started: orNull(integer()),
  ended: orNull(integer()),
  status: orNull(text()),
  kind: orNull(text()),
  cost_micro: orNull(integer()),
  output_tokens: orNull(integer()),
  /** The name of the run's log, which may be requested (2.7). */
  log: orNull(text()),
  /** The run as reported, as JSON. */
  body: text(),
})

/**
 * The sums of an agent's runs of one day. They stay when the runs themselves are deleted. The row with model '' has the
 * totals of the day, and the row of a model has its runs and cost.
 */
export const usageDay = describedTable('usage_day', {
  agent_id: text(),
  /** The day of the summed runs, in days since 1970 (UTC). A run belongs to the day of its `place`. */
  day: integer(),
  model: text(),
  runs: integer(),
  cost_micro: integer(),
  output_tokens: integer(),
})

/** A row for each report whose level or pause differs from the report before. */
export const levelChange = describedTable('level_change', {
  seq: autoIncrement(),
  agent_id: text(),
  at: integer(),
  level: text<Level>(),
  label: orNull(text()),
  /** 1 if the agent was paused, otherwise 0; null in rows of earlier versions. */
  paused: orNull(integer()),
})

/**
 * The times for which an agent counted as offline, each ended by a report. `stopped` says who had stopped the agent
 * (D66).
 */
export const agentOffline = describedTable('agent_offline', {
  seq: autoIncrement(),
  agent_id: text(),
  from_at: integer(),
  until_at: integer(),
  stopped: orNull(text<StoppedBy>()),
})

/** Commands (3.2). */
export const command = describedTable('command', {
  id: text(),
  agent_id: text(),
  type: text<CommandType>(),
  payload: text(),
  state: text<CommandState>(),
  created_at: integer(),
  /**
   * The person who sent the command, by id and by the name at that time; the id is null if the operator's command line
   * sent it.
   */
  created_by: orNull(text()),
  created_by_name: text(),
  delivered_at: orNull(integer()),
  /** When the service gave up on the command (failed, expired). */
  failed_at: orNull(integer()),
  /** When the agent's answer to the command (its ack) arrived. */
  answered_at: orNull(integer()),
  /** The agent's words about the result of the command, or the service's reason for giving up. */
  message: orNull(text()),
  /** When the service checks whether the command has timed out (D2); null once the command has ended. */
  due_at: orNull(integer()),
})

/** Changes on an agent's machine that no command caused. `before` and `after` are JSON. */
export const machineChange = describedTable('machine_change', {
  seq: autoIncrement(),
  agent_id: text(),
  at: integer(),
  kind: text<'pause' | 'setting' | 'version'>(),
  key: orNull(text()),
  before: text(),
  after: text(),
})

/** The timeline of an agent's updates; only the newest entries are kept. */
export const updateEvent = describedTable('update_event', {
  seq: autoIncrement(),
  agent_id: text(),
  at: integer(),
  subject: text<RolloutKind>(),
  kind: text<UpdateKind>(),
  version: orNull(text()),
  from_version: orNull(text()),
  message: orNull(text()),
  by_name: orNull(text()),
  rollout_id: orNull(text()),
  /**
   * The earliest time at which the update attempt may have started; null if the entry is not about the outcome of one.
   */
  since: orNull(integer()),
})

export type AgentTable = TableOf<typeof agent>
export type AgentReportTable = TableOf<typeof agentReport>
export type RunTable = TableOf<typeof run>
export type UsageDayTable = TableOf<typeof usageDay>
export type LevelChangeTable = TableOf<typeof levelChange>
export type AgentOfflineTable = TableOf<typeof agentOffline>
export type CommandTable = TableOf<typeof command>
export type MachineChangeTable = TableOf<typeof machineChange>
export type UpdateEventTable = TableOf<typeof updateEvent>
