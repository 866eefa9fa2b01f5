/**
 * Finds the agent of a token (5) before the body of its call is read. The transaction that stores a report or log
 * checks the token again (D22).
 */
import { bearerToken, isToken } from '@svc/protocol'
import type { Store } from '../../platform/db/open.ts'
import { hashToken } from '../../platform/tokens.ts'
import { newRowNumbers, type RowNumbers } from '../report-store/row-numbers.ts'

/** The agent whose token a call carries. */
export interface Caller {
  agentId: string
  workspaceId: string
  /** True if the agent's workspace is activated for this service (5.4). */
  activated: boolean
  tokenHash: string
  /** The row numbers of the agent's rows in an SQLite database, cached for the agent's next reports. */
  rowNumbers: RowNumbers
}

/**
 * Finds agents by the hash of their token, and caches those of activated workspaces. A cached agent may be out of date,
 * so its token is checked again before anything is stored, and before a call is refused for another reason than
 * overload.
 */
export interface CallerLookup {
  /**
   * Returns the agent whose token is in an `Authorization` header; undefined if the token is missing or unknown. A
   * cached agent is returned even if its token has become invalid since.
   */
  callerOf(header: string | undefined): Caller | undefined | Promise<Caller | undefined>
  /**
   * Reads an agent from the database instead of the cache; undefined if its token has been rotated or the agent
   * deleted.
   */
  reread(caller: Caller): Promise<Caller | undefined>
  /** Removes the agent with this token from the cache, after a transaction has refused the token. */
  forget(tokenHash: string): void
}

const maxRemembered = 200_000

export function createLookup(store: Store): CallerLookup {
  const known = new Map<string, Caller>()
  const find = finder(store)
  return { callerOf, reread: ({ tokenHash }) => ask(tokenHash), forget: (hash) => known.delete(hash) }

  function callerOf(header: string | undefined) {
    const token = bearerToken(header)
    if (token === undefined || !isToken('agent', token)) return undefined
    const hash = hashToken(token)
    return known.get(hash) ?? ask(hash)
  }

  async function ask(hash: string): Promise<Caller | undefined> {
    const row = await find(hash)
    known.delete(hash)
    if (!row) return undefined
    const caller = {
      agentId: row.id,
      workspaceId: row.workspace_id,
      activated: row.activated_at !== null,
      tokenHash: hash,
      rowNumbers: newRowNumbers(),
    }
    if (known.size >= maxRemembered) known.clear()
    if (caller.activated) known.set(hash, caller)
    return caller
  }
}

interface FoundAgent {
  id: string
  workspace_id: string
  activated_at: number | null
}

/**
 * Prepares the statement that finds an agent by the unique index of `token_hash`. Its speed matters, because after a
 * start of the service every agent is looked up once.
 */
function finder(store: Store): (hash: string) => Promise<FoundAgent | undefined> {
  const select = (parameter: string) => `select a.id, a.workspace_id, p.activated_at from agent a
    left join workspace_product p on p.workspace_id = a.workspace_id and p.product_id = 'svc'
    where a.token_hash = ${parameter}`
  if (store.engine === 'postgres') {
    const text = select('$1')
    return async (hash) => (await store.pool.query({ name: 'agent_of_token', text, values: [hash] })).rows[0]
  }
  const statement = store.sqlite.prepare(select('?'))
  return async (hash) => statement.get(hash) as FoundAgent | undefined
}
