/**
 * Decides when the pages of one workspace get their next frame: `step` returns the new state and the acts that follow.
 * Pure: hub.ts keeps the pages, the news and the timer.
 */

/**
 * The states, each with the events that lead to another one. `step` handles the events `joined`, `left` and `closed`
 * separately.
 */
const moves = {
  /** Nothing has happened in the workspace since its last frame. */
  quiet: { news: 'waiting' },
  /** The next frame is due soon. */
  waiting: { due: 'making' },
  /** A frame is being made. */
  making: { news: 'overtaken', made: 'quiet' },
  /** A frame is being made, and something has happened since it was started. */
  overtaken: { made: 'waiting' },
  /** No page of the workspace is subscribed any longer, or the service is closing. */
  over: {},
} as const satisfies Record<string, Partial<Record<PaceEvent['is'], string>>>

/** The state of a workspace that decides when it gets its next frame. */
export interface FramePace {
  readonly is: keyof typeof moves
  /** The number of subscribed pages of the workspace. */
  readonly pages: number
  /** When the last frame was started, in milliseconds of the monotonic clock. */
  readonly startedAt: number
}
export type PaceEvent =
  | { readonly is: 'joined' }
  | { readonly is: 'left' }
  /** Something has happened in the workspace that its pages must learn about. */
  | { readonly is: 'news' }
  /** The time that the act `wait` named has passed. */
  | { readonly is: 'due' }
  /** The frame has been sent, or could not be made. */
  | { readonly is: 'made' }
  /** The service is closing. */
  | { readonly is: 'closed' }
export type PaceAct =
  /** Waits for `ms` milliseconds; the event `due` follows. */
  | { readonly do: 'wait'; readonly ms: number }
  /** Makes a frame of the changes so far and sends it; the event `made` follows. */
  | { readonly do: 'make' }
  /** Forgets the workspace, because no page of it is subscribed any longer or the service is closing. */
  | { readonly do: 'end' }

/** The durations that decide when frames are made, in milliseconds. */
export interface PaceRules {
  /** The minimum time between the starts of two frames. */
  readonly tick: number
  /** The time before each frame in which changes are collected, so that one frame carries several. */
  readonly gather: number
  /** The maximum time between the starts of two frames while changes arrive; the time grows with `pages`. */
  readonly slowest: number
}
interface PaceStep {
  readonly state: FramePace
  readonly acts: readonly PaceAct[]
}

export const initialPace: FramePace = { is: 'quiet', pages: 0, startedAt: Number.NEGATIVE_INFINITY }
const noActs: readonly PaceAct[] = []

export function step(current: FramePace, event: PaceEvent, rules: PaceRules, at: number): PaceStep {
  if (event.is === 'joined') return { state: { ...current, pages: current.pages + 1 }, acts: noActs }
  if (event.is === 'left' && current.pages > 1) return { state: { ...current, pages: current.pages - 1 }, acts: noActs }
  if (event.is === 'left' || event.is === 'closed')
    return { state: { ...current, is: 'over', pages: 0 }, acts: [{ do: 'end' }] }
  const moved: Partial<Record<PaceEvent['is'], FramePace['is']>> = moves[current.is]
  const is = moved[event.is]
  // The state ignores the event. This is so for most news, because a frame is already due.
  if (is === undefined) return { state: current, acts: noActs }
  if (is === 'waiting') return { state: { ...current, is }, acts: [{ do: 'wait', ms: untilNext(current, rules, at) }] }
  if (is === 'making') return { state: { ...current, is, startedAt: at }, acts: [{ do: 'make' }] }
  return { state: { ...current, is }, acts: noActs }
}

/**
 * Returns the milliseconds until the next frame is due. Frames cost more when more pages are open, so they are then
 * sent less often, but always often enough that a report is on the screen within a second.
 */
function untilNext({ pages, startedAt }: FramePace, { tick, gather, slowest }: PaceRules, at: number): number {
  const pause = Math.min(Math.max(tick, pages), slowest)
  return Math.max(gather, startedAt + pause - at)
}
