/**
 * The states of an alert: pending, open, closing, ended, and unsteady if it opens again and again. Pure: `judgeRule`
 * gets a finding, the alert so far and the time, and returns the new alert with at most one message. A message needs a
 * change of state, the end of a mute, or a reminder that is due.
 */
import type { Acknowledgement, AlertLevel, AlertState, MessageType } from '@svc/api'
import type { ConditionFinding, Rule } from './conditions.ts'
import { endDelayOf, isWordedByAgents } from './rules.ts'

const minute = 60_000
const hour = 60 * minute
/** An alert that opens for the third time within this time becomes unsteady. */
export const openingsWithin = hour
const openingsMax = 3

/** The times at which these alerts opened. A time that occurs in several alerts about one item counts once. */
export function openingTimes(alerts: readonly { item: string; openings: readonly number[] }[]): number[] {
  const byItem = new Map<string, Set<number>>()
  for (const { item, openings } of alerts) byItem.set(item, new Set([...(byItem.get(item) ?? []), ...openings]))
  return [...byItem.values()].flatMap((times) => [...times])
}

/** An unsteady alert counts as settled when it has been open, or calm, for this long without a break. */
const settledAfter = 30 * minute
const remindFirst = hour
const remindAgain = 24 * hour

/**
 * The phase of the alert's condition. In the phase `calm` the condition is gone, but the alert is kept because it is
 * unsteady.
 */
type Phase = 'pending' | 'open' | 'closing' | 'calm'

/** The state of one alert, which evaluations change. Times are Unix milliseconds. */
export interface Alert {
  phase: Phase
  /**
   * When the current phase of this alert started. If the condition could not be judged for a while, the phases
   * `pending` and `closing` start again.
   */
  phaseSince: number
  /** When the condition started, as messages about the alert say. */
  since: number
  level: AlertLevel
  label: string | null
  /**
   * The times at which this alert, and earlier ones of the same rule and subject, opened. Each opening removes the
   * times that are more than an hour old.
   */
  openings: readonly number[]
  /**
   * For an unsteady alert, when it last opened, became calm, or could be judged again. 30 minutes later it counts as
   * settled. Null for other alerts.
   */
  unsteadySince: number | null
  openedAt: number | null
  endedAt: number | null
  acknowledged: Acknowledgement | null
  /**
   * The state of the alert that its last message gave. It is also `ended` if the alert ended without a message because
   * its rule no longer applies.
   */
  told: 'nothing' | 'open' | 'unsteady' | 'ended'
  /**
   * `toldAt` is when the last message about this alert was queued; null if none was. `reminders` is the number of
   * reminders since the last message of another type.
   */
  toldAt: number | null
  reminders: number
  /** True if the last evaluation could not judge the condition. */
  frozen: boolean
  /** True if a mute covered the alert at the last evaluation. */
  muted: boolean
}

/**
 * The messages that an evaluation can send. `alert.acknowledged` is not one of them, because only a person causes it.
 */
export type EvaluationMessage = Exclude<MessageType, 'alert.acknowledged'>

/** The result of judging an alert: its new state, and the message to send. */
export interface JudgedAlert {
  /** The alert to keep; undefined if there is none. */
  alert: Alert | undefined
  message: EvaluationMessage | undefined
}

type HoldingFinding = Extract<ConditionFinding, { is: 'holds' }>

/** The facts by which an alert is judged, besides the finding. */
interface Situation {
  now: number
  muted: boolean
  /** The times at which earlier alerts of the same rule and subject opened. */
  openings?: readonly number[]
}

const none: JudgedAlert = { alert: undefined, message: undefined }

export const alertStateOf = ({ endedAt, unsteadySince, phase }: Alert): AlertState =>
  endedAt !== null ? 'ended' : unsteadySince !== null || phase === 'calm' ? 'unsteady' : phase

/** True if the alert is open. It stays open while its condition is gone for too short a time to end the alert. */
export const isAlertOpen = ({ endedAt, openedAt, phase }: Alert): boolean =>
  endedAt === null && openedAt !== null && (phase === 'open' || phase === 'closing')

