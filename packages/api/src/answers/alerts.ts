/**
 * Answers of the service about alerts, their rules, channels and deliveries, by the conventions of workspaces.ts. Other
 * programs rely on these names and shapes, which the `--json` output and the messages of channels have, too.
 */
import type { AlertSubject } from '../words/alerts.ts'
import type { RuleName } from '../words/rules.ts'
import type { FilterPlace } from './fleet.ts'

export const alertLevels = ['warn', 'bad'] as const
export type AlertLevel = (typeof alertLevels)[number]

export type AlertState = 'pending' | 'open' | 'closing' | 'unsteady' | 'ended'

export interface Acknowledgement {
  by: string
  /** When the alert was acknowledged, in Unix milliseconds. */
  at: number
  note: string | null
}

/** The number of alerts that a request acknowledged. Ended or already acknowledged alerts are not counted. */
export interface AcknowledgeResult {
  acknowledged: number
}

/** An alert as lists and the command line show it. */
export interface ListedAlert {
  id: string
  rule: RuleName
  level: AlertLevel
  subject: AlertSubject
  state: AlertState
  /** When the condition of the alert began to hold, as far as that is known. */
  since: number
  openedAt: number | null
  endedAt: number | null
  acknowledged: Acknowledgement | null
  muted: boolean
}

/** An alert as pages show it. */
export interface AlertLine extends ListedAlert {
  /**
   * A few words about what is wrong, such as the label that the agent reports; null if there are none. An alert that
   * has ended keeps the words of its last message.
   */
  label: string | null
  /** The current name of the agent that the alert is about; null if it is about no agent, or the agent was deleted. */
  agent: string | null
  /** The id of the rollout that the alert is about; null if it is about none. */
  rollout: string | null
  /**
   * The id of the rollout in which the update of the agent failed. Present only if another open alert of this answer is
   * about that rollout.
   */
  within?: string
  /**
   * The agents of a mass outage; null for other alerts. `of` is the number of agents of the workspace that had ever
   * reported. `offline` is the number of agents in `names` that are still offline, or null if it was not counted.
   */
  agents: { names: string[]; of: number; offline: number | null } | null
}

export interface AlertLines {
  rows: AlertLine[]
  more: boolean
}

/** An alert as a timeline draws it. */
export interface AlertBar extends Pick<ListedAlert, 'id' | 'rule' | 'level' | 'subject' | 'endedAt'> {
  openedAt: number
  /** True if the agent that the alert is about was deleted; absent for all others. */
  gone?: true
}

/** The alerts of the last days: first the open ones, then the ended ones, both the newest first. */
export interface AlertTimeline {
  rows: AlertBar[]
  /** True if older alerts of these days did not fit into the answer. */
  more: boolean
}

/** The kinds of messages about an alert. */
const messageTypes = ['alert.opened', 'alert.acknowledged', 'alert.ended', 'alert.unsteady', 'alert.reminder'] as const
export type MessageType = (typeof messageTypes)[number]

/** The settings of a rule that its condition and its messages need. */
export interface RuleRow {
  rule: RuleName
  on: boolean
  /** The seconds for which the condition of the rule must hold before an alert opens. */
  after: number
  level: AlertLevel
  /** The limit of the rule `cost_day` in US dollars; null if none is set, and for other rules. */
  limit: number | null
  statuses: string[] | null
  /**
   * The names of the channels that are notified about the rule's alerts; null means all channels of the workspace
   * except those in `escalation`.
   */
  channels: string[] | null
  /** The filter that names the agents for which the rule is judged, such as `tag:prod`; null means all agents. */
  filter: string | null
}

/** The agents of a workspace that the filter of a rule selects. */
export interface RuleFits {
  /** The number of agents for which the rule is judged. */
  agents: number
  /** The negated terms that exclude no agent, each by its place in the filter; missing if there are none. */
  idle?: FilterPlace[]
}

/** A rule for alerts as the page shows it. */
export interface RuleSettings extends RuleRow {
  /** The agents that the rule's filter selects; missing for a rule without a filter. */
  fits?: RuleFits
  /** True if messages about an open alert of the level Bad are repeated until somebody acknowledges it. */
  reminds: boolean
  /**
   * The second set of channels of a rule. These channels are notified when an alert has been open for `after` seconds
   * and nobody has acknowledged it; null if the rule has no second set.
   */
  escalation: { after: number; channels: string[] } | null
}

/** The settings of a workspace for the content of messages about its alerts. */
export interface AlertSettings {
  /** True if messages may contain the details that an agent reports about itself. */
  detail: boolean
}

