/** Other products, and the bots as which agents act there. */

export interface ProductTable {
  /** `svc` is this service. */
  id: string
  origin: string
  secret_hash: string | null
  created_at: number
}

/** The products of a workspace. One that is not activated for `svc` gets 403 on the agent routes (5.4). */
export interface WorkspaceProductTable {
  workspace_id: string
  product_id: string
  activated_at: number
}

/** A bot belongs to the workspace and outlives the agents that act as it (D46). */
export interface BotTable {
  id: string
  workspace_id: string
  product_id: string
  name: string
  role: string
  created_at: number
}

/** The token of one agent for one bot, valid for one product. It is deleted with the agent or the bot. */
export interface BotTokenTable {
  id: string
  bot_id: string
  agent_id: string
  product_id: string
  hash: string
  /** JSON array. */
  scopes: string
  issued_at: number
  expires_at: number
  revoked_at: number | null
  /** Exact to the minute. */
  last_used_at: number | null
}