/** The next state of an alert after a finding. `alert` is its state so far; undefined if there was no alert. */
export function judgeRule(
  rule: Rule,
  finding: ConditionFinding,
  alert: Alert | undefined,
  situation: Situation,
): JudgedAlert {
  if (alert?.endedAt != null) return afterItsEnd(alert, situation)
  const before = alert && onThisClock(alert, situation.now)
  const settles = finding.is === 'over' && finding.mayReturn === true && before != null && before.unsteadySince !== null
  if (finding.is === 'over' && !settles) return before ? overNow(before, situation) : none
  const after =
    finding.is === 'unknown'
      ? before && freeze(before)
      : moved(
          rule,
          finding.is === 'over' ? { is: 'clear' } : finding,
          before && thawed(before, situation.now),
          situation,
        )
  if (!after) return none
  const settled = settle(after, situation.now)
  const judged = decideMessage(rule, settled, situation)
  // A message has the label of the present finding. It is also stored, since the row is written anyway.
  if (judged.message === undefined || !judged.alert || finding.is !== 'holds') return judged
  return { ...judged, alert: { ...judged.alert, label: labelOf(rule, finding, judged.alert) } }
}

/** The label of an alert whose condition holds. A finding about a single item has none, so its alert keeps its own. */
const labelOf = ({ name }: Rule, { label }: HoldingFinding, alert: Alert): string | null =>
  label ?? (name === 'item' ? alert.label : null)

/**
 * Applies a finding to the phase of an alert. Undefined means that no alert is kept: there was none, or it was only
 * pending and its condition is gone.
 */
function moved(
  rule: Rule,
  finding: Extract<ConditionFinding, { is: 'holds' | 'clear' }>,
  alert: Alert | undefined,
  situation: Situation,
): Alert | undefined {
  if (finding.is === 'holds')
    return whileHeld(rule, finding, alert ?? newAlert(rule, finding, situation), situation.now)
  if (!alert || (alert.phase === 'pending' && alert.unsteadySince === null)) return undefined
  return whileGone(rule, alert, situation.now)
}

function newAlert({ level }: Rule, { from, since, label }: HoldingFinding, situation: Situation): Alert {
  const { now, openings = [], muted } = situation
  return {
    phase: 'pending',
    phaseSince: now,
    since: since ?? from ?? now,
    level,
    label: label ?? null,
    openings: openings.filter((at) => at > now - openingsWithin),
    unsteadySince: null,
    openedAt: null,
    endedAt: null,
    acknowledged: null,
    told: 'nothing',
    toldAt: null,
    reminders: 0,
    frozen: false,
    muted,
  }
}

function whileHeld(rule: Rule, finding: HoldingFinding, alert: Alert, now: number): Alert {
  const { from, since } = finding
  const label = labelOf(rule, finding, alert)
  // An open alert whose words an agent chooses keeps the label of its last message. Otherwise a label that changes with
  // every report would be written each time. messages/present.ts reads the present label.
  if (alert.phase === 'open')
    return { ...alert, since: since ?? from ?? alert.since, label: isWordedByAgents(rule.name) ? alert.label : label }
  const labelled = { ...alert, label }
  switch (alert.phase) {
    case 'closing':
      return { ...labelled, phase: 'open', phaseSince: now }
    case 'calm':
      return whileHeld(
        rule,
        {
          is: 'holds',
          ...(from !== undefined && { from }),
          ...(finding.label !== undefined && { label: finding.label }),
        },
        { ...labelled, phase: 'pending', phaseSince: now },
        now,
      )
    case 'pending': {
      // When an unsteady alert is pending, its condition was gone before, so only the time since the condition came
      // back counts.
      const began = from === undefined || alert.unsteadySince !== null ? alert.phaseSince : from
      const at = { ...labelled, since: since ?? from ?? alert.since }
      return now - began >= rule.after ? opened(at, now) : at
    }
  }
}

/**
 * Opens an alert. The third opening within an hour makes the alert unsteady; each further opening restarts the time
 * after which the alert counts as settled.
 */
function opened(alert: Alert, now: number): Alert {
  const openings = [...alert.openings.filter((at) => at > now - openingsWithin), now]
  const unsteady = alert.unsteadySince !== null || openings.length >= openingsMax
  return {
    ...alert,
    phase: 'open',
    phaseSince: now,
    openings,
    openedAt: alert.openedAt ?? now,
    unsteadySince: unsteady ? now : null,
  }
}

function whileGone(rule: Rule, alert: Alert, now: number): Alert {
  if (alert.phase === 'calm') return alert
  if (alert.phase === 'pending') return { ...alert, phase: 'calm', phaseSince: now }
  const closing: Alert = alert.phase === 'closing' ? alert : { ...alert, phase: 'closing', phaseSince: now }
  if (now - closing.phaseSince < endDelayOf(rule)) return closing
  if (alert.unsteadySince === null) return { ...closing, endedAt: now }
  return { ...closing, phase: 'calm', phaseSince: now, unsteadySince: now }
}

/**
 * Ends the unsteady state of an alert that was open or calm for long enough. An alert that was open stays open; one
 * that was calm ends.
 */
