/**
 * When the pages of one workspace get their next frame, and what each event makes of that, as the acts that follow. Pure: hub.ts
 * keeps the pages, the news and the timer.
 */

/** What the frames of a workspace are at, and which event leads where; other events change nothing. */
const moves = {
  /** Nothing has happened since the last frame. */
  quiet: { news: 'waiting' },
  /** The next frame is due in a moment. */
  waiting: { due: 'making' },
  /** A frame is being made. */
  making: { news: 'overtaken', made: 'quiet' },
  /** A frame is being made, and something has happened since it was begun. */
  overtaken: { made: 'waiting' },
  /** No page listens any more, or the service ends. */
  over: {},
} as const satisfies Record<string, Partial<Record<PaceEvent['is'], string>>>

export interface Pace {
  readonly is: keyof typeof moves
  /** How many pages listen. */
  readonly pages: number
  /** When the last frame was begun, by the clock that does not jump, ms. */
  readonly begun: number
}
export type PaceEvent =
  | { readonly is: 'joined' }
  | { readonly is: 'left' }
  /** Something happened that pages should hear of. */
  | { readonly is: 'news' }
  /** The wait is over. */
  | { readonly is: 'due' }
  /** The frame is sent, or could not be made. */
  | { readonly is: 'made' }
  /** The service ends. */
  | { readonly is: 'closed' }
export type PaceAct =
  /** Answered by `due`. */
  | { readonly do: 'wait'; readonly ms: number }
  /** Makes a frame of the news so far, and sends it. Answered by `made`. */
  | { readonly do: 'make' }
  /** Forgets the workspace. */
  | { readonly do: 'end' }

/** In ms. */
export interface PaceRules {
  /** Between the beginnings of two frames. */
  readonly tick: number
  /** Before any frame, so that what happens together is in one. */
  readonly gather: number
  /** The longest that `tick` becomes where many pages listen. */
  readonly slowest: number
}
interface PaceStep {
  readonly state: Pace
  readonly acts: readonly PaceAct[]
}

export const begin: Pace = { is: 'quiet', pages: 0, begun: Number.NEGATIVE_INFINITY }
const noActs: readonly PaceAct[] = []

export function step(now: Pace, event: PaceEvent, rules: PaceRules, at: number): PaceStep {
  if (event.is === 'joined') return { state: { ...now, pages: now.pages + 1 }, acts: noActs }
  if (event.is === 'left' && now.pages > 1) return { state: { ...now, pages: now.pages - 1 }, acts: noActs }
  if (event.is === 'left' || event.is === 'closed')
    return { state: { ...now, is: 'over', pages: 0 }, acts: [{ do: 'end' }] }
  const moved: Partial<Record<PaceEvent['is'], Pace['is']>> = moves[now.is]
  const is = moved[event.is]
  if (is === undefined) return { state: now, acts: noActs } // most reports: a frame is due already
  if (is === 'waiting') return { state: { ...now, is }, acts: [{ do: 'wait', ms: untilNext(now, rules, at) }] }
  if (is === 'making') return { state: { ...now, is, begun: at }, acts: [{ do: 'make' }] }
  return { state: { ...now, is }, acts: noActs }
}

/** Frames cost more when more pages listen, so they are sent less often, but a report is on the screen within a second. */
function untilNext({ pages, begun }: Pace, { tick, gather, slowest }: PaceRules, at: number): number {
  const pause = Math.min(Math.max(tick, pages), slowest)
  return Math.max(gather, begun + pause - at)
}
