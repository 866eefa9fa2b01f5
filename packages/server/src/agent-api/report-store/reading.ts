/**
 * The columns of an agent that are read before its report is judged, in their order, and the functions that make
 * objects from the rows.
 */

import type { StoredCommand } from '../../fleet/commands/row.ts'
import { columnReader, leftJoined, type ReadRow } from '../../platform/db/tables/described.ts'
import { agent, agentReport, command, run } from '../../platform/db/tables/reports.ts'
import type { AgentRows, KeptRun } from './rows.ts'

/** A row that starts with the columns of a list and may have further ones, which one of the engines adds. */
type RowStart<R> = readonly [...Extract<ReadRow<R>, readonly unknown[]>, ...unknown[]]

/** The columns of the agent's row and of its last report. The latter are null if it has not reported. */
export const agentColumns = { ...agent.columns, ...leftJoined(agentReport.columns) }
export const agentRead = columnReader(agentColumns, [
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
const ofAgent = agentRead.at

type OtherAgentRows = Pick<AgentRows, 'activated' | 'served' | 'runs' | 'lowest' | 'commands' | 'logs'>

export const agentRows = (
  row: RowStart<typeof agentRead>,
  last: AgentRows['last'],
  more: OtherAgentRows,
): AgentRows => ({
  workspaceId: row[ofAgent.workspace_id],
  tokenHash: row[ofAgent.token_hash],
  activated: more.activated,
  last,
  facts: row[ofAgent.facts],
  versions: {
    blueprint: row[ofAgent.blueprint],
    installed: row[ofAgent.installed_version],
    reported: row[ofAgent.reported_version],
    previous: row[ofAgent.previous_version],
  },
  wishes: row[ofAgent.wishes],
  attempts: row[ofAgent.attempts],
  served: more.served,
  usage: row[ofAgent.usage],
  runs: more.runs,
  lowest: more.lowest,
  commands: more.commands,
  logs: more.logs,
})

/** The last report; undefined before the first one. */
export function lastReport(row: RowStart<typeof agentRead>): AgentRows['last'] {
  const runs_kept = row[ofAgent.runs_kept]
  if (runs_kept === null) return undefined
  return {
    received_at: row[ofAgent.received_at] ?? 0,
    interval_s: row[ofAgent.interval_s] ?? 0,
    stopped: row[ofAgent.stopped],
    level: row[ofAgent.level],
    boot: row[ofAgent.boot],
    seq: row[ofAgent.seq],
    reporters: row[ofAgent.reporters] ?? '',
    runs_kept,
  }
}

export const runRead = columnReader(run.columns, ['seq', 'place', 'body', 'cost_micro', 'output_tokens'])
const ofRun = runRead.at

export const keptRun = (row: RowStart<typeof runRead>): KeptRun => ({
  seq: row[ofRun.seq],
  place: row[ofRun.place],
  body: row[ofRun.body],
  cost_micro: row[ofRun.cost_micro],
  output_tokens: row[ofRun.output_tokens],
})

export const lowestRead = columnReader(run.columns, ['seq', 'place'])

export const commandRead = columnReader(command.columns, [
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
const ofCommand = commandRead.at

export const storedCommand = (row: RowStart<typeof commandRead>): StoredCommand => ({
  id: row[ofCommand.id],
  type: row[ofCommand.type],
  payload: row[ofCommand.payload],
  state: row[ofCommand.state],
  created_at: row[ofCommand.created_at],
  delivered_at: row[ofCommand.delivered_at],
  failed_at: row[ofCommand.failed_at],
  answered_at: row[ofCommand.answered_at],
  message: row[ofCommand.message],
  due_at: row[ofCommand.due_at],
})
