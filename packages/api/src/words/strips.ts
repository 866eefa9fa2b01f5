/**
 * The states of an agent in the last 24 hours as a short text: for each span a letter and its seconds,
 * `o3600w120o82680`.
 */
import type { Level } from '@svc/protocol'

/**
 * The state of an agent in a span. For a reporting agent it is the level, or `none` if the agent reported no level.
 * `often` stands for a time with too many changes to show.
 */
export type StripState = Level | 'none' | 'paused' | 'offline' | 'stopped' | 'often' | 'unknown'

/** The states, the least important first. Where there is room for only one, the most important is shown. */
export const statesByWeight: readonly StripState[] = [
  'unknown',
  'none',
  'ok',
  'info',
  'paused',
  'stopped',
  'offline',
  'warn',
  'often',
  'bad',
]

/** A part of a strip: one state and its seconds. */
export interface StripSpan {
  state: StripState
  seconds: number
}

/** The length of a strip in milliseconds. */
export const stripMs = 86_400_000
/** The maximum number of agents in one answer with strips. */
export const maxStrips = 200
/** The maximum number of spans of a strip. If there are more, one span `often` replaces some older ones. */
export const maxStripSpans = 60

const letters: Readonly<Record<StripState, string>> = {
  ok: 'o',
  info: 'i',
  warn: 'w',
  bad: 'b',
  none: 'n',
  paused: 'p',
  offline: 'x',
  stopped: 's',
  often: 'f',
  unknown: 'u',
}
const states = new Map(Object.entries(letters).map(([state, letter]) => [letter, state as StripState]))

/** Writes spans, oldest first, as a short text. */
export const stripText = (spans: readonly StripSpan[]): string =>
  spans.map(({ state, seconds }) => `${letters[state]}${seconds}`).join('')

/** Reads the spans of a text. An unknown letter, which a later version may write, is read as `unknown`. */
export const readStrip = (text: string): StripSpan[] =>
  [...text.matchAll(/([a-z])(\d{1,6})/g)].map(([, letter = '', seconds]) => ({
    state: states.get(letter) ?? 'unknown',
    seconds: Number(seconds),
  }))