function settle(alert: Alert, now: number): Alert {
  const { unsteadySince, phase } = alert
  if (unsteadySince === null || alert.frozen || now - unsteadySince < settledAfter) return alert
  if (phase === 'open') return { ...alert, unsteadySince: null }
  return phase === 'calm' ? { ...alert, unsteadySince: null, endedAt: now } : alert
}

/**
 * Decides which message is sent now. A muted alert sends none. When the mute ends, an alert that is still open sends
 * one, unless it is unsteady and a message has already said so.
 */
function decideMessage(rule: Rule, alert: Alert, { now, muted }: Situation): JudgedAlert {
  const wasMuted = alert.muted
  const heard = { ...alert, muted }
  if (muted) return { alert: heard, message: undefined }
  const state = alertStateOf(alert)
  if (state === 'pending') return { alert: heard, message: undefined }
  if (state === 'ended') return endedNow(heard, now)
  if (state === 'unsteady') {
    return alert.told === 'unsteady' ? { alert: heard, message: undefined } : say(heard, 'alert.unsteady', now)
  }
  if (alert.told !== 'open') return say(heard, 'alert.opened', now)
  if (wasMuted || reminderDue(rule, alert, now)) return say(heard, 'alert.reminder', now)
  return { alert: heard, message: undefined }
}

/** Adds a message about the end of the alert, unless no message was ever sent about the alert. */
const endedNow = (alert: Alert, now: number): JudgedAlert =>
  alert.told === 'nothing' ? { alert, message: undefined } : say(alert, 'alert.ended', now)

/**
 * Handles an alert that has ended. If it ended during a mute and a message had said that it was open, the message about
 * its end is sent after the mute.
 */
function afterItsEnd(alert: Alert, { now, muted }: Situation): JudgedAlert {
  const owed = alert.muted && (alert.told === 'open' || alert.told === 'unsteady')
  return muted || !owed ? { alert, message: undefined } : say({ ...alert, muted }, 'alert.ended', now)
}

const overNow = (alert: Alert, { now }: Situation): JudgedAlert =>
  alert.openedAt === null
    ? none
    : { alert: { ...alert, endedAt: now, muted: false, told: 'ended' }, message: undefined }

const knownAfter = {
  'alert.opened': 'open',
  'alert.reminder': 'open',
  'alert.unsteady': 'unsteady',
  'alert.ended': 'ended',
} as const satisfies Record<EvaluationMessage, Alert['told']>

const say = (alert: Alert, message: EvaluationMessage, now: number): JudgedAlert => ({
  alert: {
    ...alert,
    told: knownAfter[message],
    toldAt: now,
    reminders: message === 'alert.reminder' ? alert.reminders + 1 : 0,
  },
  message,
})

function reminderDue(
  { reminds }: Rule,
  { level, phase, acknowledged, toldAt, reminders, frozen }: Alert,
  now: number,
): boolean {
  if (!reminds || level !== 'bad' || phase !== 'open' || acknowledged !== null || toldAt === null) return false
  // No reminder is sent while the condition cannot be judged, as after an outage of the service: the condition may be
  // gone.
  if (frozen) return false
  return now - toldAt >= (reminders === 0 ? remindFirst : remindAgain)
}

const freeze = (alert: Alert): Alert => (alert.frozen ? alert : { ...alert, frozen: true })

/**
 * Continues after evaluations that could not judge the condition. The time of these evaluations does not count, so an
 * alert that is pending or closing starts that phase again now.
 */
function thawed(alert: Alert, now: number): Alert {
  if (!alert.frozen) return alert
  const waits = alert.phase === 'pending' || alert.phase === 'closing'
  return {
    ...alert,
    frozen: false,
    phaseSince: waits ? now : alert.phaseSince,
    unsteadySince: alert.unsteadySince === null ? null : now,
  }
}

/**
 * If the clock was set back, changes the alert's times that are now in the future to the present time. Otherwise the
 * alert would wait until the clock reaches them again.
 */
function onThisClock(alert: Alert, now: number): Alert {
  const { phaseSince, unsteadySince, toldAt, openings } = alert
  const future = Math.max(phaseSince, unsteadySince ?? 0, toldAt ?? 0, ...openings) > now
  if (!future) return alert
  return {
    ...alert,
    phaseSince: Math.min(phaseSince, now),
    unsteadySince: unsteadySince === null ? null : Math.min(unsteadySince, now),
    toldAt: toldAt === null ? null : Math.min(toldAt, now),
    openings: openings.map((at) => Math.min(at, now)),
  }
}
