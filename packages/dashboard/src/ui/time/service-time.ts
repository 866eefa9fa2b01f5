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
 * The milliseconds since a reading. The clock of the browser's machine may be set back, and the other clock may stand
 * still while the machine sleeps, so the longer time counts.
 */
const since = ({ wall, mono }: Clocks): number => Math.max(Date.now() - wall, performance.now() - mono)

/** The service's time in its last message that named one, and when the message arrived. */
let last = { at: Date.now(), arrived: readClocks() }
/** The service's time when anything last arrived from it. */
let heardAt = last.at

/** True once the service has named its time. */
let isKnown = false
/** True while the page takes the time from every answer. Otherwise a stream names it with each message. */
let followsAnswers = false

/** Takes over the service's time from a message that just arrived (Unix milliseconds). */
export function noteServiceTime(at: number): void {
  last = { at, arrived: readClocks() }
  isKnown = true
  noteServiceHeard()
}

/**
 * Takes over the service's time from an answer that just arrived: from the first one, so that nothing is judged by the
 * clock of the browser's machine, and from all answers while no stream names the time.
 */
export function noteAnswerTime(at: number): void {
  if (!isKnown || followsAnswers) noteServiceTime(at)
}

/**
 * Says whether the page loads its data every few seconds in place of a stream, so that the times of all answers count.
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
 * The service's time up to which the page would have received reports. While the service cannot be reached, this time
 * stands still. Otherwise all agents would seem to go offline.
 */
export const knownNow = (): number => Math.min(serviceNow(), heardAt + unheardMs)
