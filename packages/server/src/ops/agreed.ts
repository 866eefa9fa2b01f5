/**
 * Nodes on one PostgreSQL must sign cookies with the same secret, which each has in its data folder: with another
 * secret, a node would not accept sign-ins of the others. The database keeps a hash with which a node can check its
 * secret.
 */
import { scryptSync } from 'node:crypto'
import type { Store } from '../db/open.ts'
import { DataFolderError, secretFile, secretOf } from './data-folder.ts'

const name = 'secret'

/**
 * Stores the hash of the first node's secret; throws if this folder has another secret. The embedded engine has only
 * one node.
 */
export async function agreeOnSecret({ engine, db }: Store, dataDir: string): Promise<void> {
  if (engine !== 'postgres') return
  const mine = markOf(secretOf(dataDir))
  const row = { name, value: mine }
  await db
    .insertInto('agreed')
    .values(row)
    .onConflict((oc) => oc.column('name').doNothing())
    .execute()
  const { value } = await db.selectFrom('agreed').select('value').where('name', '=', name).executeTakeFirstOrThrow()
  if (value === mine) return
  throw new DataFolderError(
    `${secretFile(dataDir)} is not the secret of the other nodes on this database. Copy theirs here. If this one is right and theirs is wrong, run: svc-server secret adopt`,
  )
}

/** Makes this folder's secret the valid one. */
export async function adoptSecret({ db }: Pick<Store, 'db'>, dataDir: string): Promise<void> {
  const value = markOf(secretOf(dataDir))
  const change = db.insertInto('agreed').values({ name, value })
  await change.onConflict((oc) => oc.column('name').doUpdateSet({ value })).execute()
}

/** A hash from which the secret cannot be guessed, even if a person invented it. */
const markOf = (secret: string): string => scryptSync(secret, 'svc: which secret the nodes have', 32).toString('hex')
