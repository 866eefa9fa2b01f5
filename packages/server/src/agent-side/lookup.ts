/** Who a token belongs to (5), asked at entry; the transaction that writes asks again (D22). */
import { bearerToken, isToken } from '@svc/protocol'
import type { Store } from '../db/open.ts'
import { newPlaces, type Places } from '../report-store/places.ts'
import { hashToken } from '../tokens.ts'

export interface Caller {
  agentId: string
  workspaceId: string
  /** 5.4 */
  activated: boolean
  tokenHash: string
  /** Of its rows, for its reports. */
  places: Places
}

/**
 * Agents by the hash of their token, remembered while they are good. What is remembered only lets a body be read: every
 * refusal asks `afresh` first, and every write asks inside its transaction.
 */
export interface Lookup {
  /** The agent of an `Authorization` header; undefined for none, unknown, rotated, deleted alike. */
  callerOf(header: string | undefined): Caller | undefined | Promise<Caller | undefined>
  /** The same agent as the store knows it now. */
  afresh(caller: Caller): Promise<Caller | undefined>
  /** Drops what is remembered of a token that a transaction refused. */
  forget(tokenHash: string): void
}

const maxRemembered = 200_000

export function createLookup(store: Store): Lookup {
  const known = new Map<string, Caller>()
  const find = finder(store)
  return { callerOf, afresh: ({ tokenHash }) => ask(tokenHash), forget: (hash) => known.delete(hash) }

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
      places: newPlaces(),
    }
    if (known.size >= maxRemembered) known.clear()
    if (caller.activated) known.set(hash, caller)
    return caller
  }
}

interface Found {
  id: string
  workspace_id: string
  activated_at: number | null
}

/** The tokens' own column is unique: one index look-up, prepared, since every agent asks once after a start. */
function finder(store: Store): (hash: string) => Promise<Found | undefined> {
  const select = (parameter: string) => `select a.id, a.workspace_id, p.activated_at from agent a
    left join workspace_product p on p.workspace_id = a.workspace_id and p.product_id = 'svc'
    where a.token_hash = ${parameter}`
  if (store.engine === 'postgres') {
    const text = select('$1')
    return async (hash) => (await store.pool.query({ name: 'agent_of_token', text, values: [hash] })).rows[0]
  }
  const statement = store.sqlite.prepare(select('?'))
  return async (hash) => statement.get(hash) as Found | undefined
}
