/**
 * Runs the accounts library's writes inside the service's transactions, so that they succeed or fail together with the
 * audit entry.
 */
import { runWithAdapter } from '@better-auth/core/context'
import type { Verdict } from '@svc/protocol'
import { getAdapter } from 'better-auth/db/adapter'
import type { Transaction } from 'kysely'
import type { Store } from '../../platform/db/open.ts'
import type { Tables } from '../../platform/db/tables.ts'
import type { RunInTransaction } from '../../platform/db/transaction.ts'
import { decideInTransaction } from '../../platform/db/undo.ts'
import type { Actor, ChangeContext } from '../audit/by.ts'
import { type Auth, warmUpAuth } from './auth.ts'

/** A transaction of the service's tables. */
export type Trx = Transaction<Tables>
/** The dependencies of functions that write people, workspaces, members or invitations. */
export interface PeopleDeps {
  store: Store
  auth: Auth
  /** The settings for mails about changes; without them no such mail is queued. */
  config?: { baseUrl: string; smtpUrl?: string | undefined }
  /** Runs work in a transaction that first checks the right of the person who acts (web/routing/acting.ts). */
  write?: RunInTransaction
}
/**
 * The context of a change that needs the accounts library. Unlike `ChangeContext` (people/audit/by.ts) it has no
 * transaction, because that is opened later.
 */
export interface PeopleCtx<B = Actor> extends Omit<ChangeContext<B>, 'db'> {
  readonly people: PeopleDeps
}
/** The library's tables and account functions, bound to the running transaction. */
export type Accounts = Awaited<ReturnType<typeof accountsIn>>

/**
 * Runs `work` in one transaction, which is rolled back when `work` refuses. If the caller has already opened a
 * transaction, the caller must roll it back. `work` must use only `trx` and `accounts`, since other access deadlocks on
 * SQLite, and must not hash passwords, which takes a tenth of a second.
 */
export async function decideWithAccounts<T, Code extends string>(
  { store, auth, write }: PeopleDeps,
  work: (trx: Trx, accounts: Accounts) => Promise<Verdict<T, Code>>,
): Promise<Verdict<T, Code>> {
  await warmUpAuth(auth)
  return decideInTransaction(write ?? store.db, async (trx) => {
    const accounts = await accountsIn(trx, store, auth)
    return runWithAdapter(accounts.tables, () => work(trx, accounts))
  })
}

async function accountsIn(trx: Trx, store: Store, auth: Auth) {
  const { internalAdapter } = await auth.$context
  const tables = await getAdapter({ ...auth.options, database: { db: trx, type: store.engine } })
  return { tables, own: internalAdapter }
}
