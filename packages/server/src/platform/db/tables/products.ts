/** Products, in which agents act, and the bots as which they act there. */

export interface ProductTable {
  /** The id of the product; `svc` is this service itself. */
  id: string
  origin: string
  secret_hash: string | null
  created_at: number
}

/**
 * The products for which a workspace is activated. Agents of a workspace that is not activated for `svc` get 403 (5.4).
 */
export interface WorkspaceProductTable {
  workspace_id: string
  product_id: string
  activated_at: number
}

/** A bot belongs to a workspace and outlives the agents that act as it (D46). */
export interface BotTable {
  id: string
  workspace_id: string
  product_id: string
  name: string
  role: string
  created_at: number
}

/**
 * The tokens of bots. Each is for one agent and one bot, valid for one product, and deleted with the agent or the bot.
 */
export interface BotTokenTable {
  id: string
  bot_id: string
  agent_id: string
  product_id: string
  hash: string
  /** The scopes of the bot token, as a JSON array. */
  scopes: string
  issued_at: number
  expires_at: number
  revoked_at: number | null
  /**
   * When a product last asked this service about the token while it was valid; null if no product has. Written at most
   * once a minute.
   */
  last_used_at: number | null
}
