/**
 * Nodes on one PostgreSQL sign cookies with one secret, which each has in its own data folder: with another one, people who
 * are signed in at one node would be strangers at the next. The database keeps what tells whether two are the same.
 */
import { scryptSync } from 'node:crypto'
import type { Store } from '../db/open.ts'
import { DataFolderError, secretFile, secretOf } from './data-folder.ts'

const name = 'secret'

/** The first node's secret counts; throws where this folder has another one. The embedded engine has one node. */
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

/** From now on this folder's secret is the right one. */
export async function adoptSecret({ db }: Pick<Store, 'db'>, dataDir: string): Promise<void> {
  const value = markOf(secretOf(dataDir))
  const change = db.insertInto('agreed').values({ name, value })
  await change.onConflict((oc) => oc.column('name').doUpdateSet({ value })).execute()
}

/** Does not lead back to the secret, also not to one that a person made up. */
const markOf = (secret: string): string => scryptSync(secret, 'svc: which secret the nodes have', 32).toString('hex')
