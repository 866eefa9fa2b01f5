/** The tables of actions. An action is one command that a person sends to many agents. */
import type { ActionState, ActionType } from '@svc/api'
import type { Generated } from 'kysely'

export interface ActionTable {
  id: string
  workspace_id: string
  type: ActionType
  /** The payload of the command, as JSON. */
  payload: string
  /** The filter by which a person chose the agents; null if there was none. */
  filter: string | null
  /**
   * The id of the action whose expired and failed commands this one sends again. That action may be erased by now.
   */
  retry_of: string | null
  /**
   * `queuing` until each agent has a command or an outcome, then `queued`; `cancelled` if a person cancelled the rest.
   */
  state: 'queuing' | 'queued' | 'cancelled'
  created_at: number
  /** The person who started the action; the id is null for the operator. */
  created_by: string | null
  created_by_name: string
  /**
   * The number of agents by state, as JSON, without the changes in `action_change` (updates/actions/counts.ts). Null
   * for an action that a node of an earlier version started, until it is counted.
   */
  counts: string | null
  /** The number of agents in `counts` that wait for the command or were sent it; null until they are counted. */
  open_agents: number | null
}

/** A change of the state of an agent in an action that is not yet in the counts of the action. Triggers write it. */
export interface ActionChangeTable {
  seq: Generated<number>
  action_id: string
  was: ActionState
  became: ActionState
}

/** An agent of an action. The agent may be deleted meanwhile; its row stays. */
export interface ActionAgentTable {
  action_id: string
  agent_id: string
  name: string
  /** The command that the agent got; null while the agent waits for it, and for an agent that gets none. */
  command_id: string | null
  /** The outcome of an agent that gets no command; otherwise null. */
  outcome: ActionState | null
  message: string | null
  /** 1 if somebody else asked for the same command (D5), so that cancelling this action leaves it queued. */
  shared: number
}
