/**
 * The second message of a batch on PostgreSQL: it writes the decisions, table by table. The columns come from the lists
 * in written.ts.
 */

import type { CommandChange } from '../../../fleet/commands/row.ts'
import { maxUsage } from '../../../fleet/reports/pending.ts'
import type { UsageDelta } from '../../../fleet/reports/stored.ts'
import { type DescribedTable, tableColumnsOf } from '../../../platform/db/tables/described.ts'
import * as tables from '../../../platform/db/tables/reports.ts'
import { eventRow, maxUpdateEvents } from '../../../updates/wishes/events.ts'
import type { AgentRows, ReportDecision, ReportWrites, Submission } from '../rows.ts'
import {
  agentFactsCells,
  agentWishesCells,
  changedCommandCells,
  changedRunCells,
  firstReportCells,
  levelChangeCells,
  machineChangeCells,
  maxMachineChanges,
  newRunCells,
  offlineCells,
  reportCells,
  updateEventCells,
  usageCells,
  usageRow,
} from '../written.ts'
import { type ArrayCell, type ManyRowsStatement, manyRows, ownedCell } from './arrays.ts'
import type { PipelineStep } from './pipeline.ts'

/**
 * Makes the statements that write the decisions about a batch, each for the rows of all its agents. A statement that
 * would get no rows is left out.
 */
export function writeSteps(
  batch: readonly Submission[],
  decisions: readonly ReportDecision[],
  rows: ReadonlyMap<string, AgentRows>,
  usage: ReadonlyMap<string, readonly UsageDelta[]>,
): PipelineStep[] {
  // The agents are sorted in the order in which they were locked, so that two batches cannot deadlock on other rows.
  const written = batch
    .flatMap(({ agentId }, i) => {
      const decision = decisions[i]
      return decision?.ok ? [{ agentId, write: decision.write }] : []
    })
    .sort((a, b) => (a.agentId < b.agentId ? -1 : 1))
  const steps: PipelineStep[] = []
  const put = <T extends object>(
    statement: ManyRowsStatement<T>,
    pick: (w: ReportWrites, agentId: string) => readonly T[],
  ) => {
    const owners: string[] = []
    const picked: T[] = []
    for (const { agentId, write } of written) {
      for (const row of pick(write, agentId)) {
        owners.push(agentId)
        picked.push(row)
      }
    }
    if (picked.length > 0) steps.push(statement.step(picked, owners))
  }
  const one = <T>(row: T | undefined): T[] => (row ? [row] : [])
  const reportedBefore = (agentId: string) => rows.get(agentId)?.last !== undefined
  put(trimRuns, (w) => w.trimmed.map((seq) => ({ seq })))
  put(insertRuns, (w) => w.newRuns)
  put(updateRuns, (w) => w.changedRuns)
  put(addUsage, (_, id) => (usage.get(id) ?? []).map(usageRow))
  put(insertLevelChanges, (w) => one(w.levelChange))
  put(insertOffline, (w) => one(w.offline))
  put(noteFirstReports, (w) => one(w.firstReport))
  put(changeCommands, (w) => w.commands)
  put(insertMachineChanges, (w) => w.machineChanges)
  put(trimMachineChanges, (w) => w.machineChanges.slice(0, 1))
  put(changeFacts, (w) => one(w.agent))
  put(changeWishes, (w) => one(w.wishes))
  put(insertUpdateEvents, (w) => w.updateEvents.map(eventRow))
  put(trimUpdateEvents, (w) => w.updateEvents.slice(0, 1))
  put(insertReports, (w, id) => (reportedBefore(id) ? [] : one(w.report)))
  put(updateReports, (w, id) => (reportedBefore(id) ? one(w.report) : []))
  return steps
}

const { agent, agentOffline, agentReport, command, levelChange, machineChange, run, updateEvent, usageDay } = tables

const cellsOf = ({ columns }: DescribedTable, names: readonly string[]): ArrayCell[] =>
  names.map((name) => [name, columns[name]?.kind ?? 'text'])

/** Makes a statement that inserts the columns `names` and the id of the agent that owns each row. */
function insert<T extends object>(
  name: string,
  table: DescribedTable,
  names: readonly string[],
  conflict = '',
): ManyRowsStatement<T> {
  const cells = [ownedCell, ...cellsOf(table, names)]
  const columns = cells.map(([column]) => column).join(', ')
  return manyRows<T>(
    name,
    cells,
    (rows) => `insert into ${table.name} (${columns}) select ${columns} from ${rows} ${conflict}`,
  )
}

