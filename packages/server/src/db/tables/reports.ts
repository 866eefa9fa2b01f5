/**
 * The tables that a report reads and writes. Each is described once: its types follow, and so do the statements of the report path
 * on both engines (report-store/). A new column is a line here, a migration, and its place in report-store/written.ts.
 */
import type { RolloutKind, UpdateKind } from '@svc/api'
import type { CommandState, CommandType, Level, Stop } from '@svc/protocol'
import { arrival, described, integer, orNull, type TableOf, text } from '../described.ts'

export const agent = described('agent', {
  id: text(),
  workspace_id: text(),
  name: text(),
  /** SHA-256 of the token, hex. The token itself is never stored (5). */
  token_hash: text(),
  created_at: integer(),
  created_by: orNull(text()),
  /** The blueprint it was installed from; null for an agent that somebody connected by hand. */
  blueprint: orNull(text()),
  /** For an agent of a blueprint: what its code installed, what it last reported, and what it ran before that and keeps. */
  installed_version: orNull(text()),
  reported_version: orNull(text()),
  previous_version: orNull(text()),
  /** JSON of what is compared with the next report (reports/machine-changes.ts): pause, settings, version. Rarely rewritten. */
  facts: orNull(text()),
  /** JSON of standing wishes and holds, null while there are none, and of what its last report said of its attempts; wishes/kept.ts. */
  wishes: orNull(text()),
  attempts: orNull(text()),
  /** What `wishes` says, for queries: the versions wished, and since when the runtime's counts as a trial. */
  wished_version: orNull(text()),
  runtime_wished: orNull(text()),
  runtime_granted_at: orNull(integer()),
})

/** The last report, one row an agent. `body` is the report as kept (report-store/body.ts reads it); its runs stand in `run`. */
export const agentReport = described('agent_report', {
  agent_id: text(),
  received_at: integer(),
  /** What the fleet list shows, so that it needs no body. */
  level: orNull(text<Level>()),
  label: orNull(text()),
  detail: orNull(text()),
  version: orNull(text()),
  /** One line: what it is doing now, from `active`; null when it does nothing or does not say. */
  doing: orNull(text()),
  /** JSON array of the controls offered. */
  controls: text(),
  /** Seconds that were asked for in the answer: what silence is judged by (D20). */
  interval_s: integer(),
  /** D11: which start of the reporter, and its how-manieth report. */
  boot: orNull(text()),
  seq: orNull(integer()),
  /** D8: marks of host and boot of the last ten reports, read by `twoReporters` of reports/reporters.ts. */
  reporters: text(),
  runs_kept: integer(),
  body: text(),
  /** Sums of days that wait here (report-store/pending.ts), JSON. */
  usage: orNull(text()),
  /** D65: when the agent wrote its status file, Unix seconds as reported. Null: not said. */
  status_at: orNull(integer()),
  /** What the runtime warns of and the list shows, by a word each (reports/columns.ts); null: nothing. */
  warnings: orNull(text()),
  /** D66: who ended the reporter, when this is the last report of an orderly stop. */
  stopped: orNull(text<Stop>()),
})

/** 2.2. `place` is the key by which the newest 2000 are kept (D10), in milliseconds. */
export const run = described('run', {
  /** Ties of `place` are broken by it. */
  seq: arrival(),
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
  /** The log it names, which may be asked for (2.7). */
  log: orNull(text()),
  /** The run as reported, JSON. */
  body: text(),
})

/** Sums that survive the trimming of runs. Model '' holds the day's totals; a model's row holds its share of the cost. */
export const usageDay = described('usage_day', {
  agent_id: text(),
  /** Days since 1970 (UTC) of the run's place. */
  day: integer(),
  model: text(),
  runs: integer(),
  cost_micro: integer(),
  output_tokens: integer(),
})

export const levelChange = described('level_change', {
  seq: arrival(),
  agent_id: text(),
  at: integer(),
  level: text<Level>(),
  label: orNull(text()),
})

/** 3.2. */
export const command = described('command', {
  id: text(),
  agent_id: text(),
  type: text<CommandType>(),
  payload: text(),
  state: text<CommandState>(),
  created_at: integer(),
  /** The person, by id and by the name at that time; null for the operator's command line. */
  created_by: orNull(text()),
  created_by_name: text(),
  delivered_at: orNull(integer()),
  /** When the service gave up on it (failed, expired). */
  failed_at: orNull(integer()),
  /** When the agent's answer came. */
  answered_at: orNull(integer()),
  /** The agent's words, or the service's reason. */
  message: orNull(text()),
  /** When to look at it again (D2): null once nothing can time out. */
  due_at: orNull(integer()),
})

/** What changed on a machine and not by a wish from here. `before` and `after` are JSON. */
export const machineChange = described('machine_change', {
  seq: arrival(),
  agent_id: text(),
  at: integer(),
  kind: text<'pause' | 'setting' | 'version'>(),
  key: orNull(text()),
  before: text(),
  after: text(),
})

/** The timeline of an agent's updates; the newest ones are kept. */
export const updateEvent = described('update_event', {
  seq: arrival(),
  agent_id: text(),
  at: integer(),
  subject: text<RolloutKind>(),
  kind: text<UpdateKind>(),
  version: orNull(text()),
  from_version: orNull(text()),
  message: orNull(text()),
  by_name: orNull(text()),
  rollout_id: orNull(text()),
  /** For an outcome: when its attempt may have begun. */
  since: orNull(integer()),
})

export type AgentTable = TableOf<typeof agent>
export type AgentReportTable = TableOf<typeof agentReport>
export type RunTable = TableOf<typeof run>
export type UsageDayTable = TableOf<typeof usageDay>
export type LevelChangeTable = TableOf<typeof levelChange>
export type CommandTable = TableOf<typeof command>
export type MachineChangeTable = TableOf<typeof machineChange>
export type UpdateEventTable = TableOf<typeof updateEvent>
