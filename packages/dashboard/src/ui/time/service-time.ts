/** The page's estimate of the service's clock, and when the service was last heard from. */

/**
 * The milliseconds without a message after which the page counts the service as unreachable. The live connection is
 * closed after the same time.
 */
const unheardMs = 45_000

interface Clocks {
  wall: number
  mono: number
}
const readClocks = (): Clocks => ({ wall: Date.now(), mono: performance.now() })

/**
 * The milliseconds since the clocks were read. Somebody may set back the wall clock, and `performance.now()` may stand
 * still while the machine sleeps, so the longer of the two times counts.
 */
const since = ({ wall, mono }: Clocks): number => Math.max(Date.now() - wall, performance.now() - mono)

/** The last time that the service sent, and the clocks when it arrived. */
let last = { at: Date.now(), arrived: readClocks() }
/** The estimated service time at which anything last arrived from the service. */
let heardAt = last.at

/** True once the service has sent its time. */
let isKnown = false
/** True while the page takes the service's time from every HTTP response. Otherwise the live stream sends it. */
let followsAnswers = false

/** Takes over the service's time (Unix milliseconds) from a message that just arrived. */
export function noteServiceTime(at: number): void {
  last = { at, arrived: readClocks() }
  isKnown = true
  noteServiceHeard()
}

/**
 * Takes over the service's time (Unix milliseconds) from an HTTP response that just arrived, if the time is not known
 * yet or no stream sends it.
 */
export function noteAnswerTime(at: number): void {
  if (!isKnown || followsAnswers) noteServiceTime(at)
}

/**
 * Call this with true when the page begins to load its data every few seconds instead of from a stream. The times of
 * all HTTP responses then count.
 */
export function followAnswers(follows: boolean): void {
  followsAnswers = follows
}

/** Remembers that a message or a ping from the service has just arrived. */
export function noteServiceHeard(): void {
  heardAt = serviceNow()
}

/** The service's current time in Unix milliseconds, as the page estimates it. */
export const serviceNow = (): number => last.at + since(last.arrived)

/**
 * The service's time for judging whether agents are offline. It stands still while the service cannot be reached,
 * because all agents would seem to go offline otherwise.
 */
export const knownNow = (): number => Math.min(serviceNow(), heardAt + unheardMs)
