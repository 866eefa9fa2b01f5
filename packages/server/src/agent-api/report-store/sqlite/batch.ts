/** A batch of reports on SQLite: one transaction, with a handful of prepared statements for each report. */
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MonotonicAge } from '../../../fleet/commands/deliveries.ts'
import type { Store } from '../../../platform/db/open.ts'
import { CommitUnknown, type Decide, type Decision, type ReportStore, type Submission } from '../rows.ts'
import { servedOf } from '../served.ts'
import { agentsWithCommands, type BatchFacts, load } from './load.ts'
import { prepare, type Statements } from './statements.ts'
import { needsTurns, write, writeInTurns } from './write.ts'

/**
 * Opens the report store on the only connection to the database file. Kysely uses the same connection, so each batch
 * takes it from Kysely and never runs inside somebody else's open transaction.
 */
export function sqliteReports(store: SqliteStore, decide: Decide): ReportStore {
  let statements: Statements | undefined
  return async (batch, now, age) => {
    const decisions = await store.db.connection().execute(async () => {
      statements ??= prepare(store.sqlite)
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

/** About how many bytes a batch writes. A report whose JSON is not kept counts as large. */
const sizeOf = (batch: readonly Submission[]): number =>
  batch.reduce((sum, { json }) => sum + (json?.length ?? Number.POSITIVE_INFINITY), 0)

type SqliteStore = Extract<Store, { engine: 'sqlite' }>

interface Open {
  db: DatabaseSync
  s: Statements
  decide: Decide
  lock: SqliteStore['lock']
}

/**
 * Commits a batch. Usually everything between `begin` and `commit` happens in one turn of the event loop. If a report
 * has thousands of runs it takes several turns, in which other writers wait for the connection.
 */
async function commit(open: Open, batch: readonly Submission[], now: number, age: MonotonicAge): Promise<Decision[]> {
  const { db, s, decide, lock } = open
  try {
    s.begin.run()
  } catch (error) {
    await lock.again(error, () => s.begin.run())
  }
  lock.free()
  const decisions: Decision[] = []
  try {
    const seen: BatchFacts = {
      served: servedOf(s.served.get()),
      activated: new Map(),
      withCommands: agentsWithCommands(s, batch.length),
    }
    for (const submission of batch) {
      const loaded = load(s, submission, seen)
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
