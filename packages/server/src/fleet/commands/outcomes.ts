/** Determines the outcome of an action for each agent from the rows of its commands. */
import { type ActionState, agentDeleted } from '@svc/api'
import type { CommandState } from '@svc/protocol'
import type { Db } from '../../platform/db/open.ts'

/** The state in an action for each state of a command. A late answer counts like one in time (D3). */
const states = {
  queued: 'waiting',
  delivered: 'sent',
  applied: 'applied',
  applied_late: 'applied',
  refused: 'refused',
  refused_late: 'refused',
  failed: 'failed',
  expired: 'expired',
  cancelled: 'cancelled',
} as const satisfies Record<CommandState, ActionState>

/** An agent of an action with its command, if it has one. */
export interface ActionAgentFacts {
  outcome: ActionState | null
  message: string | null
  /** The command that was queued for the agent; null if none was. */
  commandId: string | null
  /** Null without a command, or if the command was deleted with its agent. */
  commandState: CommandState | null
  commandMessage: string | null
}

/**
 * The state of one agent in an action. Without an outcome and a command, the agent waits for its turn. A command that
 * no longer exists counts as cancelled: only nodes of an earlier version delete a command without storing its outcome.
 */
export function actionStateOf({
  outcome,
  commandId,
  commandState,
}: Omit<ActionAgentFacts, 'message' | 'commandMessage'>): ActionState {
  if (outcome !== null) return outcome
  if (commandState !== null) return states[commandState]
  return commandId === null ? 'waiting' : 'cancelled'
}

/** The state of one agent in an action, with the agent's own words or the reason why it got no command. */
export function actionOutcomeOf(agent: ActionAgentFacts): { state: ActionState; message: string | null } {
  const state = actionStateOf(agent)
  if (agent.outcome !== null) return { state, message: agent.message }
  return {
    state,
    message: state === 'cancelled' && agent.commandState === null ? agentDeleted : agent.commandMessage,
  }
}

/**
 * Stores the outcomes of agents that are about to be deleted in the rows of actions. Their commands are deleted with
 * them.
 */
export async function keepOutcomes(trx: Db, agentIds: readonly string[]): Promise<void> {
  if (agentIds.length > 0) await keepWhere(trx, 'command.agent_id', agentIds)
}

/** Stores the outcomes of commands that are about to be deleted, while their agent stays, in the rows of actions. */
export async function keepOutcomesOfCommands(trx: Db, commandIds: readonly string[]): Promise<void> {
  if (commandIds.length > 0) await keepWhere(trx, 'command.id', commandIds)
}

async function keepWhere(trx: Db, column: 'command.agent_id' | 'command.id', values: readonly string[]): Promise<void> {
  const rows = await trx
    .selectFrom('command')
    .innerJoin('action_agent', 'action_agent.command_id', 'command.id')
    .select(['command.id', 'command.state', 'command.message'])
    .distinct()
    .where(column, 'in', values)
    .where('outcome', 'is', null)
    .execute()
  for (const { id, state, message } of rows) {
    const open = state === 'queued' || state === 'delivered'
    const kept = open ? { outcome: 'cancelled' as const, message: agentDeleted } : { outcome: states[state], message }
    await trx.updateTable('action_agent').set(kept).where('command_id', '=', id).execute()
  }
}

/**
 * Marks the commands as shared in the actions that sent them, because somebody asked for the same command while it was
 * pending (D5).
 */
export async function noteSharedCommands(trx: Db, commandIds: readonly string[]): Promise<void> {
  if (commandIds.length === 0) return
  await trx.updateTable('action_agent').set({ shared: 1 }).where('command_id', 'in', commandIds).execute()
}
