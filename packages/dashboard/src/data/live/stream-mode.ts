/**
 * Decides how a tab keeps its data fresh. A browser opens at most six connections to a host over HTTP/1.1, for all tabs
 * together, and a stream takes one of them. So at most four tabs hold a stream: a tab must first take one of four slots
 * (freshness.ts).
 */

/**
 * The maximum number of tabs of one browser that hold a stream. The other two connections are for all other requests.
 */
export const maxStreams = 4
/** How often a visible tab without a stream loads its data, in milliseconds. */
export const pollMs = 4_000
/** A tab that was hidden for this many milliseconds gives its stream up. */
export const maxHiddenMs = 180_000

/** The facts about a tab by which its way to fresh data is chosen. */
export interface TabFacts {
  /** False after the service has answered that nobody is signed in, or that the workspace is not the person's. */
  signedIn: boolean
  /**
   * When the tab was hidden, by the monotonic clock (`performance.now`); undefined if it is visible, and
   * -Infinity if it is frozen.
   */
  hiddenSince: number | undefined
  /** False if the browser has no Web Locks, for example over plain HTTP on another host than localhost. */
  locks: boolean
  /** True if the tab has one of the slots for tabs with a stream. */
  hasSlot: boolean
}

/**
 * How a tab keeps its data fresh. A tab that `holds` has a stream, a tab that `polls` loads its data again and again,
 * and an `idle` tab does nothing until it is shown.
 */
export type StreamMode = 'holds' | 'polls' | 'idle'

/** Chooses how a tab keeps its data fresh. */
export function streamModeOf({ signedIn, hiddenSince, locks, hasSlot }: TabFacts, now: number): StreamMode {
  if (!signedIn) return 'idle'
  if (hiddenSince === undefined) return hasSlot || !locks ? 'holds' : 'polls'
  return hasSlot && now - hiddenSince < maxHiddenMs ? 'holds' : 'idle'
}
