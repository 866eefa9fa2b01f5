/** Opens what the service and every command need: the data folder, the migrated store, and people's accounts. */
import { chmodSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceParts } from '../operator/shared/request.ts'
import { type Auth, accountTables, openAuth, warmUpAuth } from '../people/accounts/auth.ts'
import type { Config, Live } from '../platform/base.ts'
import {
  createDataFolder,
  databaseFile,
  type FolderLock,
  folderInUse,
  lockFolder,
  refuseMoved,
  secretOf,
} from '../platform/data-folder.ts'
import { migrate } from '../platform/db/migrate.ts'
import { openEmbedded, openPostgres, type Store } from '../platform/db/open.ts'
import { explainFolderError, explainStartError } from '../platform/failed-start.ts'
import { newId } from '../platform/ids.ts'
import { announcer } from '../web/live/announce.ts'
import type { Deps } from '../web/routing/deps.ts'

/**
 * While the service runs, it closes a connection to PostgreSQL that has carried no data for this many milliseconds.
 * Migrations run before this limit is set, because they may take longer.
 */
export const silenceMs = 30_000

/** The opened parts that the service and every command need. */
export type OpenedService = Pick<Deps, 'store' | 'auth' | 'config' | 'now'> & { close: () => Promise<void> }

/** The milliseconds for which a command or a starting service waits while another process has the data folder. */
const patienceMs = 30_000

/**
 * Opens the store, and for SQLite takes the lock of the data folder. While another process has the lock, it calls
 * `meanwhile` again and again, for at most `patienceMs`, and returns undefined once `meanwhile` returns true. Otherwise
 * the caller must call the `close` of the result.
 */
export async function openService(config: Config, now: () => number, meanwhile: () => Promise<boolean>) {
  process.umask(0o077)
  createDataFolder(config.dataDir)
  let lock: FolderLock | null | undefined
  try {
    lock = config.databaseUrl === undefined ? await waitForLock(config.dataDir, meanwhile) : undefined
    return lock === null ? undefined : await openLocked(config, now, lock)
  } catch (error) {
    lock?.release()
    throw explainFolderError(error, config.dataDir)
  }
}

async function openLocked(config: Config, now: () => number, lock: FolderLock | undefined): Promise<OpenedService> {
  const secret = secretOf(config.dataDir)
  const store = openStore(config)
  let auth: Auth
  try {
    await migrate(store, accountTables(store))
    auth = openAuth(store, { baseUrl: config.baseUrl, secret, passwordForm: config.passwordForm })
    await warmUpAuth(auth)
  } catch (error) {
    await store.close()
    throw explainStartError(error, store)
  }
  const close = async () => {
    await store.close()
    lock?.release()
  }
  return { store, auth, config, now, close }
}

function openStore({ databaseUrl, dataDir }: Config): Store {
  if (databaseUrl !== undefined) return openPostgres(databaseUrl)
  refuseMoved(dataDir)
  const store = openEmbedded(databaseFile(dataDir))
  chmodSync(databaseFile(dataDir), 0o600)
  return store
}

/** Waits for the lock of the data folder. Returns null once `meanwhile` returns true, and throws after `patienceMs`. */
async function waitForLock(dataDir: string, meanwhile: () => Promise<boolean>): Promise<FolderLock | null> {
  const until = performance.now() + patienceMs
  for (;;) {
    const lock = lockFolder(dataDir)
    if (lock) return lock
    if (await meanwhile()) return null
    if (performance.now() > until) throw folderInUse(dataDir)
    await sleep(50)
  }
}

/**
 * Opens the store and the parts of the service for a command that runs in this process, while no service runs. Returns
 * undefined once `meanwhile` returns true (`openService`).
 */
export async function openAlone(
  config: Config,
  meanwhile: () => Promise<boolean> = () => Promise.resolve(false),
): Promise<(ServiceParts & { close: () => Promise<void> }) | undefined> {
  const opened = await openService(config, Date.now, meanwhile)
  if (!opened) return undefined
  const live = liveWithoutService(opened.store)
  const close = async () => {
    await live.close()
    await opened.close()
  }
  return { ...opened, live, isAlone: true, close }
}

/**
 * Makes the `Live` with which a command announces its changes if it does not run in the service. On PostgreSQL the
 * running nodes receive the announcements; on SQLite no service runs, so nothing is announced.
 */
export function liveWithoutService(store: Store): Live & { close: () => Promise<void> } {
  if (store.engine === 'postgres')
    return { ...announcer(store.pool, { node: newId(Date.now()), command: true }), isWatched: () => false }
  return {
    reported() {},
    changed() {},
    listChanged() {},
    alertsChanged() {},
    async rightsChanged() {},
    isWatched: () => false,
    close: async () => {},
  }
}
