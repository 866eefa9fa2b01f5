/** The page's estimate of the service's clock, and when the service was last heard from. */

/**
 * The milliseconds without a message after which the page counts the service as unreachable. The live connection is
 * closed after the same time.
 */
const unheard = 45_000

let ahead = 0
/** When the service last sent something, by the clock of the browser's machine. */
let heardAt = Date.now()

/**
 * Adjusts the page's estimate of the service's clock to `at`, the service's time in a message that just arrived (Unix
 * milliseconds).
 */
export function serviceTimeIs(at: number): void {
  ahead = at - Date.now()
  serviceHeard()
}

/** Remembers that a message or a ping from the service has just arrived. */
export function serviceHeard(): void {
  heardAt = Date.now()
}

/** The service's current time in Unix milliseconds, as the page estimates it. */
export const serviceNow = (): number => Date.now() + ahead

/**
 * The service's time up to which the page would have received reports. While the service cannot be reached, this time
 * stands still. Otherwise all agents would seem to go offline.
 */
export const knownNow = (): number => Math.min(Date.now(), heardAt + unheard) + ahead
