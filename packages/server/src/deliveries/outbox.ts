/**
 * When a delivery is tried, when it is given up, and when its channel is disabled. Pure: the store applies what is decided here.
 * A delivery keeps its id and its body over all tries, so a receiver can tell a repetition from something new.
 */

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** How long after each failed try the next one follows. */
const waits = [
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
export const triesMax = waits.length + 1
const spread = 0.2
/** A delivery is given up when it is older than this, whatever its tries. */
const maxAge = 24 * hour
/** The number of dead deliveries in a row, with none taken between, that disables a channel. */
const deadInARow = 10
const maxAnswer = 200

/** The result of one try. */
export type DeliveryAnswer =
  /** `message`: the beginning of what the receiver answered. */
  | { is: 'status'; status: number; retryAfter: string | undefined; message: string }
  /** It was not reached, or it did not answer in time. */
  | { is: 'unreachable'; message: string }
  /** Nothing was sent: its address may not be called, or its secret cannot be opened. */
  | { is: 'refused'; message: string }

interface Waiting {
  createdAt: number
  /** The number of tries before this one. */
  tries: number
}

export type Outcome =
  | { is: 'sent' }
  | { is: 'again'; dueAt: number }
  /** `gone`: the receiver wants no more (410), and the channel is disabled at once. */
  | { is: 'dead'; gone: boolean }

/** Any 2xx means that it was taken; everything else is tried again, apart from 410. `random`: from 0 up to 1. */
export function outcomeOf(answer: DeliveryAnswer, { createdAt, tries }: Waiting, now: number, random: number): Outcome {
  if (answer.is === 'status' && answer.status >= 200 && answer.status < 300) return { is: 'sent' }
  if (answer.is === 'status' && answer.status === 410) return { is: 'dead', gone: true }
  const wait = waits[tries]
  if (wait === undefined) return { is: 'dead', gone: false }
  const spreadOut = wait * (1 - spread + 2 * spread * random)
  const asked = answer.is === 'status' ? (retryAfterMs(answer.retryAfter, now) ?? 0) : 0
  const dueAt = Math.round(now + Math.max(spreadOut, asked))
  return dueAt >= createdAt + maxAge ? { is: 'dead', gone: false } : { is: 'again', dueAt }
}

/** Deliveries made until then are too old to be sent: the service was away, or the channel was busy. */
export const isTooOldAt = (now: number): number => now - maxAge

/** `Retry-After` in seconds or as a date; undefined where it says nothing that can be read. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim()
  if (!text) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * second
  // A date of HTTP begins with the day of the week; `Date.parse` would read much else as a date.
  const at = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

/** `dead`: how many deliveries of the channel died since the last one that was taken. */
export const disables = (outcome: Outcome, dead: number): boolean =>
  outcome.is === 'dead' && (outcome.gone || dead >= deadInARow)

/** The answer in a few words, as people see it beside a channel and a delivery. */
export function answerWords(answer: DeliveryAnswer): string {
  if (answer.is !== 'status') return answer.message
  const { status, message } = answer
  const text = message.replace(/\s+/g, ' ').trim().slice(0, maxAnswer)
  return text ? `${status}: ${text}` : `${status}`
}
