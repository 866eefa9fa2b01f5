/**
 * When a personal channel is sent what concerns it: at once, in a digest, or after quiet hours; and when a second set of channels
 * learns about an alert that nobody acknowledged. Pure: only the time of delivery changes, never what is evaluated.
 */
import type { AlertLevel, MessageType, RuleName } from '@svc/api'
import { endOf, type Hours, nextTime } from './hours.ts'
import type { Alert } from './judge.ts'

const eight = 8 * 60
const everyDay = [1, 2, 3, 4, 5, 6, 7] as const
const monday = [1] as const

type Pace = 'at_once' | 'daily' | 'weekly'

/** The wishes of a person for one of their channels. */
export interface Preferences {
  /** Null: all rules. */
  rules: readonly RuleName[] | null
  pace: Pace
  /** Null: none. */
  quiet: Hours | null
  /** An alert of the level bad is sent in quiet hours, too. */
  badPasses: boolean
  zone: string
}

export interface Due {
  rule: RuleName
  level: AlertLevel
  type: MessageType
}

/** When a change may be sent; undefined: this person does not want it. */
export function sendAt(
  { rules, pace, quiet, badPasses, zone }: Preferences,
  change: Due,
  now: number,
): number | undefined {
  if (rules !== null && !rules.includes(change.rule)) return undefined
  const paced =
    pace === 'at_once' ? now : nextTime({ days: pace === 'daily' ? everyDay : monday, from: eight, zone }, now)
  if (quiet === null || (badPasses && change.level === 'bad')) return paced
  // Hours without an end would keep everything back forever: such a message waits until the next digest.
  return endOf(quiet, paced) ?? nextTime({ days: everyDay, from: eight, zone }, paced)
}

interface Escalation {
  /** How long nobody acknowledges it before the second channels learn about it. */
  after: number
  channels: readonly string[]
}

/** True once an alert has been open for so long without an acknowledgement. An unsteady or muted one does not escalate. */
export const escalates = (
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
