/** Draws the last 24 hours of an agent as the background of one element, and puts them into words. */
import { type StripSpan, type StripState, statesByWeight, stripMs } from '@svc/api/words'
import { lastingText, levelLooks, timeOfDay } from '../../ui/index.ts'

/** A strip has a column for each quarter of an hour, so that a state of a minute can be seen. */
export const columnCount = 96
const columnSeconds = stripMs / 1000 / columnCount

/** Part of a strip with one look, in columns. */
export interface StripStretch {
  state: StripState
  from: number
  to: number
}

/** The stretches of a strip, from the left. A column shows the most important state that it touches. */
export function stretchesOf(spans: readonly StripSpan[]): StripStretch[] {
  const columns = Array.from({ length: columnCount }, (): StripState => 'unknown')
  let at = 0
  for (const { state, seconds } of spans) {
    const last = Math.min(columnCount - 1, Math.ceil((at + seconds) / columnSeconds) - 1)
    for (let i = Math.floor(at / columnSeconds); i <= last; i++)
      if (statesByWeight.indexOf(state) > statesByWeight.indexOf(columns[i] ?? 'unknown')) columns[i] = state
    at += seconds
  }
  const stretches: StripStretch[] = []
  for (const [i, state] of columns.entries()) {
    const last = stretches.at(-1)
    if (last?.state === state) last.to = i + 1
    else stretches.push({ state, from: i, to: i + 1 })
  }
  return stretches
}

/** The height of each state in percent: a worse state is higher, and an agent that does not report is a low line. */
const heights: Readonly<Record<StripState, number>> = {
  bad: 100,
  often: 100,
  warn: 75,
  info: 50,
  paused: 50,
  ok: 32,
  none: 32,
  stopped: 14,
  offline: 14,
  unknown: 0,
}
/** The states that are drawn as a pattern, so that nobody needs to see colours. */
const patterns: Partial<Readonly<Record<StripState, string>>> = {
  paused: 'repeating-linear-gradient(135deg, var(--day-paused) 0 2px, transparent 2px 5px)',
  stopped: 'repeating-linear-gradient(90deg, var(--day-stopped) 0 3px, transparent 3px 6px)',
  often: 'repeating-linear-gradient(90deg, var(--day-bad) 0 1px, var(--day-warn) 1px 3px)',
}

/** The style properties that draw a strip. */
export interface StripBackground {
  backgroundImage: string
  backgroundPosition: string
  backgroundSize: string
}

/** The background of the element that shows a strip: one layer for each stretch. */
export function backgroundOf(stretches: readonly StripStretch[]): StripBackground {
  const drawn = stretches.filter(({ state }) => state !== 'unknown')
  const layers = drawn.map(({ state, from, to }) => {
    const width = (to - from) / columnCount
    // A position in percent refers to the space that the layer leaves free.
    const left = width === 1 ? 0 : (100 * from) / columnCount / (1 - width)
    const image = patterns[state] ?? `linear-gradient(var(--day-${state}) 0 0)`
    return [image, `${round(left)}% 100%`, `${round(100 * width)}% ${heights[state]}%`] as const
  })
  const each = (i: 0 | 1 | 2) => layers.map((layer) => layer[i]).join(', ')
  return { backgroundImage: each(0), backgroundPosition: each(1), backgroundSize: each(2) }
}

const round = (number: number): number => Math.round(number * 100) / 100

const words: Readonly<Record<StripState, string>> = {
  ok: levelLooks.ok.words,
  info: levelLooks.info.words,
  warn: levelLooks.warn.words,
  bad: levelLooks.bad.words,
  none: 'no status',
  paused: 'paused',
  offline: 'offline',
  stopped: 'stopped',
  often: 'changed often',
  unknown: 'not known',
}
interface StateTime {
  seconds: number
  /** The periods in which the agent had the state, such as `from 13:02 to 13:40`. */
  times: string[]
}

/** The strip in words: `24 hours: OK, Warning from 13:02 to 13:40, offline 3 times, 2 h`. `until` is its end. */
export function dayWords(spans: readonly StripSpan[], until: number): string {
  const sums = new Map<StripState, StateTime>()
  let at = until - stripMs
  for (const [i, { state, seconds }] of spans.entries()) {
    const sum = sums.get(state) ?? { seconds: 0, times: [] }
    sums.set(state, sum)
    const end = at + seconds * 1000
    const isLast = i === spans.length - 1
    sum.times.push(
      i === 0
        ? `until ${timeOfDay(end)}`
        : isLast
          ? `since ${timeOfDay(at)}`
          : `from ${timeOfDay(at)} to ${timeOfDay(end)}`,
    )
    sum.seconds += seconds
    at = end
  }
  const [main, ...others] = [...sums]
    .filter(([state]) => state !== 'unknown')
    .sort(([, a], [, b]) => b.seconds - a.seconds)
  if (!main) return '24 hours: not known'
  const rest = others.sort(([a], [b]) => statesByWeight.indexOf(b) - statesByWeight.indexOf(a)).map(timeWords)
  const isWhole = main[1].seconds >= stripMs / 1000 || others.length > 0
  return `24 hours: ${[isWhole ? words[main[0]] : timeWords(main), ...rest].join(', ')}`
}

function timeWords([state, { seconds, times }]: readonly [StripState, StateTime]): string {
  const [only, ...more] = times
  return more.length === 0
    ? `${words[state]} ${only}`
    : `${words[state]} ${times.length} times, ${lastingText(seconds * 1000)}`
}
