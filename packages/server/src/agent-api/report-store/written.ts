/**
 * The rows that a report writes, table by table. Each function returns the values of a row in order, and the statement
 * takes its columns from that function (`tableColumnsOf`), so that the two cannot differ. The columns that find or own
 * a row (agent_id, id, seq) are left out.
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
export const newRunCells = (r: StoredValues<RunWrite>): StoredValue[] => [
  r.id,
  r.place,
  r.first_seen,
  ...changedRunCells(r),
]

type UsageRow = Omit<RowOf<typeof usageDay>, 'agent_id'>
export const usageCells = (r: StoredValues<UsageRow>): StoredValue[] => [
  r.day,
  r.model,
  r.runs,
  r.cost_micro,
  r.output_tokens,
]
export const usageRow = ({ day, model, runs, costMicro, outputTokens }: UsageDelta): UsageRow => ({
  day,
  model,
  runs,
  cost_micro: costMicro,
  output_tokens: outputTokens,
})

export const changedCommandCells = (c: StoredValues<Omit<CommandChange, 'id'>>): StoredValue[] => [
  c.state,
  c.delivered_at,
  c.failed_at,
  c.answered_at,
  c.message,
  c.due_at,
]

/** The values of the agent's own row, which most reports leave unchanged. */
export const agentFactsCells = (a: StoredValues<StoredFacts>): StoredValue[] => [
  a.facts,
  a.reported_version,
  a.previous_version,
]
export const firstReportCells = (a: StoredValues<FirstReportTime>): StoredValue[] => [a.first_report_at]
export const agentWishesCells = (a: StoredValues<AgentWishes>): StoredValue[] => [
  a.wishes,
  a.wished_version,
  a.runtime_wished,
  a.runtime_granted_at,
  a.attempts,
]

type Lines = typeof levelChange | typeof agentOffline | typeof machineChange | typeof updateEvent
type Line<D extends Lines> = Omit<RowOf<D>, 'agent_id' | 'seq'>
export const levelChangeCells = (l: StoredValues<Line<typeof levelChange>>): StoredValue[] => [
  l.at,
  l.level,
  l.label,
  l.paused,
]
export const offlineCells = (o: StoredValues<Line<typeof agentOffline>>): StoredValue[] => [
  o.from_at,
  o.until_at,
  o.stopped,
]
export const machineChangeCells = (m: StoredValues<Line<typeof machineChange>>): StoredValue[] => [
  m.at,
  m.kind,
  m.key,
  m.before,
  m.after,
]
export const updateEventCells = (e: StoredValues<Line<typeof updateEvent>>): StoredValue[] => [
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

/** The number of newest changes made on the machine that are kept for each agent. */
export const maxMachineChanges = 500
