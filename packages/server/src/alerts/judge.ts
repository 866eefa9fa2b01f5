/**
 * The life of an alert: none → pending → open → closing → none, and unsteady where it opens again and again. Pure: it is
 * given what was found, the alert so far and the time, and gives the alert to keep and what to send. At most one message
 * comes of a look, and none without a change of state, the end of a mute, or a reminder that is due.
 */
import type { Acknowledgement, AlertLevel, AlertState, MessageType } from '@svc/api'
import { endsAfter, type Finding, type Rule } from './conditions.ts'

const minute = 60_000
const hour = 60 * minute
/** The third opening in this time makes an alert unsteady. */
export const openingsWithin = hour
const openingsMax = 3
/** An unsteady alert is settled when it has been calm or open for so long. */
const settledAfter = 30 * minute
const remindFirst = hour
const remindAgain = 24 * hour

/** The place of the condition in its life. Only an unsteady alert can be calm: it is kept until it has settled. */
type Phase = 'pending' | 'open' | 'closing' | 'calm'

export interface Alert {
  phase: Phase
  /** Since when `phase` counts. */
  phaseSince: number
  /** The beginning of the condition, as messages say it. */
  since: number
  level: AlertLevel
  label: string | null
  /** The openings of the last hour, those of earlier alerts of the same rule and subject among them. */
  openings: readonly number[]
  /** While it is unsteady: since when it has been open or calm without a break. */
  unsteadySince: number | null
  openedAt: number | null
  endedAt: number | null
  acknowledged: Acknowledgement | null
  /** The state that the channels heard last. */
  told: 'nothing' | 'open' | 'unsteady' | 'ended'
  /** When it was last sent as open, and how often it was repeated since. */
  toldAt: number | null
  reminders: number
  /** The last look could find out nothing. */
  frozen: boolean
  /** A mute covered it at the last look. */
  muted: boolean
}

/** The messages of a look; `alert.acknowledged` comes only from a person. */
export type Message = Exclude<MessageType, 'alert.acknowledged'>

export interface JudgedAlert {
  /** Undefined: there is no alert, and none is kept. */
  alert: Alert | undefined
  message: Message | undefined
}

interface Look {
  now: number
  muted: boolean
  /** The openings of earlier alerts of the same rule and subject. */
  openings?: readonly number[]
}

const none: JudgedAlert = { alert: undefined, message: undefined }

export const stateOf = ({ endedAt, unsteadySince, phase }: Alert): AlertState =>
  endedAt !== null ? 'ended' : unsteadySince !== null || phase === 'calm' ? 'unsteady' : phase

/** The next state of an alert, or of none, after a finding. */
export function judge(rule: Rule, finding: Finding, alert: Alert | undefined, look: Look): JudgedAlert {
  if (alert?.endedAt != null) return afterItsEnd(alert, look)
  const before = alert && onThisClock(alert, look.now)
  if (finding.is === 'over') return before ? overNow(before, look) : none
  const after =
    finding.is === 'unknown' ? before && frozen(before) : moved(rule, finding, before && thawed(before, look.now), look)
  if (!after) return none
  const settled = settle(after, look.now)
  return speak(rule, settled, look)
}

/** One step of the phases; undefined: it was pending and is gone, or it never was. */
function moved(
  rule: Rule,
  finding: Extract<Finding, { is: 'holds' | 'clear' }>,
  alert: Alert | undefined,
  look: Look,
): Alert | undefined {
  if (finding.is === 'holds') return held(rule, finding, alert ?? begun(rule, finding, look), look.now)
  if (!alert || (alert.phase === 'pending' && alert.unsteadySince === null)) return undefined
  return gone(rule, alert, look.now)
}

