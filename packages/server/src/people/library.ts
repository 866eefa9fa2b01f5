/** The accounts library's own writes inside a transaction of ours, so that they stand or fall with the audit entry. */
import { runWithAdapter } from '@better-auth/core/context'
import type { Verdict } from '@svc/protocol'
import { getAdapter } from 'better-auth/db/adapter'
import type { Transaction } from 'kysely'
import type { By, Ctx } from '../audit/by.ts'
import type { Store } from '../db/open.ts'
import type { Tables } from '../db/tables.ts'
import type { Writer } from '../db/transaction.ts'
import { decideWithin } from '../db/undo.ts'
import type { Auth } from './auth.ts'

export type Trx = Transaction<Tables>
/** What a store function needs to write people, workspaces, members or invitations. */
export interface People {
  store: Store
  auth: Auth
  /** The right of the person who asks, where it is judged with the change (web/kit/acting.ts). */
  write?: Writer
}
/** What a change is made with that the accounts library has a part in: as `Ctx` (audit/by.ts), which opens its transaction later. */
export interface PeopleCtx<B = By> extends Omit<Ctx<B>, 'db'> {
  readonly people: People
}
/** The library's tables and its account functions, bound to the running transaction. */
export type Accounts = Awaited<ReturnType<typeof accountsIn>>

/**
 * Runs `work` in one transaction that is undone when it refuses; within a given one, whoever began that undoes it. Everything inside goes through `trx` or `accounts`
 * (anything else waits for itself for ever on SQLite). Passwords are hashed before: that takes a tenth of a second.
 */
export async function decide<T, Code extends string>(
  { store, auth, write }: People,
  work: (trx: Trx, accounts: Accounts) => Promise<Verdict<T, Code>>,
): Promise<Verdict<T, Code>> {
  await auth.$context
  return decideWithin(write ?? store.db, async (trx) => {
    const accounts = await accountsIn(trx, store, auth)
    return runWithAdapter(accounts.tables, () => work(trx, accounts))
  })
}

async function accountsIn(trx: Trx, store: Store, auth: Auth) {
  const { internalAdapter } = await auth.$context
  const tables = await getAdapter({ ...auth.options, database: { db: trx, type: store.engine } })
  return { tables, own: internalAdapter }
}
