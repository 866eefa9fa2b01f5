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
  /** Unix milliseconds. */
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
  /** A few words on what is wrong, such as the label of a level. */
  label: string | null
  /** The agent that it is about, by its name of today; null if it is about none, or the agent was deleted. */
  agent: string | null
  /** The id of the rollout that it is about. */
  rollout: string | null
  /** The agents of a mass silence, and the number of agents of which they fell silent. */
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
  /** How many seconds the condition must hold before an alert opens. */
  after: number
  level: AlertLevel
  /** A limit in US dollars. */
  limit: number | null
  statuses: string[] | null
  /** The names of the channels that are notified; null means all channels of the workspace. */
  channels: string[] | null
}

/** A rule as the page shows it. */
export interface RuleSettings extends RuleRow {
  /** False: an alert that stays open is not repeated. */
  reminds: boolean
  /** The second set of channels, which is notified once an alert was open for `after` seconds and nobody acknowledged it. */
  escalation: { after: number; channels: string[] } | null
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
  /** When it begins, for a planned window. */
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
  /** The reason for which the service disabled the channel; null if it is enabled or a person disabled it. */
  disabledBecause: string | null
  /** The part of the channel's address that may be shown. */
  address: string
  lastAnswer: string | null
  /** Unix milliseconds. */
  lastAt: number | null
}

export const personalKinds = ['email', 'push'] as const satisfies readonly ChannelKind[]

/** At once, or in a digest at 08:00 of the time zone: each day, or on Mondays. */
export const paces = ['at_once', 'daily', 'weekly'] as const
export type Pace = (typeof paces)[number]

/** The hours in which a personal channel gets no messages. They are sent when the hours end. */
export interface QuietHours {
  /** 1 is Monday, 7 is Sunday: the days on which the hours begin. */
  days: number[]
  /** A time such as `22:00`. */
  from: string
  /** A time such as `07:00`, on the next day if it is not later than `from`. */
  to: string
}

/** A channel that belongs to one person, in one workspace. */
export interface PersonalChannelRow extends ChannelRow {
  /** The rules whose alerts are sent; null means all. */
  rules: RuleName[] | null
  pace: Pace
  quiet: QuietHours | null
  /** True: alerts of the level bad are also sent in quiet hours. */
  badPasses: boolean
  /** A time zone such as `Europe/Berlin`, for the digest and the quiet hours. */
  zone: string
}

export interface NewChannel {
  name: string
  kind: ChannelKind
  /** Present only if the service generated the secret. It is shown only in this answer. */
  secret?: string
}

/** The result of a test message. `status` is the HTTP status; null if no answer came. */
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
  /** The title of its message; null while it waits for others of its group. */
  title: string | null
  createdAt: number
  /** The time of the next try; null when there is none. */
  dueAt: number | null
}