function begun({ level }: Rule, { from, since, label }: Extract<Finding, { is: 'holds' }>, look: Look): Alert {
  const { now, openings = [], muted } = look
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

function held(rule: Rule, { from, since, label }: Extract<Finding, { is: 'holds' }>, alert: Alert, now: number): Alert {
  // The words of an open alert are those of its opening: a label that changes with every report is not written each time.
  if (alert.phase === 'open') return alert
  const seen = { ...alert, label: label ?? alert.label }
  switch (alert.phase) {
    case 'closing':
      return { ...seen, phase: 'open', phaseSince: now }
    case 'calm':
      return held(
        rule,
        { is: 'holds', ...(from !== undefined && { from }) },
        { ...seen, phase: 'pending', phaseSince: now },
        now,
      )
    case 'pending': {
      // The alert was calm in between: the condition counts from its return.
      const began = from === undefined || alert.unsteadySince !== null ? alert.phaseSince : from
      const at = { ...seen, since: since ?? from ?? alert.since }
      return now - began >= rule.after ? opened(at, now) : at
    }
  }
}

/** A third opening in an hour makes an alert unsteady. An unsteady one begins again to settle. */
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

function gone(rule: Rule, alert: Alert, now: number): Alert {
  if (alert.phase === 'calm') return alert
  if (alert.phase === 'pending') return { ...alert, phase: 'calm', phaseSince: now }
  const closing: Alert = alert.phase === 'closing' ? alert : { ...alert, phase: 'closing', phaseSince: now }
  if (now - closing.phaseSince < endsAfter(rule)) return closing
  if (alert.unsteadySince === null) return { ...closing, endedAt: now }
  return { ...closing, phase: 'calm', phaseSince: now, unsteadySince: now }
}

/** An alert that was open or calm for long enough is no longer unsteady; a calm one ends. */
function settle(alert: Alert, now: number): Alert {
  const { unsteadySince, phase } = alert
  if (unsteadySince === null || alert.frozen || now - unsteadySince < settledAfter) return alert
  if (phase === 'open') return { ...alert, unsteadySince: null }
  return phase === 'calm' ? { ...alert, unsteadySince: null, endedAt: now } : alert
}

/** The message that is sent now. A muted alert sends none; when the mute is over and the alert is still open, it sends one. */
function speak(rule: Rule, alert: Alert, { now, muted }: Look): JudgedAlert {
  const wasMuted = alert.muted
  const heard = { ...alert, muted }
  if (muted) return { alert: heard, message: undefined }
  const state = stateOf(alert)
  if (state === 'pending') return { alert: heard, message: undefined }
  if (state === 'ended') return endedNow(heard, now)
  if (state === 'unsteady') {
    return alert.told === 'unsteady' ? { alert: heard, message: undefined } : say(heard, 'alert.unsteady', now)
  }
  if (alert.told !== 'open') return say(heard, 'alert.opened', now)
  if (wasMuted || reminderDue(rule, alert, now)) return say(heard, 'alert.reminder', now)
  return { alert: heard, message: undefined }
}

/** An alert that was never sent ends without a message. */
const endedNow = (alert: Alert, now: number): JudgedAlert =>
  alert.told === 'nothing' ? { alert, message: undefined } : say(alert, 'alert.ended', now)

/** An alert that people know to be open, and that ended under a mute, is said to have ended when the mute is over. */
function afterItsEnd(alert: Alert, { now, muted }: Look): JudgedAlert {
  const owed = alert.muted && (alert.told === 'open' || alert.told === 'unsteady')
  return muted || !owed ? { alert, message: undefined } : say({ ...alert, muted }, 'alert.ended', now)
}

const overNow = (alert: Alert, { now }: Look): JudgedAlert =>
  alert.openedAt === null
    ? none
    : { alert: { ...alert, endedAt: now, muted: false, told: 'ended' }, message: undefined }

const toldBy = {
  'alert.opened': 'open',
  'alert.reminder': 'open',
  'alert.unsteady': 'unsteady',
  'alert.ended': 'ended',
} as const satisfies Record<Message, Alert['told']>

const say = (alert: Alert, message: Message, now: number): JudgedAlert => ({
  alert: {
    ...alert,
    told: toldBy[message],
    toldAt: now,
    reminders: message === 'alert.reminder' ? alert.reminders + 1 : 0,
  },
  message,
})

function reminderDue(
  { reminds }: Rule,
  { level, phase, acknowledged, toldAt, reminders }: Alert,
  now: number,
): boolean {
  if (!reminds || level !== 'bad' || phase !== 'open' || acknowledged !== null || toldAt === null) return false
  return now - toldAt >= (reminders === 0 ? remindFirst : remindAgain)
}

const frozen = (alert: Alert): Alert => (alert.frozen ? alert : { ...alert, frozen: true })

/** The time in which nothing could be found out does not count. */
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

/** After the clock went back, times in the future become now: nothing waits for the clock to get there again. */
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
