/** A batch of reports on SQLite: one transaction, with a handful of prepared statements for each report. */
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MonotonicAge } from '../../../fleet/commands/deliveries.ts'
import type { UsageDelta } from '../../../fleet/reports/stored.ts'
import { assignUsageRows, type UsageRows } from '../../../fleet/reports/usage-names.ts'
import type { Store } from '../../../platform/db/open.ts'
import { dayNumber } from '../../../platform/limits/units.ts'
import { eventRow } from '../../../updates/wishes/events.ts'
import {
  CommitUnknown,
  type DecideReport,
  type ReportDecision,
  type ReportStore,
  type ReportWrites,
  type Submission,
} from '../rows.ts'
import { servedReleaseOf } from '../served.ts'
import {
  agentFactsCells,
  agentWishesCells,
  changedCommandCells,
  changedRunCells,
  firstReportCells,
  levelChangeCells,
  machineChangeCells,
  newRunCells,
  offlineCells,
  reportCells,
  updateEventCells,
  usageCells,
  usageRow,
} from '../written.ts'
import { agentsWithCommands, type BatchFacts, type LoadedAgent, loadAgent } from './load.ts'
import { prepareStatements, type Statements } from './statements.ts'

/**
 * Opens the report store on the only connection to the database file. Kysely uses the same connection, so each batch
 * takes it from Kysely and never runs inside somebody else's open transaction.
 */
export function sqliteReportStore(store: SqliteStore, decide: DecideReport): ReportStore {
  let statements: Statements | undefined
  return async (batch, now, age) => {
    const decisions = await store.db.connection().execute(async () => {
      statements ??= prepareStatements(store.sqlite)
      return commit({ db: store.sqlite, s: statements, decide, lock: store.lock }, batch, now, age)
    })
    try {
      await store.log.sync(sizeOf(batch))
    } catch (error) {
      throw new CommitUnknown(error)
    }
    return decisions
  }
}

/** The approximate number of bytes that a batch writes; infinite if the JSON of a report was not kept. */
const sizeOf = (batch: readonly Submission[]): number =>
  batch.reduce((sum, { json }) => sum + (json?.length ?? Number.POSITIVE_INFINITY), 0)

type SqliteStore = Extract<Store, { engine: 'sqlite' }>

interface BatchContext {
  db: DatabaseSync
  s: Statements
  decide: DecideReport
  lock: SqliteStore['lock']
}

/**
 * Commits a batch. Usually everything between `begin` and `commit` happens in one turn of the event loop. If a report
 * has thousands of runs it takes several turns, in which other writers wait for the connection.
 */
async function commit(
  open: BatchContext,
  batch: readonly Submission[],
  now: number,
  age: MonotonicAge,
): Promise<ReportDecision[]> {
  const { db, s, decide, lock } = open
  try {
    s.begin.run()
  } catch (error) {
    await lock.again(error, () => s.begin.run())
  }
  lock.free()
  const decisions: ReportDecision[] = []
  try {
    const batchFacts: BatchFacts = {
      served: servedReleaseOf(s.served.get()),
      activated: new Map(),
      withCommands: agentsWithCommands(s, batch.length),
    }
    for (const submission of batch) {
      const loaded = loadAgent(s, submission, batchFacts)
      const decision = decide(loaded?.rows, submission, now, age)
      decisions.push(decision)
      if (!decision.ok || !loaded) continue
      if (!needsTurns(decision.write)) write(s, loaded, decision.write, now)
      else for (const _ of writeInTurns(s, loaded, decision.write, now)) await nextTurn()
    }
  } catch (error) {
    if (db.isTransaction) s.rollback.run()
    throw error
  }
  try {
    s.commit.run()
  } catch (error) {
    if (db.isTransaction) s.rollback.run()
    throw new CommitUnknown(error)
  }
  return decisions
}

/** The number of runs that are written in one turn of the event loop. Writing them takes about 8 ms. */
const runsPerTurn = 1000

/** Writes what one report changes, in one turn of the event loop. */
function write(s: Statements, loaded: LoadedAgent, w: ReportWrites, now: number): void {
  writeRuns(s, loaded, w)
  writeRest(s, loaded, w, now)
}

/** True if a report changes too many runs to write them in one turn of the event loop. */
const needsTurns = (w: ReportWrites): boolean => w.newRuns.length + w.changedRuns.length > runsPerTurn

/** Does the same as `write`, but yields after every `runsPerTurn` runs, so that the caller can wait for a new turn. */
function* writeInTurns(s: Statements, loaded: LoadedAgent, w: ReportWrites, now: number): Generator<undefined> {
  const { trimmed, newRuns, changedRuns } = w
  writeRuns(s, loaded, { trimmed, newRuns: [], changedRuns: [] })
  for (let from = 0; from < newRuns.length; from += runsPerTurn) {
    writeRuns(s, loaded, { trimmed: [], newRuns: newRuns.slice(from, from + runsPerTurn), changedRuns: [] })
    yield
  }
  for (let from = 0; from < changedRuns.length; from += runsPerTurn) {
    writeRuns(s, loaded, { trimmed: [], newRuns: [], changedRuns: changedRuns.slice(from, from + runsPerTurn) })
    yield
  }
  writeRest(s, loaded, w, now)
}

type RunWrites = Pick<ReportWrites, 'trimmed' | 'newRuns' | 'changedRuns'>

function writeRuns(s: Statements, { agentId }: LoadedAgent, { trimmed, newRuns, changedRuns }: RunWrites): void {
  for (const seq of trimmed) s.trimRun.run(seq)
  for (const run of newRuns) s.insertRun.run(agentId, ...newRunCells(run))
  for (const run of changedRuns) s.updateRun.run(...changedRunCells(run), run.seq)
}

/** Writes everything but the runs of a report. */
function writeRest(s: Statements, { agentId, reportRow }: LoadedAgent, w: ReportWrites, now: number): void {
  if (w.usage.length > 0) addUsage(s, agentId, w.usage, now)
  if (w.levelChange) s.insertLevelChange.run(agentId, ...levelChangeCells(w.levelChange))
  if (w.offline) s.insertOffline.run(agentId, ...offlineCells(w.offline))
  if (w.firstReport) s.noteFirstReport.run(...firstReportCells(w.firstReport), agentId)
  for (const command of w.commands) s.changeCommand.run(...changedCommandCells(command), command.id)
  for (const change of w.machineChanges) s.insertMachineChange.run(agentId, ...machineChangeCells(change))
  if (w.machineChanges.length > 0) s.trimMachineChanges(agentId)
  if (w.agent) s.changeFacts.run(...agentFactsCells(w.agent), agentId)
  if (w.wishes) s.changeWishes.run(...agentWishesCells(w.wishes), agentId)
  for (const note of w.updateEvents) s.insertUpdateEvent.run(agentId, ...updateEventCells(eventRow(note)))
  if (w.updateEvents.length > 0) s.trimUpdateEvents(agentId)
  if (!w.report) return
  if (reportRow === null) s.insertReport.run(agentId, ...reportCells(w.report))
  else s.updateReport.run(...reportCells(w.report), reportRow)
}

function addUsage(s: Statements, agentId: string, sums: readonly UsageDelta[], now: number): void {
  const rows: UsageRows = {
    has: (day, model) => s.usageNamed.get(agentId, day, model) !== undefined,
    of: (day) => {
      const [names, others] = s.usageOfDay.get(agentId, day) ?? [0, 0]
      return { names, others: others > 0 }
    },
  }
  for (const sum of assignUsageRows(sums, rows, dayNumber(now))) s.addUsage.run(agentId, ...usageCells(usageRow(sum)))
}
