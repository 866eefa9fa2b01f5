/** Lets a storm reach the service with the operator's commands and with queries of the store. */

import type { OperatorRequest, ServiceParts } from '../../src/operator/shared/request.ts'
import { askService, type OperatorOutcome, runOperatorCommand } from '../../src/operator/socket/socket.ts'
import { openAuth } from '../../src/people/accounts/auth.ts'
import { type Db, openEmbedded, openPostgres, type Store } from '../../src/platform/db/open.ts'
import { liveWithoutService } from '../../src/service/open.ts'
import type { Alone, Cluster } from './cluster.ts'

/**
 * The result of an operator's command. If it was not `ok`, `known` is true when the command certainly had no effect,
 * because it was refused or no service received it. If `known` is false, nobody knows whether it had an effect.
 */
export type Did<T> = { ok: true; value: T } | { ok: false; known: boolean }

export interface StormAccess {
  operate<T>(name: string, args: string[], options?: OperatorRequest['options']): Promise<Did<T>>
  read<T>(query: (db: Db) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Carries out the operator's commands on PostgreSQL, in the process of the test and beside the nodes. */
export function accessStore({ url }: Cluster): StormAccess {
  const store = openPostgres(url)
  const live = liveWithoutService(store)
  const baseUrl = 'http://localhost'
  const auth = openAuth(store, { baseUrl, secret: 'the same secret on every one of the nodes' })
  const service = { store, auth, live, now: Date.now, config: { baseUrl } } as unknown as ServiceParts
  return {
    operate: (name, args, options = {}) =>
      outcomeOf(() => runOperatorCommand(name, { args, options, input: '' }, service)),
    read: (query) => query(store.db),
    close: async () => {
      await live.close()
      await store.close()
    },
  }
}

/**
 * Carries out the operator's commands on SQLite. The database belongs to the running service, so commands go to its
 * socket, and each query opens the file only for a moment.
 */
export function accessService({ nodes, file }: Alone): StormAccess {
  const dataDir = nodes[0]?.home.dataDir ?? ''
  return {
    operate: (name, args, options = {}) => outcomeOf(() => askService(dataDir, name, { args, options, input: '' })),
    read: async (query) => {
      const store: Store = openEmbedded(file)
      try {
        return await query(store.db)
      } finally {
        await store.close()
      }
    },
    close: async () => {},
  }
}

async function outcomeOf<T>(ask: () => Promise<OperatorOutcome | undefined>): Promise<Did<T>> {
  try {
    const outcome = await ask()
    return outcome?.ok ? { ok: true, value: outcome.value as T } : { ok: false, known: true }
  } catch {
    return { ok: false, known: false }
  }
}
