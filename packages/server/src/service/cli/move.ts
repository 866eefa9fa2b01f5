/**
 * The command `svc-server move`: it moves the embedded installation to PostgreSQL. It runs without a service, directly
 * on the data folder.
 */
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { trimInvisible } from '@svc/protocol'
import { endWaiting } from '../../deliveries/settling.ts'
import { syncFile } from '../../operator/backup/backup.ts'
import { type MovedRows, moveRows } from '../../operator/move/move.ts'
import {
  grantedToOperator,
  type OperatorRequest,
  option,
  RefusedError,
  UsageError,
} from '../../operator/shared/request.ts'
import { tableText } from '../../operator/shared/show.ts'
import { accountTables } from '../../people/accounts/auth.ts'
import type { Config } from '../../platform/base.ts'
import { databaseFile, holderOf, lockFolder, movedFile, noteMoved } from '../../platform/data-folder.ts'
import { migrate } from '../../platform/db/migrate.ts'
import { openEmbedded, openPostgres } from '../../platform/db/open.ts'
import { wrongWithDatabaseAddress } from '../config.ts'

type MoveResult = MovedRows & {
  /** The address of the new database, without a password. */
  to: string
  /** The folder in which the old embedded database is kept. */
  kept: string
}

export async function moveToPostgres(
  request: Omit<OperatorRequest, 'input'>,
  config: Config,
  progress: (line: string) => void,
): Promise<MoveResult> {
  const given = option({ ...request, input: '' }, 'to')
  const to = given === undefined ? config.databaseUrl : trimInvisible(given)
  if (to === undefined) throw new UsageError('Name the target: svc-server move --to postgres://USER@HOST/DATABASE')
  const wrong = wrongWithDatabaseAddress(to)
  if (wrong !== undefined) throw new UsageError(`--to ${wrong.replace(/[^.]$/, '$&.')}`)
  const { dataDir } = config
  if (!existsSync(databaseFile(dataDir))) {
    const why = existsSync(movedFile(dataDir)) ? ': it was already moved' : ''
    throw new RefusedError(`There is no embedded database in ${dataDir}${why}.`)
  }
  const lock = lockFolder(dataDir)
  if (!lock)
    throw new RefusedError(`The data folder ${dataDir} is in use by ${holderOf(dataDir)}: stop the service first.`)
  try {
    const rows = await moveAll(databaseFile(dataDir), to, progress)
    return { ...rows, to: withoutPassword(to), kept: putAside(dataDir, withoutPassword(to)) }
  } finally {
    lock.release()
  }
}

async function moveAll(file: string, to: string, progress: (line: string) => void): Promise<MovedRows> {
  const from = openEmbedded(file)
  const target = openPostgres(to)
  try {
    await migrate(from, accountTables(from))
    await migrate(target, accountTables(target))
    await endWaiting(from.db, { why: 'restored' }, Date.now())
    if (from.engine !== 'sqlite' || target.engine !== 'postgres') throw new Error('Only from SQLite to PostgreSQL.')
    return grantedToOperator(await moveRows(from, target, progress))
  } finally {
    await target.close()
    await from.close()
  }
}

/** Moves the embedded database aside. Otherwise a service could continue with it, and deliver commands twice. */
function putAside(dataDir: string, to: string): string {
  noteMoved(dataDir, to)
  const kept = join(dataDir, `moved-${new Date().toISOString().replace(/[:.]/g, '-')}`)
  mkdirSync(kept, { mode: 0o700 })
  for (const part of ['-wal', '-shm', '']) {
    const file = databaseFile(dataDir) + part
    if (existsSync(file)) renameSync(file, join(kept, `svc.db${part}`))
  }
  syncFile(dataDir)
  return kept
}

const parsedAddress = (address: string): URL | null => URL.parse(address.replace(/@\//, '@localhost/'))

function withoutPassword(address: string): string {
  const url = parsedAddress(address)
  if (!url) return 'PostgreSQL'
  url.password = ''
  url.searchParams.delete('password')
  return url.href
}

/**
 * True if the address contains a password. The command then warns, because every user of the machine can read the
 * arguments of a running command.
 */
export function hasPassword(address: string | undefined): boolean {
  const url = address === undefined ? null : parsedAddress(address)
  return url !== null && (url.password !== '' || url.searchParams.has('password'))
}

export const showMoved = ({ tables, rows, before, to, kept }: MoveResult): string =>
  [
    tableText(
      ['TABLE', 'ROWS', 'SHA-256'],
      tables.filter((t) => t.rows > 0).map((t) => [t.table, t.rows, t.sha256]),
      'There were no rows to move.',
    ),
    before
      ? `All ${rows} rows were already in PostgreSQL, each identical.`
      : `Moved ${rows} rows. Each was read back and is identical.`,
    `The embedded database is in ${kept}. It is no longer used. Keep it until you are satisfied.`,
    `Now set SVC_DATABASE_URL to ${to} (with its password) and start the service. Agent tokens, install codes,`,
    'passwords and sessions stay valid. Every further node needs a copy of the file "secret" of this data folder.',
  ].join('\n')
