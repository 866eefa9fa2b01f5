/** How a storm reaches the service: with the operator's commands, as people type them, and by reading the store. */
import { type Db, openEmbedded, openPostgres, type Store } from '../../src/db/open.ts'
import { liveOf } from '../../src/open.ts'
import type { Request, Service } from '../../src/operator/kit/request.ts'
import { askService, type OperatorOutcome, runCommand } from '../../src/operator/socket/socket.ts'
import { openAuth } from '../../src/people/auth.ts'
import type { Alone, Cluster } from './cluster.ts'

/**
 * The result of an act. If it was not `ok`, `known` says whether it certainly had no effect, because it was refused;
 * otherwise nobody knows.
 */
export type Did<T> = { ok: true; value: T } | { ok: false; known: boolean }

export interface Hands {
  operate<T>(name: string, args: string[], options?: Request['options']): Promise<Did<T>>
  read<T>(look: (db: Db) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Acts on PostgreSQL, where a command runs in the process of the test, beside the nodes. */
export function beside({ url }: Cluster): Hands {
  const store = openPostgres(url)
  const live = liveOf(store)
  const baseUrl = 'http://localhost'
  const auth = openAuth(store, { baseUrl, secret: 'the same secret on every one of the nodes' })
  const service = { store, auth, live, now: Date.now, config: { baseUrl } } as unknown as Service
  return {
    operate: (name, args, options = {}) => told(() => runCommand(name, { args, options, input: '' }, service)),
    read: (look) => look(store.db),
    close: async () => {
      await live.close()
      await store.close()
    },
  }
}

/**
 * Acts on SQLite, where the database belongs to the running service. Commands go to its socket, and a read must end
 * before the service does.
 */
export function through({ nodes, file }: Alone): Hands {
  const dataDir = nodes[0]?.place.dataDir ?? ''
  return {
    operate: (name, args, options = {}) => told(() => askService(dataDir, name, { args, options, input: '' })),
    read: async (look) => {
      const store: Store = openEmbedded(file)
      try {
        return await look(store.db)
      } finally {
        await store.close()
      }
    },
    close: async () => {},
  }
}

async function told<T>(ask: () => Promise<OperatorOutcome | undefined>): Promise<Did<T>> {
  try {
    const outcome = await ask()
    return outcome?.ok ? { ok: true, value: outcome.value as T } : { ok: false, known: true }
  } catch {
    return { ok: false, known: false }
  }
}
