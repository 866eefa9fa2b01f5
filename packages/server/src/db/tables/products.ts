/** Products beside this one, and the bots that agents act as there. */

export interface ProductTable {
  /** `svc` is this service itself. */
  id: string
  origin: string
  secret_hash: string | null
  created_at: number
}

/** 5.4: a workspace not activated for `svc` gets 403 on the agent routes. */
export interface WorkspaceProductTable {
  workspace_id: string
  product_id: string
  activated_at: number
}

/** D46. Belongs to the workspace and outlives the agents that act as it. */
export interface BotTable {
  id: string
  workspace_id: string
  product_id: string
  name: string
  role: string
  created_at: number
}

/** One for each agent and bot, stamped for one product; goes with either of them. */
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
  /** To the minute. */
  last_used_at: number | null
}
