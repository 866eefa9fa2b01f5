/**
 * Sets or withdraws wishes for many agents, a few agents in each transaction, so that reports are answered in between.
 * Returns a result for each agent, which may be a refusal.
 */

import type { WishOfMany, WishResult } from '@svc/api'
import type { Actor, ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AgentRow } from '../../platform/db/tables.ts'
import { type RunInTransaction, transaction } from '../../platform/db/transaction.ts'
import type { AgentRef } from '../../platform/ids.ts'
import { piecesOf } from '../../platform/lists.ts'
import { unknownAgent } from '../../platform/verdict.ts'
import {
  clearBlueprintWishInTransaction,
  clearRuntimeWishInTransaction,
  type WishContext,
  wishBlueprintInTransaction,
  wishRuntimeInTransaction,
} from './store.ts'

const agentsAtOnce = 100

type ManyWished = {
  results: WishResult[]
  /** The ids of the agents whose wish changed. */
  changed: string[]
}

/** Sets or withdraws the wish of each of these agents. */
export async function wishMany(
  { db, by, now }: ChangeContext<Actor, Db | RunInTransaction>,
  workspace: { id: string },
  wish: WishOfMany,
): Promise<ManyWished> {
  const names = [...new Set(wish.agents)]
  const done: ManyWished = { results: [], changed: [] }
  for (const piece of piecesOf(names, agentsAtOnce)) {
    const { results, changed } = await transaction(db, (trx) =>
      wishPiece(trx, workspace, { ...wish, agents: piece }, { by, now }),
    )
    done.results.push(...results)
    done.changed.push(...changed)
  }
  return done
}

/**
 * Sets or withdraws the wishes of a few agents in one transaction. It locks the agents in the order of their ids.
 * Reports lock agents in the same order, so the two cannot deadlock.
 */
async function wishPiece(
  trx: Db,
  workspace: { id: string },
  wish: WishOfMany,
  context: WishContext,
): Promise<ManyWished> {
  const agents = await trx
    .selectFrom('agent')
    .select(['id', 'name', 'workspace_id'])
    .where('workspace_id', '=', workspace.id)
    .where('name', 'in', wish.agents)
    .orderBy('id')
    .execute()
  const results = new Map<string, WishResult>(wish.agents.map((name) => [name, unknownAgentResult(name)]))
  const changed: AgentRow[] = []
  for (const agent of agents) {
    const verdict = await wishOne(trx, agent, wish, { ...context, silent: true })
    const refused = verdict.ok ? null : verdict
    results.set(agent.name, {
      agent: agent.name,
      ok: verdict.ok,
      code: refused?.code ?? null,
      message: refused?.message ?? null,
    })
    if (verdict.ok && verdict.value.made) changed.push(verdict.value.agent)
  }
  if (changed.length > 0) await note(trx, { ...context, workspaceId: workspace.id, wish, changed })
  return { results: [...results.values()], changed: changed.map(({ id }) => id) }
}

function wishOne(trx: Db, agent: AgentRef, wish: WishOfMany, context: WishContext) {
  if (wish.kind === 'runtime') {
    return wish.withdraw
      ? clearRuntimeWishInTransaction(trx, agent, context)
      : wishRuntimeInTransaction(trx, agent, context)
  }
  const { blueprint, version } = wish
  return version === null
    ? clearBlueprintWishInTransaction(trx, agent, context)
    : wishBlueprintInTransaction(trx, agent, { blueprint, version }, context)
}

interface PressEntry extends WishContext {
  workspaceId: string
  wish: WishOfMany
  changed: readonly AgentRow[]
}

/** Writes one audit entry about the wishes of all changed agents, with the names of the agents. */
async function note(trx: Db, { workspaceId, wish, changed, by, now }: PressEntry): Promise<void> {
  const withdrawn = wish.kind === 'runtime' ? wish.withdraw === true : wish.version === null
  const version = wish.kind === 'runtime' ? changed[0]?.runtime_wished : wish.version
  const agents = changed.map(({ name }) => name)
  await audit(trx, {
    workspaceId,
    at: now,
    by,
    action: withdrawn ? 'wish.withdrawn' : 'wish.made',
    subject: agents.length === 1 ? `agent ${agents[0]}` : `${agents.length} agents`,
    details: {
      of: wish.kind,
      ...(wish.kind === 'blueprint' && { blueprint: wish.blueprint }),
      ...(version != null && { version }),
      ...(agents.length > 1 && { agents }),
    },
  })
}

const unknownAgentResult = (agent: string): WishResult => ({ agent, ...unknownAgent })
