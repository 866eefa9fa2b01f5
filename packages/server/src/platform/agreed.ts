/**
 * Checks that all nodes on one PostgreSQL sign cookies with the same secret; otherwise they would not accept each
 * other's sign-ins. Each node has the secret in its data folder, and compares it with a hash in the database.
 */
import { scryptSync } from 'node:crypto'
import { DataFolderError, secretFile, secretOf } from './data-folder.ts'
import type { Store } from './db/open.ts'

const name = 'secret'

/**
 * Stores the hash of this data folder's secret if no node has stored one yet; throws if another node stored the hash of
 * a different secret. With SQLite there is only one node.
 */
export async function agreeOnSecret({ engine, db }: Store, dataDir: string): Promise<void> {
  if (engine !== 'postgres') return
  const ownMark = markOf(secretOf(dataDir))
  const row = { name, value: ownMark }
  await db
    .insertInto('agreed')
    .values(row)
    .onConflict((oc) => oc.column('name').doNothing())
    .execute()
  const { value } = await db.selectFrom('agreed').select('value').where('name', '=', name).executeTakeFirstOrThrow()
  if (value === ownMark) return
  throw new DataFolderError(
    `${secretFile(dataDir)} is not the secret of the other nodes on this database. Copy theirs here. If this one is right and theirs is wrong, run: svc-server secret adopt`,
  )
}

/** Makes this folder's secret the one that all nodes must have. */
export async function adoptSecret({ db }: Pick<Store, 'db'>, dataDir: string): Promise<void> {
  const value = markOf(secretOf(dataDir))
  const change = db.insertInto('agreed').values({ name, value })
  await change.onConflict((oc) => oc.column('name').doUpdateSet({ value })).execute()
}

/**
 * Hashes the secret slowly, so that nobody can find it by guessing, even if it is a short text that a person invented.
 */
const markOf = (secret: string): string => scryptSync(secret, 'svc: which secret the nodes have', 32).toString('hex')
