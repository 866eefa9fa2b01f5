/**
 * Token introspection (RFC 7662): a product asks whether a bot's token is valid, and for what. A token is called active
 * only if it was issued for that product (5, rule 7).
 */
import { timingSafeEqual } from 'node:crypto'
import { isToken } from '@svc/protocol'
import type { Db } from '../../platform/db/open.ts'
import { hashToken } from '../../platform/tokens.ts'
import { tokenState } from './store.ts'

interface ActiveToken {
  active: true
  /** The scopes of the token, separated by spaces. */
  scope: string
  token_type: 'Bearer'
  /** The id of the bot, which never changes, and its name. */
  sub: string
  username: string
  /** The id of the bot's workspace, as in `SVC_BINDING_…_WORKSPACE`. */
  workspace: string
  workspace_name: string
  role: string
  /** The name of the agent that acts as the bot. */
  agent: string
  product: string
  aud: string
  iss: string
  /** When the bot's token was issued, and when it expires, in Unix seconds. */
  iat: number
  exp: number
}
type Introspection = ActiveToken | { active: false }

/** Returns the product that an `Authorization: Basic` header names; undefined unless its id and secret are right. */
export async function findProduct(db: Db, header: string | undefined): Promise<{ id: string } | undefined> {
  const given = basicOf(header)
  const row = await db
    .selectFrom('product')
    .select(['id', 'secret_hash'])
    .where('id', '=', given?.id ?? '')
    .executeTakeFirst()
  const expected = Buffer.from(row?.secret_hash ?? hashToken(''))
  const right = timingSafeEqual(expected, Buffer.from(hashToken(given?.secret ?? '')))
  return right && given !== undefined && given.secret !== '' && row?.secret_hash ? { id: row.id } : undefined
}

/**
 * Tells a product whether a token is active, and for what. If the token is active, this records the time as its last
 * use, at most once a minute.
 */
export async function introspect(
  db: Db,
  product: { id: string },
  token: string,
  { issuer, now }: { issuer: string; now: number },
): Promise<Introspection> {
  if (!isToken('bot', token)) return { active: false }
  const row = await tokenBy(db, product, hashToken(token))
  if (!row || tokenState(row, now) !== 'active') return { active: false }
  await noteUse(db, row, now)
  return {
    active: true,
    scope: (JSON.parse(row.scopes) as string[]).join(' '),
    token_type: 'Bearer',
    sub: row.bot_id,
    username: row.bot_name,
    workspace: row.workspace_id,
    workspace_name: row.workspace_name,
    role: row.role,
    agent: row.agent_name,
    product: product.id,
    aud: product.id,
    iss: issuer,
    iat: Math.floor(row.issued_at / 1000),
    exp: Math.floor(row.expires_at / 1000),
  }
}

/** Finds a token of this product by its hash, but only while the bot's workspace is activated for the product. */
const tokenBy = (db: Db, product: { id: string }, hash: string) =>
  db
    .selectFrom('bot_token')
    .innerJoin('bot', 'bot.id', 'bot_token.bot_id')
    .innerJoin('agent', 'agent.id', 'bot_token.agent_id')
    .innerJoin('workspace', 'workspace.id', 'bot.workspace_id')
    .innerJoin('workspace_product', (join) =>
      join
        .onRef('workspace_product.workspace_id', '=', 'bot.workspace_id')
        .onRef('workspace_product.product_id', '=', 'bot_token.product_id'),
    )
    .select(['bot_token.id', 'bot_token.bot_id', 'scopes', 'issued_at', 'expires_at', 'revoked_at', 'last_used_at'])
    .select(['bot.name as bot_name', 'bot.role', 'bot.workspace_id', 'agent.name as agent_name'])
    .select('workspace.name as workspace_name')
    .where('bot_token.hash', '=', hash)
    .where('bot_token.product_id', '=', product.id)
    .executeTakeFirst()

const noteEveryMs = 60_000

async function noteUse(db: Db, row: { id: string; last_used_at: number | null }, now: number): Promise<void> {
  const before = now - noteEveryMs
  if (row.last_used_at !== null && row.last_used_at > before && row.last_used_at <= now) return
  await db
    .updateTable('bot_token')
    .set({ last_used_at: now })
    .where('id', '=', row.id)
    .where((eb) =>
      eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', before), eb('last_used_at', '>', now)]),
    )
    .execute()
}

function basicOf(header: string | undefined): { id: string; secret: string } | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(header ?? '') ?? []
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : { id: text.slice(0, colon), secret: text.slice(colon + 1) }
}
