/**
 * Answers of the service about alerts, their rules, channels and deliveries, by the conventions of answers.ts. These names
 * and shapes are also those of the command line's `--json` and of the bodies that channels send: other programs rely on them.
 */

export const ruleNames = [
  'silent',
  'bad',
  'warning',
  'process',
  'status_stale',
  'binding',
  'update',
  'rollout',
  'command',
  'run_failed',
  'run_long',
  'cost_day',
  'cost_jump',
  'gauge',
  'two_reporters',
  'service',
] as const
export type RuleName = (typeof ruleNames)[number]

const alertLevels = ['warn', 'bad'] as const
export type AlertLevel = (typeof alertLevels)[number]

export type AlertState = 'pending' | 'open' | 'closing' | 'unsteady' | 'ended'

/** The agent, rollout, workspace or service that an alert is about. The name of a workspace is its slug. */
export interface AlertSubject {
  kind: 'agent' | 'rollout' | 'workspace' | 'service'
  name: string
}

export interface Acknowledgement {
  by: string
  /** When the alert was acknowledged, in Unix milliseconds. */
  at: number
  note: string | null
}

export interface AlertRow {
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
export interface AlertLine extends AlertRow {
  /** A few words about what is wrong, such as the label that the agent reports. */
  label: string | null
  /** The current name of the agent that the alert is about; null if it is about no agent, or the agent was deleted. */
  agent: string | null
  /** The id of the rollout that the alert is about; null if it is about none. */
  rollout: string | null
  /**
   * For an alert about many agents that went offline at once: their names, and how many agents of the workspace have
   * ever reported (`of`). Null for other alerts.
   */
  agents: { names: string[]; of: number } | null
}

export interface AlertLines {
  rows: AlertLine[]
  more: boolean
}

/** The kinds of messages about an alert, by what changed. */
const messageTypes = ['alert.opened', 'alert.acknowledged', 'alert.ended', 'alert.unsteady', 'alert.reminder'] as const
export type MessageType = (typeof messageTypes)[number]

export interface RuleRow {
  rule: RuleName
  on: boolean
  /** How many seconds the condition of the rule must hold before an alert opens. */
  after: number
  level: AlertLevel
  /** The limit of the rule in US dollars; null if it has none. */
  limit: number | null
  statuses: string[] | null
  /**
   * The names of the channels that are notified about the rule's alerts; null means all channels of the workspace
   * except those of the second set.
   */
  channels: string[] | null
}

/** A rule for alerts as the page shows it. */
export interface RuleSettings extends RuleRow {
  /** True if an alert of this rule that stays open is sent again from time to time. */
  reminds: boolean
  /**
   * The second set of channels of a rule. It is notified once an alert was open for `after` seconds and nobody
   * acknowledged it; null if there is none.
   */
  escalation: { after: number; channels: string[] } | null
}

/** The settings for the content of messages about the alerts of a workspace. */
export interface AlertSettings {
  /** True if they may contain what an agent says about itself in detail. */
  detail: boolean
}

/** The hours in which an agent is expected to report, such as `weekdays 08:00-19:00 Europe/Berlin`; null means always. */
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

export interface MuteRow {
  id: string
  agent: string | null
  rule: RuleName | null
  /** When the mute ends. Null means that it ends when no alert that it covers is open. */
  until: number | null
  /** When the mute begins, which may be in the future for planned work. */
  from: number
  by: string
}

export const deliveryStates = ['waiting', 'sent', 'dead'] as const
export type DeliveryState = (typeof deliveryStates)[number]

export interface ChannelRow {
  name: string
  kind: ChannelKind
  format: MessageFormat
  enabled: boolean
  /** Why the service itself disabled this channel; null if the channel is enabled, or if a person disabled it. */
  disabledBecause: string | null
  /** The part of this channel's address that may be shown to people. */
  address: string
  lastAnswer: string | null
  /** When the service last tried to send a message to this channel, in Unix milliseconds. */
  lastAt: number | null
}

export const personalKinds = ['email', 'push'] as const satisfies readonly ChannelKind[]

/**
 * When messages are sent: at once, or collected in a digest that is sent each day, or on Mondays, at 08:00 in the time
 * zone of the channel.
 */
export const paces = ['at_once', 'daily', 'weekly'] as const
export type Pace = (typeof paces)[number]

/** The hours in which a personal channel gets no messages. Held-back messages are sent when the hours end. */
export interface QuietHours {
  /** The days on which quiet hours begin: 1 is Monday, 7 is Sunday. */
  days: number[]
  /** The time at which quiet hours begin, such as `22:00`. */
  from: string
  /** The time at which quiet hours end, such as `07:00`. It is on the next day if it is not later than `from`. */
  to: string
}

/** A channel that belongs to one person, in one workspace. */
export interface PersonalChannelRow extends ChannelRow {
  /** The rules whose alerts are sent to this personal channel; null means all rules. */
  rules: RuleName[] | null
  pace: Pace
  quiet: QuietHours | null
  /** True if this personal channel gets alerts of the level Bad even during its quiet hours. */
  badPasses: boolean
  /** The time zone for the digest and the quiet hours of this personal channel, such as `Europe/Berlin`. */
  zone: string
}

export interface NewChannel {
  name: string
  kind: ChannelKind
  /** The secret of a new channel, present only if the service generated it. It is shown only in this answer. */
  secret?: string
}

/**
 * The result of a test message to a channel. `status` is the HTTP status of the receiver's answer; null if none came.
 */
export interface ChannelTest {
  ok: boolean
  status: number | null
  message: string
}

export interface DeliveryRow {
  id: string
  channel: string
  kind: 'alert' | 'test'
  state: DeliveryState
  attempt: number
  lastAnswer: string | null
  /** The title of the delivered message; null while the delivery waits for other messages of its group. */
  title: string | null
  createdAt: number
  /** When the next attempt to send the message is made; null if there is none. */
  dueAt: number | null
}