/**
 * Makes a statement that updates the columns `names` of the rows whose `column` equals the value of the cell `key`. By
 * default, the cell has the name of the column.
 */
function update<T extends object>(
  name: string,
  table: DescribedTable,
  names: readonly string[],
  { column, key = [column, table.columns[column]?.kind ?? 'text'] }: { column: string; key?: ArrayCell },
): ManyRowsStatement<T> {
  const set = names.map((column) => `${column} = r."${column}"`).join(', ')
  return manyRows<T>(
    name,
    [key, ...cellsOf(table, names)],
    (rows) => `update ${table.name} set ${set} from ${rows} where ${table.name}.${column} = r."${key[0]}"`,
  )
}

const trim = (name: string, table: DescribedTable, kept: number): ManyRowsStatement<object> =>
  manyRows(
    name,
    [ownedCell],
    (rows) => `delete from ${table.name} c using ${rows} where c.agent_id = r.agent_id and c.seq <
    (select seq from ${table.name} k where k.agent_id = r.agent_id order by seq desc limit 1 offset ${kept - 1})`,
  )

const trimRuns = manyRows<{ seq: number }>(
  'report_trim',
  [['seq', 'bigint']],
  (rows) => `delete from run using ${rows} where run.seq = r.seq`,
)
const insertRuns = insert<ReportWrites['newRuns'][number]>('report_insert_runs', run, tableColumnsOf(run, newRunCells))
const updateRuns = update<ReportWrites['changedRuns'][number]>(
  'report_update_runs',
  run,
  tableColumnsOf(run, changedRunCells),
  {
    column: 'seq',
  },
)
const addUsage = insert<ReturnType<typeof usageRow>>(
  'report_add_usage',
  usageDay,
  tableColumnsOf(usageDay, usageCells),
  `on conflict (agent_id, day, model) do update set runs = greatest(0, usage_day.runs + excluded.runs),
    cost_micro = least(${maxUsage}, greatest(0, usage_day.cost_micro + excluded.cost_micro)),
    output_tokens = least(${maxUsage}, greatest(0, usage_day.output_tokens + excluded.output_tokens))`,
)
const insertLevelChanges = insert<NonNullable<ReportWrites['levelChange']>>(
  'report_level_changes',
  levelChange,
  tableColumnsOf(levelChange, levelChangeCells),
)
const insertOffline = insert<NonNullable<ReportWrites['offline']>>(
  'report_offline',
  agentOffline,
  tableColumnsOf(agentOffline, offlineCells),
)
const noteFirstReports = update<NonNullable<ReportWrites['firstReport']>>(
  'report_first',
  agent,
  tableColumnsOf(agent, firstReportCells),
  { column: 'id', key: ownedCell },
)
const changeCommands = update<CommandChange>(
  'report_change_commands',
  command,
  tableColumnsOf(command, changedCommandCells),
  {
    column: 'id',
  },
)
const insertMachineChanges = insert<ReportWrites['machineChanges'][number]>(
  'report_machine_changes',
  machineChange,
  tableColumnsOf(machineChange, machineChangeCells),
)
const trimMachineChanges = trim('report_trim_changes', machineChange, maxMachineChanges)
const changeFacts = update<NonNullable<ReportWrites['agent']>>(
  'report_change_agents',
  agent,
  tableColumnsOf(agent, agentFactsCells),
  {
    column: 'id',
    key: ownedCell,
  },
)
const changeWishes = update<NonNullable<ReportWrites['wishes']>>(
  'report_change_wishes',
  agent,
  tableColumnsOf(agent, agentWishesCells),
  { column: 'id', key: ownedCell },
)
const insertUpdateEvents = insert<ReturnType<typeof eventRow>>(
  'report_update_events',
  updateEvent,
  tableColumnsOf(updateEvent, updateEventCells),
)
const trimUpdateEvents = trim('report_trim_events', updateEvent, maxUpdateEvents)
const reports = tableColumnsOf(agentReport, reportCells)
const insertReports = insert<NonNullable<ReportWrites['report']>>('report_insert_reports', agentReport, reports)
const updateReports = update<NonNullable<ReportWrites['report']>>('report_update_reports', agentReport, reports, {
  column: 'agent_id',
  key: ownedCell,
})
