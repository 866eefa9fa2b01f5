/** Actions: presses on many agents, with the outcome for each. */
import { controls } from '@svc/protocol'

/** `lift` lifts the hold on a runtime version; `delete` deletes agents that never reported. */
export const actionTypes = [...controls, 'set', 'log', 'lift', 'delete'] as const
export type ActionType = (typeof actionTypes)[number]

/**
 * The outcome of an action for one agent: the command is queued (`waiting`) or delivered (`sent`); the agent carried it
 * out or refused it; it was never delivered (`expired`); there was no answer in time, or the agent no longer offers it
 * (`failed`); nothing was sent to the agent (`skipped`), or somebody cancelled it.
 */
export const actionStates = [
  'applied',
  'refused',
  'failed',
  'expired',
  'sent',
  'waiting',
  'skipped',
  'cancelled',
] as const
export type ActionState = (typeof actionStates)[number]

/** The states after which *Retry the rest* sends the command again. */
export const retriedStates: readonly ActionState[] = ['expired', 'failed']

/** The reason for which an action skips an agent without a report. The page counts these agents separately. */
export const neverReported = 'The agent has never reported.'

export interface NewAction {
  type: ActionType
  /** The names of the agents. */
  agents: string[]
  /** The payload of the command. */
  values?: Record<string, unknown>
  /** The filter by which the agents were chosen. It is only remembered. */
  filter?: string
}

export interface ActionRow {
  id: string
  type: ActionType
  values: Record<string, unknown>
  by: string
  at: number
  filter: string | null
  /** The id of the action whose rest this action sent again. */
  retryOf: string | null
  counts: Record<ActionState, number>
}
interface ActionAgent {
  name: string
  state: ActionState
  /** The words of the agent, or the reason why nothing was sent. */
  message: string | null
}
export interface ActionPage extends ActionRow {
  /** All agents of the action, sorted by name. */
  agents: ActionAgent[]
}
export interface Actions {
  rows: ActionRow[]
  /** True if there are older actions. The page requests those that come before the last row. */
  more: boolean
}
export interface ActionPreview {
  /** The number of agents that would get the command. */
  sends: number
  skips: { name: string; message: string }[]
}
