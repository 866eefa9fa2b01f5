/**
 * The rows that a report writes, table by table. Each function returns the values of a row in order, and
 * `tableColumnsOf` takes the columns of the statement from that function, so that the two cannot differ. The statements
 * add `agent_id`, and the column by which an update finds its row.
 */

import type { CommandChange } from '../../fleet/commands/row.ts'
import type { ReportWrite, UsageDelta } from '../../fleet/reports/stored.ts'
import type { RowOf, StoredValue, StoredValues } from '../../platform/db/tables/described.ts'
import type {
  agentOffline,
  levelChange,
  machineChange,
  updateEvent,
  usageDay,
} from '../../platform/db/tables/reports.ts'
import type { AgentWishes, FirstReportTime, RunWrite, StoredFacts } from './rows.ts'

/** The values of a row in `agent_report`. */
export const reportCells = (r: StoredValues<ReportWrite>): StoredValue[] => [
  r.received_at,
  r.level,
  r.label,
  r.detail,
  r.version,
  r.doing,
  r.controls,
  r.interval_s,
  r.boot,
  r.seq,
  r.reporters,
  r.runs_kept,
  r.status_at,
  r.warnings,
  r.stopped,
  r.signs,
  r.host,
  r.body,
  r.usage,
]

/** The values of a stored run that may change. Its column `place`, the time by which it is sorted, never changes. */
export const changedRunCells = (r: StoredValues<Omit<RunWrite, 'id' | 'place' | 'first_seen'>>): StoredValue[] => [
  r.started,
  r.ended,
  r.status,
  r.kind,
  r.cost_micro,
  r.output_tokens,
  r.log,
  r.body,
]
/** The values of a new row in `run`. */
export const newRunCells = (r: StoredValues<RunWrite>): StoredValue[] => [
  r.id,
  r.place,
  r.first_seen,
  ...changedRunCells(r),
]

type UsageRow = Omit<RowOf<typeof usageDay>, 'agent_id'>
/** The values of a row in `usage_day`. */
export const usageCells = (r: StoredValues<UsageRow>): StoredValue[] => [
  r.day,
  r.model,
  r.runs,
  r.cost_micro,
  r.output_tokens,
]
/** Makes a row of `usage_day` from the sum of a day and a model. */
export const usageRow = ({ day, model, runs, costMicro, outputTokens }: UsageDelta): UsageRow => ({
  day,
  model,
  runs,
  cost_micro: costMicro,
  output_tokens: outputTokens,
})

/** The values of a command that a report changes. */
export const changedCommandCells = (c: StoredValues<Omit<CommandChange, 'id'>>): StoredValue[] => [
  c.state,
  c.delivered_at,
  c.failed_at,
  c.answered_at,
  c.message,
  c.due_at,
]

/** The facts and versions in the agent's own row, which most reports leave unchanged. */
export const agentFactsCells = (a: StoredValues<StoredFacts>): StoredValue[] => [
  a.facts,
  a.reported_version,
  a.previous_version,
]
/** The values of an agent's row that its first report sets. */
export const firstReportCells = (a: StoredValues<FirstReportTime>): StoredValue[] => [a.first_report_at]
/** The values of an agent's row about wishes, holds and attempts. */
export const agentWishesCells = (a: StoredValues<AgentWishes>): StoredValue[] => [
  a.wishes,
  a.wished_version,
  a.runtime_wished,
  a.runtime_granted_at,
  a.attempts,
]

type LineTable = typeof levelChange | typeof agentOffline | typeof machineChange | typeof updateEvent
type NewLine<D extends LineTable> = Omit<RowOf<D>, 'agent_id' | 'seq'>
/** The values of a new row in `level_change`. */
export const levelChangeCells = (l: StoredValues<NewLine<typeof levelChange>>): StoredValue[] => [
  l.at,
  l.level,
  l.label,
  l.paused,
]
/** The values of a new row in `agent_offline`. */
export const offlineCells = (o: StoredValues<NewLine<typeof agentOffline>>): StoredValue[] => [
  o.from_at,
  o.until_at,
  o.stopped,
]
/** The values of a new row in `machine_change`. */
export const machineChangeCells = (m: StoredValues<NewLine<typeof machineChange>>): StoredValue[] => [
  m.at,
  m.kind,
  m.key,
  m.before,
  m.after,
]
/** The values of a new row in `update_event`. */
export const updateEventCells = (e: StoredValues<NewLine<typeof updateEvent>>): StoredValue[] => [
  e.at,
  e.subject,
  e.kind,
  e.version,
  e.from_version,
  e.message,
  e.by_name,
  e.rollout_id,
  e.since,
]

/** The maximum number of changes made on the machine that are kept for each agent; the newest are kept. */
export const maxMachineChanges = 500
