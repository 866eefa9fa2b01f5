/**
 * An agent's bindings as its page shows them (2.9, 3.7): the bot, its token, what the machine reports about it, and how
 * to fix it.
 */
import type { AgentBinding } from '@svc/api'
import type { Manifest } from '@svc/blueprint'
import type { HealthItem, Level } from '@svc/protocol'
import { tokenState } from '../../fleet/bots/store.ts'
import { manifestOf } from '../../fleet/versions/declared.ts'
import { versionNamed } from '../../fleet/versions/named.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AgentRow } from '../../platform/db/tables.ts'

/**
 * The bindings of an agent, by product: those for which it has a token, and those that its running or its wished
 * version declares.
 */
export async function bindingsOf(
  db: Db,
  agent: AgentRow,
  health: readonly HealthItem[],
  now: number,
): Promise<AgentBinding[]> {
  if (agent.blueprint === null) return []
  const tokens = await db
    .selectFrom('bot_token')
    .innerJoin('bot', 'bot.id', 'bot_token.bot_id')
    .selectAll('bot_token')
    .select(['bot.name', 'bot.role'])
    .where('agent_id', '=', agent.id)
    .execute()
  const running = (await manifestOf(db, agent))?.bindings ?? []
  const wished = await wishedBindings(db, agent)
  const named = [...running, ...wished]
  const ids = [...new Set([...tokens.map((token) => token.product_id), ...named.map(({ product }) => product)])].sort()
  const products = await productsOf(db, agent.workspace_id, ids)
  return ids.map((id) => {
    const token = tokens.find((t) => t.product_id === id)
    const wanted = named.find(({ product }) => product === id)
    const item = health.find(({ name }) => name === `Binding ${id}`)
    const product = products.find((p) => p.id === id)
    const binding = {
      product: id,
      origin: product?.origin ?? null,
      role: token?.role ?? wanted?.role ?? '',
      scopes: token ? (JSON.parse(token.scopes) as string[]) : [...(wanted?.scopes ?? [])],
      bot: token ? { id: token.bot_id, name: token.name } : null,
      token: token ? tokenState(token, now) : ('none' as const),
      expiresAt: token?.expires_at ?? null,
      revokedAt: token?.revoked_at ?? null,
      lastUsedAt: token?.last_used_at ?? null,
      health: item?.level === undefined ? null : { level: item.level, detail: item.detail ?? null },
    }
    if (!token && !running.some((b) => b.product === id))
      return { ...binding, ...futureBinding(id, agent.wished_version) }
    const judged = judge(binding, product?.activated ?? false)
    // The service knows this better: its facts are newer than the machine's last word.
    const known = binding.token !== 'active' || !product?.activated
    return { ...binding, ...judged, ...(known && { health: null }) }
  })
}

/**
 * Describes a binding that the wished version needs and for which the agent has no token. Tokens are issued only at an
 * installation (2.9), so the page warns before the update.
 */
const futureBinding = (product: string, version: string | null): { broken: boolean; mends: string } => ({
  broken: false,
  mends: `The requested version ${version} needs ${product}, but the agent has no token for it and would run without one. ${again}`,
})
const again = 'To give it a new token, delete the agent here and install it again with a new code.'

async function wishedBindings(db: Db, agent: AgentRow): Promise<Manifest['bindings']> {
  if (agent.wished_version === null) return []
  const row = await versionNamed(db, { id: agent.workspace_id }, agent.blueprint, agent.wished_version)
    .select('manifest')
    .executeTakeFirst()
  return row ? ((JSON.parse(row.manifest) as Partial<Manifest>).bindings ?? []) : []
}

/**
 * Finds the first problem of a binding that applies, and how to fix it. A `bad` health item means that the binding is
 * broken (3.7).
 */
function judge(
  { product, token, health }: Pick<AgentBinding, 'product' | 'token'> & { health: { level: Level } | null },
  activated: boolean,
): { broken: boolean; mends: string | null } {
  const broken = (mends: string) => ({ broken: true, mends })
  if (token === 'none')
    return broken(`The agent has no token for ${product}: its bot was deleted, or a newer version needs it. ${again}`)
  if (token === 'revoked') return broken(`The bot's token for ${product} was revoked here. ${again}`)
  if (token === 'expired') return broken(`The bot's token for ${product} has expired after one year. ${again}`)
  if (!activated) return broken(`The workspace is not activated for ${product}: the operator can activate it again.`)
  if (health?.level === 'bad') {
    return broken(
      `${product} refuses the bot. This can only be fixed in its own settings: make the bot a member there again.`,
    )
  }
  if (health?.level === 'warn') {
    return {
      broken: false,
      mends: `The agent's machine could not reach ${product}. It retries within five minutes.`,
    }
  }
  return { broken: false, mends: null }
}

async function productsOf(db: Db, workspaceId: string, ids: string[]) {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('product')
    .leftJoin('workspace_product', (join) =>
      join.onRef('product_id', '=', 'product.id').on('workspace_id', '=', workspaceId),
    )
    .select(['product.id', 'origin', 'activated_at'])
    .where('product.id', 'in', ids)
    .execute()
  return rows.map(({ id, origin, activated_at }) => ({ id, origin, activated: activated_at !== null }))
}
