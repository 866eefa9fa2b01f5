/** Actions: commands that a person sends to many agents at once, with the outcome for each agent. */
import { controls, type Setting, type SettingValue } from '@svc/protocol'
import type { LeftOff } from '../left-off.ts'

/** `lift` lifts the hold on a runtime version; `delete` deletes agents that never reported. */
export const actionTypes = [...controls, 'set', 'log', 'lift', 'delete'] as const
export type ActionType = (typeof actionTypes)[number]

/** The states of one agent in an action. */
export const actionStates = [
  'applied',
  'refused',
  /** The agent did not answer in time, or stopped offering the command. */
  'failed',
  /** The command was not delivered in time. */
  'expired',
  /** The command is delivered, but not answered. */
  'sent',
  /** The command is not delivered yet. */
  'waiting',
  /** The agent got no command. */
  'skipped',
  /** Somebody cancelled the command or deleted the agent. */
  'cancelled',
] as const
export type ActionState = (typeof actionStates)[number]

/** The states after which *Retry the rest* sends the command again. */
export const retriedStates: readonly ActionState[] = ['expired', 'failed']

/** The reason for which an action skips an agent without a report. The page counts these agents separately. */
export const neverReported = 'The agent has never reported.'
/** The message for an agent that was deleted while its command was pending. The page shows its name without a link. */
export const agentDeleted = 'The agent was deleted.'

/** The request that sends an action. */
export interface NewAction {
  type: ActionType
  /** The names of the agents. */
  agents: string[]
  /** The payload of the command. */
  values?: Record<string, unknown>
  /** The filter by which the agents were chosen, for display only. */
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
  /** The id of the action that this action retries; null if it is no retry. */
  retryOf: string | null
  counts: Record<ActionState, number>
}
interface ActionAgent {
  name: string
  state: ActionState
  /** The agent's own words, or the reason for its state; null if there is none. */
  message: string | null
  /** The id of the log with which the agent answered; absent if there is none or it has expired. */
  log?: string
}
/** An action with its agents. */
export interface ActionPage extends ActionRow, LeftOff {
  /** The agents of the action, or only those in the requested state, sorted by name. */
  agents: ActionAgent[]
  /** The later actions that retried this one. */
  retries?: { id: string; by: string; at: number }[]
}
/** A page of the list of actions. */
export interface Actions {
  rows: ActionRow[]
  /** True if there are older actions. */
  more: boolean
}
/** The agents that an action would reach, and those that it would skip. */
export interface ActionPreview extends LeftOff {
  /** The number of agents that would get the command. */
  sends: number
  skips: { name: string; message: string }[]
}

/** The types of command for which a person chooses a setting or a log that the agents offer. */
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
  /** The setting as the first agent by name declares it, but with the widest bounds that any agent declares. */
  setting: Setting
  /** The number of agents that declare the setting. */
  agents: number
  /** The three values that agents report most often for the setting, the most frequent first. */
  values: { value: SettingValue; agents: number }[]
}
/** A log that some of the agents offer. */
export interface OfferedLog {
  name: string
  agents: number
}
