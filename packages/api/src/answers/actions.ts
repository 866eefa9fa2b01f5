/** Actions: commands that a person sends to many agents at once, with the outcome for each agent. */
import { controls, type Setting, type SettingValue } from '@svc/protocol'
import type { LeftOff } from '../left-off.ts'

/** `lift` lifts the hold on a runtime version; `delete` deletes agents that never reported. */
export const actionTypes = [...controls, 'set', 'log', 'lift', 'delete'] as const
export type ActionType = (typeof actionTypes)[number]

/**
 * The outcome of an action for one agent: the command is queued or will be (`waiting`), or it is delivered (`sent`);
 * the agent carried it out or refused it; it was never delivered (`expired`); there was no answer in time, or the agent
 * no longer offers it (`failed`); nothing was sent to the agent (`skipped`), or somebody cancelled the command or
 * deleted the agent (`cancelled`).
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
/** The reason for the outcome of an agent that is deleted while its command is pending. The page does not link it. */
export const agentDeleted = 'The agent was deleted.'

/** The request that sends an action. */
export interface NewAction {
  type: ActionType
  /** The names of the agents. */
  agents: string[]
  /** The payload of the command. */
  values?: Record<string, unknown>
  /** The filter by which the agents were chosen. It is only remembered. */
  filter?: string
}

/** An action in a list, with the number of its agents in each state. */
export interface ActionRow {
  id: string
  type: ActionType
  values: Record<string, unknown>
  /** True if the values were too large for a list and were shortened. The page of the action has all of them. */
  short?: true
  by: string
  at: number
  filter: string | null
  /** The id of the action that this one retried for the agents that did not answer it; null if it is no retry. */
  retryOf: string | null
  counts: Record<ActionState, number>
}
interface ActionAgent {
  name: string
  state: ActionState
  /** The words of the agent, or the reason why nothing was sent. */
  message: string | null
  /** The id of the log that the agent sent in answer, while admins can read it. */
  log?: string
}
/** An action with its agents. */
export interface ActionPage extends ActionRow, LeftOff {
  /** All agents of the action, or those in the state that the request names, sorted by name. */
  agents: ActionAgent[]
  /** The later actions that sent the command again to agents that did not answer this one; read only for the page. */
  retries?: { id: string; by: string; at: number }[]
}
/** A page of the list of actions. */
export interface Actions {
  rows: ActionRow[]
  /** True if there are older actions. The page requests those that come before the last row. */
  more: boolean
}
/** The agents that an action would reach, and those that it would skip. */
export interface ActionPreview extends LeftOff {
  /** The number of agents that would get the command. */
  sends: number
  skips: { name: string; message: string }[]
}

/** The commands whose values a person chooses among those that agents offer. */
export const chosenTypes = ['set', 'log'] as const satisfies readonly ActionType[]

export interface ActionOffersInput {
  type: (typeof chosenTypes)[number]
  /** The names of the agents. */
  agents: string[]
}
/**
 * The settings or logs that some agents offer, the most frequent first. One of the two lists is empty: `logs` for the
 * type `set`, and `settings` for the type `log`.
 */
export interface ActionOffers {
  settings: OfferedSetting[]
  logs: OfferedLog[]
}
/** A setting that some of the agents offer. */
export interface OfferedSetting {
  /** The setting as the first of the agents declares it, with the widest bounds that any of them declares. */
  setting: Setting
  /** The number of agents that declare it. */
  agents: number
  /** The values that agents report for the setting, the most frequent first. */
  values: { value: SettingValue; agents: number }[]
}
/** A log that some of the agents offer. */
export interface OfferedLog {
  name: string
  agents: number
}
