/**
 * Decides when a delivery is tried, when it is given up, and when its channel is disabled. Pure: settling.ts carries
 * the decisions out. A delivery keeps its id and body over all tries, so that a receiver can recognise a repeated
 * delivery.
 */

import { foreignLine } from '@svc/protocol'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** The times between a failed try and the next one, in order. */
const waitsMs = [
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  hour,
  2 * hour,
  4 * hour,
  8 * hour,
] as const
/** The maximum number of tries of a delivery. */
export const maxTries = waitsMs.length + 1
const waitSpread = 0.2
/**
 * The maximum milliseconds until the next try of a delivery after this number of tries, unless the receiver asks for a
 * longer wait.
 */
export const longestWait = (tries: number): number => Math.ceil((waitsMs[tries - 1] ?? 0) * (1 + waitSpread))
/** The age at which a delivery is given up, even if tries are left. */
const maxAge = 24 * hour
/** The channel is disabled after this number of deliveries in a row were given up. */
const deadInARow = 10
const [maxAnswer, maxReason] = [200, 400]

/** The result of one try. */
export type DeliveryAnswer =
  /**
   * The receiver answered with an HTTP status. `message` is the beginning of the answer's body, and `redirect` the
   * address to which the receiver redirects. `gone` is true if this status means, for this kind of channel, that the
   * receiver no longer exists.
   */
  | {
      is: 'status'
      status: number
      retryAfter: string | undefined
      message: string
      gone?: boolean
      redirect?: string
    }
  /** The receiver could not be reached, or did not answer in time. */
  | { is: 'unreachable'; message: string }
  /** Nothing was sent, for example because the address may not be called. */
  | { is: 'refused'; message: string }

/** The result of one try, or `stopped` if the stop of the service interrupted the try. */
export type TryResult = DeliveryAnswer | { is: 'stopped' }

interface WaitingMessage {
  createdAt: number
  /** The number of tries before this one. */
  tries: number
}

/** The decision about a delivery after a try. */
export type DeliveryOutcome =
  | { is: 'sent' }
  | { is: 'again'; dueAt: number }
  /**
   * The delivery is given up. `gone` is true if the receiver no longer exists (status 410, for browsers also 404); the
   * channel is then disabled at once.
   */
  | { is: 'dead'; gone: boolean }

/**
 * Judges the result of a try. With any 2xx status the delivery was accepted; otherwise it is tried again, unless the
 * receiver no longer exists, ten tries were made, or the next try would come a day or more after the delivery was made.
 * `random`, from 0 up to 1, varies the time of the next try.
 */
export function deliveryOutcomeOf(
  answer: DeliveryAnswer,
  { createdAt, tries }: WaitingMessage,
  now: number,
  random: number,
): DeliveryOutcome {
  if (answer.is === 'status' && answer.status >= 200 && answer.status < 300) return { is: 'sent' }
  if (answer.is === 'status' && (answer.status === 410 || answer.gone)) return { is: 'dead', gone: true }
  const wait = waitsMs[tries]
  if (wait === undefined) return { is: 'dead', gone: false }
  const spreadOut = wait * (1 - waitSpread + 2 * waitSpread * random)
  const asked = answer.is === 'status' ? (retryAfterMs(answer.retryAfter, now) ?? 0) : 0
  const dueAt = Math.round(now + Math.max(spreadOut, asked))
  return dueAt >= createdAt + maxAge ? { is: 'dead', gone: false } : { is: 'again', dueAt }
}

/** A delivery that was made at this time, or earlier, is too old to be sent. */
export const isTooOldAt = (now: number): number => now - maxAge

/**
 * Reads the header `Retry-After`, which holds seconds or a date, as milliseconds from now; undefined if it is missing
 * or unreadable.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim()
  if (!text) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * second
  // Every HTTP date begins with the day of the week. Without this check `Date.parse` would accept many other texts.
  const at = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

/**
 * True if the channel must be disabled after this outcome. `dead` is the number of the channel's deliveries that were
 * given up since the last accepted one.
 */
export const disablesChannel = (outcome: DeliveryOutcome, dead: number): boolean =>
  outcome.is === 'dead' && (outcome.gone || dead >= deadInARow)

/** The result of a try in a few words, which people see beside a channel or a delivery. */
export function answerWords(answer: DeliveryAnswer): string {
  if (answer.is !== 'status') return foreignLine(answer.message, maxReason)
  const { status, message, redirect } = answer
  if (redirect !== undefined) return `${status}: it redirects to ${foreignLine(redirect)}; use that address`
  const text = foreignLine(message, maxAnswer)
  return text ? `${status}: ${text}` : `${status}`
}

/** The words for a delivery that was given up because of its age: the last answer, if there was one, and the reason. */
export const tooOldWords = (lastAnswer: string | null): string =>
  lastAnswer === null ? tooOld : `${lastAnswer} (${tooOld.replace(/\.$/, '')})`

const tooOld = 'It could not be sent within 24 hours.'
