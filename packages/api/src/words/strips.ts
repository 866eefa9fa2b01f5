/**
 * The states of an agent in the last 24 hours as a short text: for each span a letter and its seconds,
 * `o3600w120o82680`.
 */
import type { Level } from '@svc/protocol'

/**
 * The state of an agent in a span: the level in which it reported, `none` without one, or what `AgentState` says.
 * `often` is a time with more changes than a strip has spans.
 */
export type StripState = Level | 'none' | 'paused' | 'offline' | 'stopped' | 'often' | 'unknown'

/** The states from the least to the most important one, which is the one to show where there is room for one only. */
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
/** The maximum number of agents in an answer. */
export const maxStrips = 200
/** The maximum number of spans of a strip; what is older than the newest of them is `often`. */
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

/** Reads the spans of a text. A letter that a later version writes is a state that this one does not know. */
export const readStrip = (text: string): StripSpan[] =>
  [...text.matchAll(/([a-z])(\d{1,6})/g)].map(([, letter = '', seconds]) => ({
    state: states.get(letter) ?? 'unknown',
    seconds: Number(seconds),
  }))
