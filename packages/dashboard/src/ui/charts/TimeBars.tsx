import './time-bars.css'
import { linearScale } from './scale.ts'

/** A span of time in a row of a timeline. Its tone decides its shape, so that nobody needs to see colours. */
interface TimeBar {
  /** Unix milliseconds. */
  from: number
  /** Unix milliseconds; null if the span has not ended. */
  to: number | null
  tone: BarShade
}
type BarShade = 'bad' | 'warn'

interface TimeBarsProps {
  bars: readonly TimeBar[]
  /** The start and the end of the timeline, in Unix milliseconds. */
  start: number
  end: number
  width: number
  /** The bar that is marked. */
  at: TimeBar | undefined
  /** The times of the vertical lines. */
  marks: readonly number[]
}

/** The heights in pixels of the row, and of the bars of each tone. */
const rowHeight = 22
const heights: Readonly<Record<BarShade, number>> = { bad: 14, warn: 6 }
const minWidth = 3
/** The length of the point at the right end of a bar that lasts until now. */
const pointWidth = 5

/**
 * One row of a timeline: a bar for each span, high for the tone `bad` and low for `warn`. A span that lasts until now
 * has a point at the right edge. Screen readers skip the row and read the table around it.
 */
export function TimeBars({ bars, start, end, width, at, marks }: TimeBarsProps) {
  const positionOf = positionSpans({ start, end, width })
  const scale = linearScale([start, end], [0, width])
  const xOf = (time: number) => Math.round(scale(time)) + 0.5
  const marked = at && positionOf(at)
  return (
    <svg className="svc-time-bars" width={width} height={rowHeight} aria-hidden>
      {marks.map((mark) => (
        <line key={mark} className="svc-chart-grid" x1={xOf(mark)} x2={xOf(mark)} y2={rowHeight} />
      ))}
      {(['warn', 'bad'] as const).map((tone) => (
        <path key={tone} data-tone={tone} d={timeBarsPath(bars, tone, positionOf)} />
      ))}
      {marked && (
        <rect className="svc-time-at" x={marked.x - 2.5} y={1} width={marked.width + 5} height={rowHeight - 2} rx={3} />
      )}
    </svg>
  )
}

interface BarPosition {
  /** The position at which the span begins, in pixels. */
  left: number
  /** The position of its bar, which is at least 3 pixels wide and within the row. */
  x: number
  width: number
}

/** Makes a function that returns the position of a span in a row of this width. */
export function positionSpans({ start, end, width }: { start: number; end: number; width: number }) {
  const scale = linearScale([start, end], [0, width])
  return ({ from, to }: TimeBar): BarPosition => {
    const left = Math.max(0, scale(from))
    const right = to === null ? width : Math.min(width, scale(to))
    const wide = Math.max(minWidth, right - left)
    return { left, x: Math.max(0, Math.min(left, width - wide)), width: wide }
  }
}

/** The bars of one tone as the data of one SVG path. */
export const timeBarsPath = (
  bars: readonly TimeBar[],
  tone: BarShade,
  positionOf: (bar: TimeBar) => BarPosition,
): string =>
  bars.map((bar) => (bar.tone === tone ? shape(positionOf(bar), heights[tone], bar.to === null) : '')).join('')

function shape({ x, width }: BarPosition, height: number, isOpen: boolean): string {
  const [left, right] = [Math.round(x * 10) / 10, Math.round((x + width) * 10) / 10]
  const top = (rowHeight - height) / 2
  if (!isOpen) return `M${left} ${top}H${right}V${top + height}H${left}z`
  const neck = Math.max(left, right - pointWidth)
  return `M${left} ${top}H${neck}L${right} ${rowHeight / 2}L${neck} ${top + height}H${left}z`
}

/**
 * The bar at `x` pixels from the left edge of the row, or the nearest one within 6 pixels; undefined if there is none.
 */
export function barNear<B extends TimeBar>(
  bars: readonly B[],
  x: number,
  positionOf: (bar: TimeBar) => BarPosition,
): B | undefined {
  let [nearest, distance]: [B | undefined, number] = [undefined, 6]
  for (const bar of bars) {
    const { x: left, width } = positionOf(bar)
    const away = x < left ? left - x : x > left + width ? x - left - width : 0
    if (away <= distance) [nearest, distance] = [bar, away]
  }
  return nearest
}
