/**
 * Bots (2.9, D46): the accounts as which agents act in products. A bot is identified by workspace, product and name,
 * and outlives the agents that act as it; each agent has one token for it, stored as a hash.
 */
import type { Bot, BotToken, BotTokenState } from '@svc/api'
import { limits, shown, type Verdict } from '@svc/protocol'
import type { Actor, ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import type { Db } from '../../platform/db/open.ts'
import type { BotRow, BotTokenRow } from '../../platform/db/tables.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { type AgentRef, newId, type WorkspaceRef } from '../../platform/ids.ts'
import { dayMs } from '../../platform/limits/units.ts'
import { hashToken, newToken } from '../../platform/tokens.ts'
import { refuse } from '../../platform/verdict.ts'

/**
 * The state of a bot's token by these columns. Introspection also requires that the bot's workspace is activated for
 * the product.
 */
export const tokenState = (token: Pick<BotTokenRow, 'revoked_at' | 'expires_at'>, now: number): BotTokenState =>
  token.revoked_at !== null ? 'revoked' : token.expires_at <= now ? 'expired' : 'active'

/** The bots of a workspace, sorted by name and product. Each has its tokens, newest first. */
export async function listBots(db: Db, workspace: WorkspaceRef, now: number): Promise<Bot[]> {
  const bots = await db
    .selectFrom('bot')
    .selectAll()
    .where('workspace_id', '=', workspace.id)
    .orderBy('name')
    .orderBy('product_id')
    .execute()
  const tokens = await db
    .selectFrom('bot_token')
    .innerJoin('bot', 'bot.id', 'bot_token.bot_id')
    .innerJoin('agent', 'agent.id', 'bot_token.agent_id')
    .selectAll('bot_token')
    .select('agent.name as agent')
    .where('bot.workspace_id', '=', workspace.id)
    .orderBy('issued_at', 'desc')
    .orderBy('bot_token.id', 'desc')
    .execute()
  return bots.map((bot) => ({
    id: bot.id,
    name: bot.name,
    product: bot.product_id,
    role: bot.role,
    createdAt: bot.created_at,
    tokens: tokens.filter((token) => token.bot_id === bot.id).map((token) => shownToken(token, now)),
  }))
}

function shownToken(token: BotTokenRow & { agent: string }, now: number): BotToken {
  return {
    id: token.id,
    agent: token.agent,
    scopes: JSON.parse(token.scopes) as string[],
    state: tokenState(token, now),
    issuedAt: token.issued_at,
    expiresAt: token.expires_at,
    revokedAt: token.revoked_at,
    lastUsedAt: token.last_used_at,
  }
}

interface WantedBot {
  product: string
  role: string
  scopes: readonly string[]
}
/** The bot that an agent was given for one binding. `made` is true if the bot is new. */
export interface GivenBot extends WantedBot {
  bot: BotRow
  made: boolean
  /** The agent's new token for the bot, which is shown only this once. */
  token: string
}
type BotRefusal = 'bots_too_many' | 'bot_role_differs'

/**
 * Checks that bots of this name can be made or reused for these bindings, and returns the existing bots by product. The
 * caller must hold the workspace's lock, so that the result stays true.
 */
export async function judgeBots(
  db: Db,
  workspace: WorkspaceRef,
  name: string,
  wanted: readonly WantedBot[],
): Promise<Verdict<ReadonlyMap<string, BotRow>, BotRefusal>> {
  const all = await db.selectFrom('bot').selectAll().where('workspace_id', '=', workspace.id).execute()
  const known = new Map(all.filter((bot) => bot.name === name).map((bot) => [bot.product_id, bot]))
  const fresh = wanted.filter(({ product }) => !known.has(product)).length
  if (fresh > 0 && all.length + fresh > limits.botsPerWorkspace) {
    return tooManyBots(all.length, fresh)
  }
  for (const { product, role } of wanted) {
    const bot = known.get(product)
    if (bot && bot.role !== role) {
      return refuse(
        'bot_role_differs',
        `The bot ${shown(name)} of ${shown(product)} has the role ${shown(bot.role)}, and ${shown(role)} is wanted: delete that bot, or choose another name for the agent.`,
      )
    }
  }
  return { ok: true, value: known }
}

/**
 * Refuses if new agents of these names would need more bots than a workspace may have. The caller must hold the
 * workspace's lock.
 */
export async function checkRoomForBots(
  db: Db,
  workspace: WorkspaceRef,
  names: readonly string[],
  wanted: readonly Pick<WantedBot, 'product'>[],
): Promise<Verdict<null, 'bots_too_many'>> {
  const all = await db
    .selectFrom('bot')
    .select(['name', 'product_id'])
    .where('workspace_id', '=', workspace.id)
    .execute()
  const known = new Set(all.map(({ name, product_id }) => `${name} ${product_id}`))
  const fresh = names.flatMap((name) => wanted.filter(({ product }) => !known.has(`${name} ${product}`))).length
  return fresh > 0 && all.length + fresh > limits.botsPerWorkspace
    ? tooManyBots(all.length, fresh)
    : { ok: true, value: null }
}

const tooManyBots = (present: number, fresh: number) =>
  refuse(
    'bots_too_many',
    `The workspace has ${present} bots and would get ${fresh} more: it may have ${limits.botsPerWorkspace}. Delete bots that no agent needs.`,
  )

/**
 * Makes or reuses the bot for one binding of a new agent and issues the agent's token for it, valid for one year (8).
 */
export async function giveBot(
  trx: Db,
  { agent, known, name }: { agent: AgentRef; known: ReadonlyMap<string, BotRow>; name: string },
  wanted: WantedBot,
  now: number,
): Promise<GivenBot> {
  const reused = known.get(wanted.product)
  const bot =
    reused ??
    (await trx
      .insertInto('bot')
      .values({
        id: newId(now),
        workspace_id: agent.workspace_id,
        product_id: wanted.product,
        name,
        role: wanted.role,
        created_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow())
  const token = newToken('bot')
  await trx
    .insertInto('bot_token')
    .values({
      id: newId(now),
      bot_id: bot.id,
      agent_id: agent.id,
      product_id: wanted.product,
      hash: hashToken(token),
      scopes: JSON.stringify(wanted.scopes),
      issued_at: now,
      expires_at: now + limits.botTokenDays * dayMs,
      revoked_at: null,
      last_used_at: null,
    })
    .execute()
  return { ...wanted, bot, made: reused === undefined, token }
}

/**
 * Revokes the valid tokens of a bot, or only the one with the id `tokenId`. From the commit on, introspection calls
 * these tokens inactive. A product that caches answers sees this when it asks again.
 */
export function revokeBot(
  { db, by, now }: ChangeContext,
  workspace: WorkspaceRef,
  { id, tokenId }: { id: string; tokenId?: string },
): Promise<Verdict<{ revoked: number; agentIds: string[] }, 'bot_unknown'>> {
  return transaction(db, async (trx) => {
    const bot = await findBot(trx, workspace, id)
    if (!bot) return unknown
    let update = trx
      .updateTable('bot_token')
      .set({ revoked_at: now })
      .where('bot_id', '=', id)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', now)
    if (tokenId !== undefined) update = update.where('id', '=', tokenId)
    const revoked = await update.returning('agent_id').execute()
    if (revoked.length > 0) {
      const details = {
        product: bot.product_id,
        agents: await readAgentNames(
          trx,
          revoked.map((t) => t.agent_id),
        ),
      }
      await audit(trx, { ...note(bot, by, now), action: 'bot.revoked', details })
    }
    return { ok: true, value: { revoked: revoked.length, agentIds: revoked.map((t) => t.agent_id) } }
  })
}

/**
 * Deletes a bot with its tokens, so that the workspace can get a new bot of the same name, for example with another
 * role.
 */
export function deleteBot(
  { db, by, now }: ChangeContext,
  workspace: WorkspaceRef,
  id: string,
): Promise<Verdict<{ agentIds: string[] }, 'bot_unknown'>> {
  return transaction(db, async (trx) => {
    const bot = await findBot(trx, workspace, id)
    if (!bot) return unknown
    const tokens = await trx.selectFrom('bot_token').select('agent_id').where('bot_id', '=', id).execute()
    await trx.deleteFrom('bot').where('id', '=', id).execute()
    const details = { product: bot.product_id, role: bot.role }
    await audit(trx, { ...note(bot, by, now), action: 'bot.deleted', details })
    return { ok: true, value: { agentIds: tokens.map((t) => t.agent_id) } }
  })
}

/** The bots of a workspace with this name, for all products or only for the given one. */
export async function botsNamed(db: Db, workspace: WorkspaceRef, name: string, product?: string): Promise<BotRow[]> {
  const named = db.selectFrom('bot').selectAll().where('workspace_id', '=', workspace.id).where('name', '=', name)
  return await (product === undefined ? named : named.where('product_id', '=', product)).orderBy('product_id').execute()
}

const findBot = (db: Db, workspace: WorkspaceRef, id: string): Promise<BotRow | undefined> =>
  db.selectFrom('bot').selectAll().where('id', '=', id).where('workspace_id', '=', workspace.id).executeTakeFirst()

async function readAgentNames(db: Db, agentIds: string[]): Promise<string[]> {
  const rows = await db.selectFrom('agent').select('name').where('id', 'in', agentIds).orderBy('name').execute()
  return rows.map(({ name }) => name)
}

const note = (bot: BotRow, by: Actor, at: number) => ({
  workspaceId: bot.workspace_id,
  at,
  by,
  subject: `bot ${bot.name}`,
})

const unknown = refuse('bot_unknown', 'There is no such bot.')
