import { useElementSize } from '@mantine/hooks'
import { useId } from 'react'
import './charts.css'
import { linear } from './scale.ts'

interface StripSpan {
  /** The start and the end of the period, in Unix milliseconds. */
  from: number
  to: number
  color: string
  /** The words about the period that appear on hover. */
  words: string
}
interface StripProps {
  title: string
  /** The content of the strip in one sentence, for screen readers. */
  summary: string
  spans: readonly StripSpan[]
  start: number
  end: number
  marks: readonly { at: number; text: string }[]
  /** Shorter periods, such as those of alerts, drawn as lines above the strip. */
  above?: readonly StripSpan[]
}

const height = 22
/** The height, in pixels, of the lines above the strip. `gap` is the distance between these lines and the strip. */
const line = 4
const gap = 3

/** Shows a span of time as a strip of coloured periods, with the marks of the time below the strip. */
export function Strip({ title, summary, spans, start, end, marks, above = [] }: StripProps) {
  const { ref, width } = useElementSize()
  const id = useId()
  const x = linear([start, end], [0, width])
  const top = above.length > 0 ? line + gap : 0
  return (
    <div ref={ref} className="svc-strip">
      <svg width={width} height={top + height + 18} role="img" aria-labelledby={id}>
        <title id={id}>{`${title}. ${summary}`}</title>
        <rect className="svc-strip-empty" y={top} width={width} height={height} rx={3} />
        {above.map((span) => (
          <Period key={`${span.from}-${span.words}`} span={span} x={x} width={width} y={0} height={line} />
        ))}
        {spans.map((span) => (
          <Period key={`${span.from}-${span.words}`} span={span} x={x} width={width} y={top} height={height} />
        ))}
        {marks.map((mark, i) => (
          <text
            key={mark.at}
            className="svc-chart-tick"
            x={x(mark.at)}
            y={top + height + 14}
            textAnchor={i === 0 ? 'start' : i === marks.length - 1 ? 'end' : 'middle'}
          >
            {mark.text}
          </text>
        ))}
      </svg>
    </div>
  )
}

interface PeriodProps {
  span: StripSpan
  x: (at: number) => number
  /** The width of the whole strip in pixels. */
  width: number
  y: number
  height: number
}

function Period({ span, x, width, y, height }: PeriodProps) {
  const left = Math.max(0, x(span.from))
  const minWidth = height === line ? line : 1.5
  return (
    <rect
      x={Math.min(left, width - minWidth)}
      y={y}
      width={Math.max(minWidth, Math.min(width, x(span.to)) - left - 0.5)}
      height={height}
      style={{ fill: span.color }}
    >
      <title>{span.words}</title>
    </rect>
  )
}

/** Turns changes of an agent's level into periods with one level each, from the oldest to the newest. */

interface Change<L> {
  readonly at: number
  readonly level: L
  readonly label: string | null
}
interface Span<L> {
  readonly level: L
  readonly label: string | null
  /**
   * The start and the end of the period in Unix milliseconds. `from` may be before the part of the time that the page
   * shows.
   */
  readonly from: number
  readonly to: number
}

/**
 * Returns the periods between `start` and `end`, each with one level. Neighbouring periods with the same level and
 * label are merged. The first period may begin before `start`.
 */
export function spansOf<L>(changes: readonly Change<L>[], start: number, end: number): Span<L>[] {
  const spans: Span<L>[] = []
  const oldestFirst = [...changes].sort((a, b) => a.at - b.at)
  for (const [i, { at, level, label }] of oldestFirst.entries()) {
    const to = Math.min(oldestFirst[i + 1]?.at ?? end, end)
    const last = spans.at(-1)
    if (to <= start || at >= to) continue
    if (last && last.level === level && last.label === label && last.to === at)
      spans[spans.length - 1] = { ...last, to }
    else spans.push({ level, label, from: at, to })
  }
  return spans
}

/** Returns the share of each level, from 0 to 1. Only time after `start` for which a level is known counts. */
export function sharesOf<L>(spans: readonly Span<L>[], start: number): Map<L, number> {
  const times = new Map<L, number>()
  let all = 0
  for (const { level, from, to } of spans) {
    const time = to - Math.max(from, start)
    all += time
    times.set(level, (times.get(level) ?? 0) + time)
  }
  return new Map([...times].map(([level, time]) => [level, all > 0 ? time / all : 0]))
}
