/**
 * Decides whether and when a message is sent to a personal channel (at once, in a digest, or after quiet hours), and
 * when an alert that nobody acknowledged is sent to a second set of channels. None of this changes how rules are
 * evaluated. Pure.
 */
import type { AlertLevel, ChannelPace, MessageType, RuleName } from '@svc/api'
import type { AlertRow } from '../../platform/db/tables.ts'
import { endOfHours, type Hours, nextTime } from './hours.ts'
import type { Alert } from './judge.ts'

const eightOClock = 8 * 60
const everyDay = [1, 2, 3, 4, 5, 6, 7] as const
const mondays = [1] as const

/** The preferences of a person for one of their channels. */
export interface PersonPreferences {
  /** The rules about which the person wants messages; null means all rules. */
  rules: readonly RuleName[] | null
  pace: ChannelPace
  /** The hours in which no messages are sent; null means that there are none. */
  quiet: Hours | null
  /** True if alerts of the level bad are sent even in quiet hours. */
  badPasses: boolean
  zone: string
}

/** The facts about a message that decide when a person gets it. */
export interface DueMessage {
  rule: RuleName
  level: AlertLevel
  type: MessageType
}

/**
 * The time at which a message about a change may be sent to this person; undefined if they do not want messages about
 * its rule.
 */
export function personalSendTime(
  { rules, pace, quiet, badPasses, zone }: PersonPreferences,
  change: DueMessage,
  now: number,
): number | undefined {
  if (rules !== null && !rules.includes(change.rule)) return undefined
  const paced =
    pace === 'at_once' ? now : nextTime({ days: pace === 'daily' ? everyDay : mondays, from: eightOClock, zone }, now)
  if (quiet === null || (badPasses && change.level === 'bad')) return paced
  // Quiet hours that never end would hold messages back forever, so these messages are sent when it is next eight
  // o'clock.
  return endOfHours(quiet, paced) ?? nextTime({ days: everyDay, from: eightOClock, zone }, paced)
}

/** The second set of channels of a rule, and when it gets an alert. */
export interface Escalation {
  /**
   * The milliseconds for which an alert must be open without an acknowledgement before it is sent to the second
   * channels.
   */
  after: number
  channels: readonly string[]
}

/**
 * True if an alert has been open without an acknowledgement for long enough to be sent to the second channels. Unsteady
 * and muted alerts are never sent to them.
 */
export const isEscalating = (
  { after }: Escalation,
  { phase, unsteadySince, openedAt, acknowledged, muted, told }: Alert,
  now: number,
): boolean =>
  (phase === 'open' || phase === 'closing') &&
  told === 'open' &&
  unsteadySince === null &&
  acknowledged === null &&
  !muted &&
  openedAt !== null &&
  now - openedAt >= after

/** True if the alert must now be sent to the second channels. An alert without a stored row waits until it has one. */
export const isEscalationDue = (
  { escalation }: { escalation: Escalation | null },
  row: Pick<AlertRow, 'escalated_at'> | undefined,
  alert: Alert | undefined,
  now: number,
): boolean =>
  escalation !== null &&
  row !== undefined &&
  row.escalated_at === null &&
  alert !== undefined &&
  alert.endedAt === null &&
  isEscalating(escalation, alert, now)
