/** The statements of a batch on SQLite, prepared once. The columns come from the lists in written.ts and reading.ts. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { maxUsage } from '../../../fleet/reports/pending.ts'
import { otherModels } from '../../../fleet/reports/usage-names.ts'
import { declaredVersionJoin } from '../../../fleet/versions/declared.ts'
import {
  columnReader,
  type DescribedTable,
  integer,
  orNull,
  type ReadRow,
  tableColumnsOf,
} from '../../../platform/db/tables/described.ts'
import * as tables from '../../../platform/db/tables/reports.ts'
import { maxUpdateEvents } from '../../../updates/wishes/events.ts'
import { agentColumns, agentReader, commandReader, lowestRunReader, runReader } from '../reading.ts'
import { type ServedRow, servedReleaseSql } from '../served.ts'
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
} from '../written.ts'

/**
 * An agent's columns, with the row numbers of the agent and of its last report, by which both are found faster the next
 * time.
 */
export const numberedAgentReader = columnReader(
  { ...agentColumns, report_row: orNull(integer()), agent_row: integer() },
  [...agentReader.names, 'report_row', 'agent_row'],
)
const rowNumbers: Readonly<Record<string, string>> = { report_row: 'r.rowid', agent_row: 'a.rowid' }

export type NumberedAgent = ReadRow<typeof numberedAgentReader>
export type ReadRunRow = ReadRow<typeof runReader>

/** A prepared statement that returns rows as arrays. Objects with the names of the columns would cost a third more. */
interface ReadStatement<Row> {
  get(...values: SQLInputValue[]): Row | undefined
  all(...values: SQLInputValue[]): Row[]
}
function inArrays<Row extends readonly unknown[]>(statement: StatementSync): ReadStatement<Row> {
  statement.setReturnArrays(true)
  return statement as unknown as ReadStatement<Row>
}

/** The parameter that stands for a column's value in a statement. A body may be UTF-8 bytes, hence the cast. */
const parameterOf = (column: string) => (column === 'body' ? 'cast(? as text)' : '?')
const set = (columns: readonly string[]) => columns.map((column) => `${column} = ${parameterOf(column)}`).join(', ')
/** The text of a statement that inserts a row. Its values are the agent's id and then the columns. */
const insertOf = ({ name }: DescribedTable, columns: readonly string[]) =>
  `insert into ${name} (agent_id, ${columns.join(', ')}) values (?, ${columns.map(parameterOf).join(', ')})`
/**
 * The text of a statement that updates a row. Its values are the columns and then the value by which the row is found.
 */
const updateOf = ({ name }: DescribedTable, columns: readonly string[], by: string) =>
  `update ${name} set ${set(columns)} where ${by} = ?`
/**
 * The text of a statement that deletes an agent's oldest rows in a table. Its values are the agent's id twice, then the
 * number of rows to keep, minus one.
 */
const trimOf = ({ name }: DescribedTable) => `delete from ${name} where agent_id = ?
  and seq < (select seq from ${name} where agent_id = ? order by seq desc limit 1 offset ?)`

export type Statements = ReturnType<typeof prepareStatements>

export const prepareStatements = (db: DatabaseSync) => ({
  ...prepareReading(db),
  ...prepareWriting(db),
  begin: db.prepare('begin immediate'),
  commit: db.prepare('commit'),
  rollback: db.prepare('rollback'),
})

/**
 * Prepares the statements that read. They contain `limit ? + 0`, because SQLite prepares a bare `limit ?` again for
 * every value.
 */