/**
 * The hours in which an agent is expected to report, such as `weekdays 08:00-19:00 Europe/Berlin`; null means always.
 */
export interface AgentHours {
  hours: string | null
}

export const channelKinds = [
  'webhook',
  'email',
  'slack',
  'discord',
  'telegram',
  'ntfy',
  'matrix',
  'pushover',
  'teams',
  'gotify',
  'apprise',
  'push',
] as const
export type ChannelKind = (typeof channelKinds)[number]

export const messageFormats = ['single', 'grouped'] as const
export type MessageFormat = (typeof messageFormats)[number]

/** A mute, during which no messages are sent about the alerts that it covers. A null `agent` or `rule` covers all. */
export interface MuteRow {
  id: string
  agent: string | null
  rule: RuleName | null
  /** The only health item of the agent that is muted; null means that the mute is not limited to one item. */
  item: string | null
  /** When the mute ends; null means when all alerts that it covers have ended. */
  until: number | null
  /** When the mute begins, which may be in the future for planned work. */
  from: number
  by: string
}

export const deliveryStates = ['waiting', 'sent', 'dead'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** A channel of the workspace, without its secret. */
export interface ChannelRow {
  name: string
  kind: ChannelKind
  format: MessageFormat
  enabled: boolean
  /**
   * The reason why the service disabled this channel; null if the channel is enabled, or if a person disabled it. For
   * members, the reason is a general sentence.
   */
  disabledBecause: string | null
  /** When messages about alerts to this channel began to fail, in Unix milliseconds; null if they do not fail. */
  failingSince: number | null
  /**
   * The part of the channel's address that is not secret. Members who do not own the channel see only the origin of a
   * URL, and null for other addresses.
   */
  address: string | null
  /** The last answer of the receiver; null before the first one, and for members who do not own the channel. */
  lastAnswer: string | null
  /** When the service last tried to send a message to this channel, in Unix milliseconds. */
  lastAt: number | null
}

/** The kinds of channels that a person may have. */
export const personalKinds = ['email', 'push'] as const satisfies readonly ChannelKind[]

/**
 * When a personal channel sends its messages: at once, or collected in a digest each day, or each Monday, at 08:00 in
 * the time zone of the channel.
 */
export const channelPaces = ['at_once', 'daily', 'weekly'] as const
export type ChannelPace = (typeof channelPaces)[number]

/**
 * The hours in which a personal channel gets no messages, apart from those that `badPasses` lets through. Messages that
 * were held back are sent when these hours end.
 */
export interface QuietHours {
  /** The days on which quiet hours begin: 1 is Monday, 7 is Sunday. */
  days: number[]
  /** The time at which quiet hours begin, such as `22:00`. */
  from: string
  /**
   * The time at which quiet hours end, such as `07:00`. If it is not later than the time at which they begin, it is on
   * the next day.
   */
  to: string
}

/** A channel that belongs to one person, in one workspace. */
export interface PersonalChannelRow extends ChannelRow {
  /** The rules whose alerts are sent to this personal channel; null means all rules. */
  rules: RuleName[] | null
  pace: ChannelPace
  quiet: QuietHours | null
  /** True if this personal channel gets alerts of the level Bad even during its quiet hours. */
  badPasses: boolean
  /** The time zone for the digest and the quiet hours of this personal channel, such as `Europe/Berlin`. */
  zone: string
}

/** A channel that was just added. */
export interface NewChannel {
  name: string
  kind: ChannelKind
  /** The secret of a new channel, present only if the service generated it. It is shown only in this answer. */
  secret?: string
}

/** A test message that was queued. Its result can be read by the id of its delivery. */
export interface QueuedTest {
  id: string
}

/**
 * The result of a test message to a channel. `status` is the HTTP status with which the receiver answered; null if no
 * answer came.
 */
export interface ChannelTest {
  ok: boolean
  status: number | null
  message: string
}

/** A test message with its state. In the state `waiting`, `ok` is false and `message` is empty. */
export interface FollowedTest extends ChannelTest {
  state: DeliveryState
}

/** The delivery of one message to one channel. */
export interface DeliveryRow {
  id: string
  channel: string
  kind: 'alert' | 'test'
  state: DeliveryState
  attempt: number
  lastAnswer: string | null
  /** The title of the message; null until the delivery is first due, when the service writes the message. */
  title: string | null
  createdAt: number
  /** When the service next tries to send the message; null if it will not try again. */
  dueAt: number | null
}
