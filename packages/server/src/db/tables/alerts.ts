/**
 * Alerts, their rules, mutes and channels, and deliveries on their way. `scope` is the id of a workspace, or `@service` for what
 * concerns the service itself; `workspace_id` repeats it where it is one, so that rows go with their workspace.
 */
import type { AlertLevel, AlertSubject, ChannelKind, DeliveryState, MessageFormat, RuleName } from '@svc/api'

/** The settings of a rule. A null column has the default of alerts/conditions.ts. */
export interface AlertRuleTable {
  scope: string
  workspace_id: string | null
  rule: RuleName
  is_on: number | null
  after_s: number | null
  limit_micro: number | null
  /** JSON array. */
  statuses: string | null
  /** JSON array of ids of channels; null: all channels of the workspace. */
  channels: string | null
  reminds: number | null
}

/** One row from the moment a condition begins to hold; kept 400 days after its end. At most one of a rule and subject has not ended. */
export interface AlertTable {
  id: string
  scope: string
  workspace_id: string | null
  rule: RuleName
  level: AlertLevel
  subject_kind: AlertSubject['kind']
  subject_id: string
  /** The name at the beginning. */
  subject_name: string
  /** The single event that it is about, such as a command: an event makes one alert, once. */
  cause: string | null
  phase: 'pending' | 'open' | 'closing' | 'calm'
  phase_since: number
  since: number
  label: string | null
  /** JSON array of times. */
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
  frozen: number
  muted: number
  /** JSON of a mass silence: the agents that it names. */
  agents: string | null
  /** Counts the changes: of two nodes that judged the same row, one writes. */
  version: number
}

export interface AlertMuteTable {
  id: string
  scope: string
  workspace_id: string | null
  /** Null: every agent, and what is about none. */
  agent_id: string | null
  rule: RuleName | null
  from_at: number
  /** Null: until nothing that it covers is open. */
  until_at: number | null
  created_at: number
  created_by: string | null
  created_by_name: string
  /** Lifted, or over. */
  ended_at: number | null
}

export interface AlertChannelTable {
  id: string
  scope: string
  workspace_id: string | null
  /** The person whose channel it is; null: it belongs to the workspace. */
  person_id: string | null
  /** The id of that person, or empty: names are unique for each. */
  owner: string
  name: string
  kind: ChannelKind
  format: MessageFormat
  /** 0: nothing is sent; `disabled_why` says why where no person did it. */
  enabled: number
  disabled_why: string | null
  /** The part of its address that may be shown. */
  shown: string
  /** Address, token and signing secret, JSON, sealed (deliveries/seal.ts). */
  sealed: string
  created_at: number
  created_by_name: string
  last_answer: string | null
  last_at: number | null
  /** When a group was last sent. */
  grouped_at: number | null
  /** Since when it was tried and nothing was taken. */
  failing_since: number | null
  /** Deliveries that died since one was taken. */
  dead: number
}

/** One message to one channel. `id` is its `webhook-id`, the same on every try. */
export interface AlertDeliveryTable {
  id: string
  channel_id: string
  kind: 'alert' | 'test'
  /** JSON array of what it tells (alerts/message.ts); empty for a test. */
  changes: string
  /** JSON of the text and the body that are sent; never changed once it is there. Null: it still waits for others of its group. */
  body: string | null
  state: DeliveryState
  tries: number
  created_at: number
  /** When to try next; null once it is sent or dead. */
  due_at: number | null
  /** A node tries it until then. */
  leased_until: number | null
  ended_at: number | null
  last_answer: string | null
}

/** One row: which node evaluates, and until when nobody else does. */
export interface AlertLeaseTable {
  id: number
  holder: string
  until_at: number
  /** The last evaluation that was completed. */
  turned_at: number | null
}

/** When an agent is expected to report (alerts/hours.ts); no row: always. */
export interface AgentHoursTable {
  agent_id: string
  hours: string
}