function prepareReading(db: DatabaseSync) {
  const agentColumns = numberedAgentReader.names.map((name) => rowNumbers[name] ?? name).join(', ')
  const runColumns = runReader.names.join(', ')
  const commandColumns = commandReader.names.join(', ')
  return {
    agent: inArrays<NumberedAgent>(
      db.prepare(`select ${agentColumns} from agent a left join agent_report r on r.agent_id = a.id where a.id = ?`),
    ),
    agentAt: inArrays<NumberedAgent>(
      db.prepare(`select ${agentColumns} from agent a join agent_report r on r.rowid = ?2 and r.agent_id = a.id
      where a.rowid = ?1 and a.id = ?3`),
    ),
    agentsWithCommands: inArrays<[agentId: string]>(
      db.prepare('select agent_id from command where due_at is not null limit ? + 0'),
    ),
    activated: db.prepare(`select 1 from workspace_product where workspace_id = ? and product_id = 'svc'`),
    run: inArrays<ReadRunRow>(db.prepare(`select ${runColumns} from run where agent_id = ? and id = ?`)),
    runAt: inArrays<ReadRunRow>(db.prepare(`select ${runColumns} from run where seq = ? and agent_id = ? and id = ?`)),
    lowest: inArrays<ReadRow<typeof lowestRunReader>>(
      db.prepare(
        `select ${lowestRunReader.names.join(', ')} from run where agent_id = ? order by place, seq limit ? + 0`,
      ),
    ),
    logNames: inArrays<[log: string]>(
      db.prepare('select distinct log from run where agent_id = ? and log is not null'),
    ),
    manifest: inArrays<[manifest: string]>(
      db.prepare(`select v.manifest from agent a ${declaredVersionJoin} where a.id = ?`),
    ),
    openCommands: inArrays<ReadRow<typeof commandReader>>(
      db.prepare(
        `select ${commandColumns} from command where agent_id = ? and due_at is not null order by created_at, id`,
      ),
    ),
    command: inArrays<ReadRow<typeof commandReader>>(
      db.prepare(`select ${commandColumns} from command where id = ? and agent_id = ?`),
    ),
    served: inArrays<ServedRow>(db.prepare(servedReleaseSql)),
    usageNamed: db.prepare('select 1 from usage_day where agent_id = ? and day = ? and model = ?'),
    usageOfDay: inArrays<[names: number, others: number]>(
      db.prepare(`select count(*) filter (where model not in ('', '${otherModels}')),
      count(*) filter (where model = '${otherModels}') from usage_day where agent_id = ? and day = ?`),
    ),
  }
}

function prepareWriting(db: DatabaseSync) {
  const { agent, agentOffline, agentReport, command, levelChange, machineChange, run, updateEvent, usageDay } = tables
  const insert = (table: DescribedTable, columns: readonly string[]) => db.prepare(insertOf(table, columns))
  const update = (table: DescribedTable, columns: readonly string[], by: string) =>
    db.prepare(updateOf(table, columns, by))
  return {
    insertReport: insert(agentReport, tableColumnsOf(agentReport, reportCells)),
    updateReport: update(agentReport, tableColumnsOf(agentReport, reportCells), 'rowid'),
    insertRun: insert(run, tableColumnsOf(run, newRunCells)),
    updateRun: update(run, tableColumnsOf(run, changedRunCells), 'seq'),
    trimRun: db.prepare('delete from run where seq = ?'),
    addUsage: db.prepare(`${insertOf(usageDay, tableColumnsOf(usageDay, usageCells))}
    on conflict (agent_id, day, model) do update set runs = max(0, runs + excluded.runs),
    cost_micro = min(${maxUsage}, max(0, cost_micro + excluded.cost_micro)),
    output_tokens = min(${maxUsage}, max(0, output_tokens + excluded.output_tokens))`),
    changeCommand: update(command, tableColumnsOf(command, changedCommandCells), 'id'),
    changeFacts: update(agent, tableColumnsOf(agent, agentFactsCells), 'id'),
    changeWishes: update(agent, tableColumnsOf(agent, agentWishesCells), 'id'),
    insertLevelChange: insert(levelChange, tableColumnsOf(levelChange, levelChangeCells)),
    insertOffline: insert(agentOffline, tableColumnsOf(agentOffline, offlineCells)),
    noteFirstReport: update(agent, tableColumnsOf(agent, firstReportCells), 'id'),
    insertMachineChange: insert(machineChange, tableColumnsOf(machineChange, machineChangeCells)),
    trimMachineChanges: trimming(db.prepare(trimOf(machineChange)), maxMachineChanges),
    insertUpdateEvent: insert(updateEvent, tableColumnsOf(updateEvent, updateEventCells)),
    trimUpdateEvents: trimming(db.prepare(trimOf(updateEvent)), maxUpdateEvents),
  }
}

/** Makes a function that deletes an agent's oldest rows in a table, so that `kept` rows remain. */
const trimming = (statement: StatementSync, kept: number) => (agentId: string) =>
  statement.run(agentId, agentId, kept - 1)
