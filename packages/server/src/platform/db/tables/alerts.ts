/**
 * Alerts, their rules, mutes and channels, and the deliveries of messages. `scope` is the id of a workspace, or
 * `@service` for alerts about the service itself. `workspace_id` is the same id, or null for `@service`: the database
 * deletes the rows with their workspace.
 */
import type { AlertLevel, AlertSubject, ChannelKind, DeliveryState, MessageFormat, RuleName } from '@svc/api'
import type { Generated } from 'kysely'

/**
 * The settings of an alert rule that people changed. Where a column is null, the default in alerts/rules/rules.ts
 * applies.
 */
export interface AlertRuleTable {
  scope: string
  workspace_id: string | null
  rule: RuleName
  is_on: number | null
  after_s: number | null
  limit_micro: number | null
  /** The run statuses that count as failed, as a JSON array. */
  statuses: string | null
  /**
   * The ids of the workspace's channels that get the messages of this rule, as a JSON array; null means all except
   * those in `escalation_channels`. Personal channels follow the preferences of their person.
   */
  channels: string | null
  /** The filter that names the agents for which the rule is judged; null means all. */
  filter: string | null
  reminds: number | null
  /**
   * The seconds without an acknowledgement after which an alert of this rule is also sent to the channels of
   * `escalation_channels`; null if it never is.
   */
  escalation_s: number | null
  /**
   * The ids of the channels that get an alert of this rule if nobody acknowledges it in time, as a JSON array; null if
   * the alert is never escalated.
   */
  escalation_channels: string | null
}

/**
 * Alerts; for each rule, subject and item, at most one has not ended. A row is inserted when a condition starts to
 * hold. It is deleted if the alert never opens, and otherwise kept for 400 days after the alert has ended.
 */
export interface AlertTable {
  id: string
  scope: string
  workspace_id: string | null
  rule: RuleName
  level: AlertLevel
  subject_kind: AlertSubject['kind']
  subject_id: string
  /** The name of the subject of the alert when the row was last written. */
  subject_name: string
  /** The health item of the agent that an alert of the rule `item` is about; '' for all other alerts. */
  item: Generated<string>
  /** The id of the single event that the alert is about, such as a command. At most one alert is made for an event. */
  cause: string | null
  phase: 'pending' | 'open' | 'closing' | 'calm'
  phase_since: number
  since: number
  label: string | null
  /**
   * The times at which this alert, and earlier ones of the same rule and subject, opened, as a JSON array. Each opening
   * removes the times that are more than an hour old.
   */
  openings: string
  unsteady_since: number | null
  opened_at: number | null
  ended_at: number | null
  acknowledged_by: string | null
  acknowledged_at: number | null
  note: string | null
  told: 'nothing' | 'open' | 'unsteady' | 'ended'
  told_at: number | null
  reminders: number
  /** When the alert was sent to the rule's `escalation_channels`; null if it was not. */
  escalated_at: number | null
  frozen: number
  muted: number
  /** The agents of an alert about a mass outage, as JSON; null for all other alerts. */
  agents: string | null
  /**
   * The number of changes of the row. A node writes the row only if this number is still the one that the node read, so
   * of two nodes that judge the same alert only one changes it.
   */
  version: number
}

export interface AlertMuteTable {
  id: string
  scope: string
  workspace_id: string | null
  /** The muted agent; null if the mute covers all agents, and alerts that are not about an agent. */
  agent_id: string | null
  rule: RuleName | null
  /**
   * The muted health item of the agent; null if the mute is not about a single item. If there is an item, `rule` is
   * `item`: a node that does not know this column would otherwise mute all rules of the agent.
   */
  item: string | null
  from_at: number
  /** When the mute ends; null means that it ends when every alert that it covers has ended. */
  until_at: number | null
  created_at: number
  created_by: string | null
  created_by_name: string
  /** When the mute was lifted, or found to be over; null while it lasts. */
  ended_at: number | null
}

export interface AlertChannelTable {
  id: string
  scope: string
  workspace_id: string | null
  /** The person who owns a personal channel; null for a channel of the workspace. */
  person_id: string | null
  /**
   * The id of the person who owns a personal channel, or '' for a channel of the workspace. It is part of the
   * unique key, so that the channels of one owner have different names.
   */
  owner: string
  name: string
  /**
   * The person's preferences for the channel as JSON (alerts/rules/preferences.ts); null for a channel of the
   * workspace.
   */
  preferences: string | null
  kind: ChannelKind
  format: MessageFormat
  /**
   * 1 if alerts are sent to the channel, otherwise 0. If the service disabled the channel, `disabled_why` is the
   * reason.
   */
  enabled: number
  disabled_why: string | null
  /** The part of the channel's address that is not secret and may be shown. */
  shown: string
  /** The address, token and signing secret of the channel as JSON, encrypted (platform/seal.ts). */
  sealed: string
  created_at: number
  created_by_name: string
  last_answer: string | null
  last_at: number | null
  /**
   * When several changes were last written as one message to this channel, in Unix milliseconds; null if none was. It
   * limits how soon the next group is sent.
   */
  grouped_at: number | null
  /**
   * The time of the first failed try to send an alert since a message was last accepted or the channel was enabled;
   * null if no try failed.
   */
  failing_since: number | null
  /** The number of alert messages that were given up since a message was last accepted or the channel was enabled. */
  dead: number
  /** The node that sends a message to this channel right now; null if none does. */
  serving_node: string | null
  /** The time until which no other node may send to this channel; null if none sends. */
  serving_until: number | null
  /** 1 if the last message or test was accepted, 0 if it was not, null if nothing was tried. */
  works: number | null
}

/** One message to one channel. `id` is sent as the header `webhook-id`, the same on every try. */
export interface AlertDeliveryTable {
  id: string
  channel_id: string
  /**
   * The position of the delivery in the order in which the messages of its channel were made. It comes from the
   * database, since the clocks of nodes differ.
   */
  seq: Generated<number>
  kind: 'alert' | 'test'
  /**
   * The changes that the message is about (alerts/messages/message.ts), as a JSON array. For a test message the array
   * has one entry, which only names the workspace.
   */
  changes: string
  /**
   * The text and the body that are sent, as JSON; null until the delivery is first due. Once written, they never
   * change.
   */
  body: string | null
  state: DeliveryState
  tries: number
  created_at: number
  /** When the next try to send the message is due; null after the message was sent or given up. */
  due_at: number | null
  /** The time until which only the node that took the delivery may try to send it; null if no node has taken it. */
  leased_until: number | null
  ended_at: number | null
  last_answer: string | null
}

/** The lease for evaluating alerts, in one row: which node evaluates, and until when no other node may. */
export interface AlertLeaseTable {
  id: number
  holder: string
  until_at: number
  /** When the last complete evaluation of all alerts ended; null before the first one. */
  turned_at: number | null
}

/**
 * The weekly hours in which an agent is expected to report (alerts/rules/hours.ts). An agent without a row is expected
 * to report at all times.
 */
export interface AgentHoursTable {
  agent_id: string
  hours: string
}

/** The settings for the messages of a scope. A scope without a row has the defaults. */
export interface AlertSettingTable {
  scope: string
  workspace_id: string | null
  /** 1 if messages about alerts may contain an agent's own words, otherwise 0. */
  detail: number
}
