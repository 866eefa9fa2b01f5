/**
 * Decides how a tab keeps its data fresh. Over HTTP/1.1 all tabs of a browser share six connections to a host, and each
 * stream takes one. So at most four tabs hold a stream: a tab must first take one of four slots (freshness.ts).
 */

/** The maximum number of tabs of one browser that hold a stream. */
export const maxStreams = 4
/** How often a visible tab without a stream loads its data, in milliseconds. */
export const pollMs = 4_000
/** A tab gives up its stream after it was hidden for this many milliseconds. */
export const maxHiddenMs = 180_000

/** The facts about a tab that decide its `StreamMode`. */
export interface TabFacts {
  /** False after the service has answered that nobody is signed in, or that the workspace is not the person's. */
  signedIn: boolean
  /**
   * When the tab was hidden, by `performance.now`; undefined if the tab is visible, -Infinity if the browser froze it
   * or the person left the page.
   */
  hiddenSince: number | undefined
  /** False if the browser has no Web Locks, for example over plain HTTP on another host than localhost. */
  locks: boolean
  /** True if the tab has one of the slots for tabs with a stream. */
  hasSlot: boolean
}

/**
 * How a tab keeps its data fresh: it holds a stream, loads its data every few seconds, or does nothing, for example if
 * it was hidden for some minutes.
 */
export type StreamMode = 'holds' | 'polls' | 'idle'

/** Chooses how a tab keeps its data fresh. */
export function streamModeOf({ signedIn, hiddenSince, locks, hasSlot }: TabFacts, now: number): StreamMode {
  if (!signedIn) return 'idle'
  if (hiddenSince === undefined) return hasSlot || !locks ? 'holds' : 'polls'
  return hasSlot && now - hiddenSince < maxHiddenMs ? 'holds' : 'idle'
}
