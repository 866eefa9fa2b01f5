/** Reads what is needed to judge one report: the stored facts about its agent. */

import type { StoredCommand } from '../../../fleet/commands/row.ts'
import { declaredLogsIn } from '../../../fleet/versions/declared.ts'
import type { ServedRelease } from '../../../updates/releases/store.ts'
import { asksForLog, excessRuns } from '../needs.ts'
import { agentRows, keptRun, lastReport, lowestRunReader, runReader, storedCommand } from '../reading.ts'
import type { RowNumbers } from '../row-numbers.ts'
import type { AgentRows, KeptRun, Submission } from '../rows.ts'
import { type NumberedAgent, numberedAgentReader, type ReadRunRow, type Statements } from './statements.ts'

/** The facts shared by the reports of a batch, read once. */
export interface BatchFacts {
  served: ServedRelease | undefined
  /** Tells by a workspace's id if it is activated (5.4). A workspace is added when its first report is loaded. */
  activated: Map<string, boolean>
  /** The agents with pending commands; if undefined, `loadAgent` reads the commands of every agent. */
  withCommands: Set<string> | undefined
}

/** The stored facts about the agent of one report, and the row number of its last report; null before the first. */
export interface LoadedAgent {
  agentId: string
  rows: AgentRows
  reportRow: number | null
}

const agentIndex = numberedAgentReader.at
const runIndex = runReader.at
const lowestIndex = lowestRunReader.at

/** Reads what is needed to judge one report; undefined if its agent does not exist. */
export function loadAgent(
  s: Statements,
  { agentId, report, rowNumbers }: Submission,
  batchFacts: BatchFacts,
): LoadedAgent | undefined {
  const row = findAgent(s, agentId, rowNumbers)
  if (!row) return undefined
  const last = lastReport(row)
  const runs = new Map<string, KeptRun>()
  if (report.runs) {
    for (const [i, { id }] of report.runs.entries()) {
      const kept = findRun(s, agentId, id, i, rowNumbers)
      if (kept) runs.set(id, keptRun(kept))
    }
  }
  const tooMany = excessRuns(last, (report.runs?.length ?? 0) - runs.size)
  const hasCommands = report.acks !== undefined || (batchFacts.withCommands?.has(agentId) ?? true)
  const commands = hasCommands ? loadCommands(s, agentId, report.acks) : []
  return {
    agentId,
    reportRow: row[agentIndex.report_row],
    rows: agentRows(row, last, {
      activated: isActivated(s, batchFacts.activated, row[agentIndex.workspace_id]),
      served: batchFacts.served,
      runs,
      lowest: tooMany > 0 ? lowestRuns(s, agentId, tooMany) : [],
      commands,
      logs: asksForLog(commands) ? logNames(s, agentId) : new Set(),
    }),
  }
}

/**
 * Finds the agent by the row numbers of its rows, or else by its id: looking up a text in an index costs several times
 * more than a row number.
 */
function findAgent(s: Statements, agentId: string, rowNumbers: RowNumbers | undefined): NumberedAgent | undefined {
  if (!rowNumbers) return s.agent.get(agentId)
  const known = rowNumbers.report === 0 ? undefined : s.agentAt.get(rowNumbers.agent, rowNumbers.report, agentId)
  if (known) return known
  const row = s.agent.get(agentId)
  rowNumbers.agent = row?.[agentIndex.agent_row] ?? 0
  rowNumbers.report = row?.[agentIndex.report_row] ?? 0
  return row
}

/**
 * The maximum number of runs per report whose row numbers are kept. It suffices for a usual report, and needs little
 * memory for many agents.
 */
const runsWithNumbers = 8

function findRun(s: Statements, agentId: string, id: string, i: number, rowNumbers: RowNumbers | undefined) {
  const rowNumber = rowNumbers?.runs[i] ?? 0
  const known: ReadRunRow | undefined = rowNumber === 0 ? undefined : s.runAt.get(rowNumber, agentId, id)
  if (known) return known
  const row = s.run.get(agentId, id)
  if (rowNumbers && i < runsWithNumbers) rowNumbers.runs[i] = row?.[runIndex.seq] ?? 0
  return row
}

const lowestRuns = (s: Statements, agentId: string, count: number): AgentRows['lowest'] =>
  s.lowest.all(agentId, count).map((row) => ({ seq: row[lowestIndex.seq], place: row[lowestIndex.place] }))

/**
 * Returns the agents with pending commands; undefined if more than `max` commands are pending. Usually there are none,
 * so this one query costs less than a query for each report.
 */
export function agentsWithCommands(s: Statements, max: number): Set<string> | undefined {
  const open = s.agentsWithCommands.all(max + 1)
  return open.length > max ? undefined : new Set(open.map(([agentId]) => agentId))
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
  const [manifest] = s.manifest.get(agentId) ?? []
  const ofRuns = s.logNames.all(agentId).map(([log]) => log)
  return new Set([...ofRuns, ...(manifest === undefined ? [] : declaredLogsIn(manifest))])
}

function loadCommands(s: Statements, agentId: string, acks: readonly { id: string }[] = []): StoredCommand[] {
  const open = s.openCommands.all(agentId).map(storedCommand)
  if (acks.length === 0) return open
  const known = new Set(open.map(({ id }) => id))
  for (const { id } of acks) {
    if (known.has(id)) continue
    known.add(id)
    const closed = s.command.get(id, agentId)
    if (closed) open.push(storedCommand(closed))
  }
  return open
}
