/** The columns that are read before the report of an agent is judged, and functions that make objects from the rows. */

import type { StoredCommand } from '../../fleet/commands/row.ts'
import { columnReader, leftJoined, type ReadRow } from '../../platform/db/tables/described.ts'
import { agent, agentReport, command, run } from '../../platform/db/tables/reports.ts'
import type { AgentRows, KeptRun } from './rows.ts'

/** A row that starts with the columns of a list. An engine may add further columns at its end. */
type RowStart<R> = readonly [...Extract<ReadRow<R>, readonly unknown[]>, ...unknown[]]

/** The columns of an agent and of its last report. Those of the report are null if the agent has not reported. */
export const agentColumns = { ...agent.columns, ...leftJoined(agentReport.columns) }
/** The columns of an agent and its last report that the row of each engine starts with, in this order. */
export const agentReader = columnReader(agentColumns, [
  'workspace_id',
  'token_hash',
  'facts',
  'blueprint',
  'installed_version',
  'reported_version',
  'previous_version',
  'wishes',
  'attempts',
  'received_at',
  'interval_s',
  'stopped',
  'level',
  'boot',
  'seq',
  'reporters',
  'runs_kept',
  'usage',
])
const agentIndex = agentReader.at

type OtherAgentRows = Pick<AgentRows, 'activated' | 'served' | 'runs' | 'lowest' | 'commands' | 'logs'>

/** Returns the facts that decide about a report, from the row of its agent and from `more`, rows of other tables. */
export const agentRows = (
  row: RowStart<typeof agentReader>,
  last: AgentRows['last'],
  more: OtherAgentRows,
): AgentRows => ({
  workspaceId: row[agentIndex.workspace_id],
  tokenHash: row[agentIndex.token_hash],
  activated: more.activated,
  last,
  facts: row[agentIndex.facts],
  versions: {
    blueprint: row[agentIndex.blueprint],
    installed: row[agentIndex.installed_version],
    reported: row[agentIndex.reported_version],
    previous: row[agentIndex.previous_version],
  },
  wishes: row[agentIndex.wishes],
  attempts: row[agentIndex.attempts],
  served: more.served,
  usage: row[agentIndex.usage],
  runs: more.runs,
  lowest: more.lowest,
  commands: more.commands,
  logs: more.logs,
})

/** The last report; undefined before the first one. */
export function lastReport(row: RowStart<typeof agentReader>): AgentRows['last'] {
  const runs_kept = row[agentIndex.runs_kept]
  if (runs_kept === null) return undefined
  return {
    received_at: row[agentIndex.received_at] ?? 0,
    interval_s: row[agentIndex.interval_s] ?? 0,
    stopped: row[agentIndex.stopped],
    level: row[agentIndex.level],
    boot: row[agentIndex.boot],
    seq: row[agentIndex.seq],
    reporters: row[agentIndex.reporters] ?? '',
    runs_kept,
  }
}

/** The columns that are read of the runs that a report names. */
export const runReader = columnReader(run.columns, ['seq', 'place', 'body', 'cost_micro', 'output_tokens'])
const runIndex = runReader.at

export const keptRun = (row: RowStart<typeof runReader>): KeptRun => ({
  seq: row[runIndex.seq],
  place: row[runIndex.place],
  body: row[runIndex.body],
  cost_micro: row[runIndex.cost_micro],
  output_tokens: row[runIndex.output_tokens],
})

/** The columns that are read of an agent's lowest-ranked runs. */
export const lowestRunReader = columnReader(run.columns, ['seq', 'place'])

/** The columns that are read of an agent's commands. */
export const commandReader = columnReader(command.columns, [
  'id',
  'type',
  'payload',
  'state',
  'created_at',
  'delivered_at',
  'failed_at',
  'answered_at',
  'message',
  'due_at',
])
const commandIndex = commandReader.at

export const storedCommand = (row: RowStart<typeof commandReader>): StoredCommand => ({
  id: row[commandIndex.id],
  type: row[commandIndex.type],
  payload: row[commandIndex.payload],
  state: row[commandIndex.state],
  created_at: row[commandIndex.created_at],
  delivered_at: row[commandIndex.delivered_at],
  failed_at: row[commandIndex.failed_at],
  answered_at: row[commandIndex.answered_at],
  message: row[commandIndex.message],
  due_at: row[commandIndex.due_at],
})
