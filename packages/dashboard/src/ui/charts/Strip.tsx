import { useElementSize } from '@mantine/hooks'
import { useId } from 'react'
import './charts.css'
import { drawnPeriods, linearScale } from './scale.ts'
import { Tick } from './Tick.tsx'

interface StripSpan {
  /** The React key of the period, unique in its row. */
  key: string
  /** The start and the end of the period, in Unix milliseconds. */
  from: number
  to: number
  color: string
  /** True if the period is hatched. */
  hatched?: boolean
  /** Puts the period into words, which appear on hover. */
  words: () => string
  /**
   * The importance of the period. Of several periods that are too narrow to be seen, the most important one is shown.
   */
  weight: number
}
interface StripProps {
  title: string
  /** The content of the strip in one sentence, for screen readers. */
  summary: string
  spans: readonly StripSpan[]
  start: number
  end: number
  /** The labels at the start, in the middle and at the end. */
  marks: readonly { at: number; text: string }[]
  /** Shorter periods, such as those of alerts, drawn as lines above the strip. */
  above?: readonly StripSpan[]
  /** A time that is marked with a line. */
  at?: number | undefined
}

const height = 22
const anchors = ['start', 'center', 'end'] as const
/** The height, in pixels, of the lines above the strip. `gap` is the distance between these lines and the strip. */
const lineHeight = 4
const gap = 3
/** The minimum widths, in pixels, of a period and of a line above the strip. `periodGap` is the gap after a period. */
const minWidth = { period: 1.5, line: lineHeight }
const periodGap = 0.5

/** Shows a span of time as a strip of coloured periods, with the times of `marks` below it. */
export function Strip({ title, summary, spans, start, end, marks, above = [], at }: StripProps) {
  const { ref, width } = useElementSize()
  const id = useId()
  const x = linearScale([start, end], [0, width])
  const top = above.length > 0 ? lineHeight + gap : 0
  return (
    <div ref={ref} className="svc-strip">
      <svg width={width} height={top + height + 18} role="img" aria-labelledby={id}>
        <title id={id}>{`${title}. ${summary}`}</title>
        <defs>
          <pattern id={`${id}-hatch`} width={6} height={6} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect className="svc-strip-hatch" width={3} height={6} />
          </pattern>
        </defs>
        <rect className="svc-strip-empty" y={top} width={width} height={height} rx={3} />
        {drawnPeriods(above, x, minWidth.line).map((span) => (
          <Period key={span.key} span={span} x={x} width={width} y={0} height={lineHeight} />
        ))}
        {drawnPeriods(spans, x, minWidth.period + periodGap).map((span) => (
          <Period key={span.key} span={span} x={x} width={width} y={top} height={height} hatch={id} />
        ))}
        {at !== undefined && <rect className="svc-strip-at" x={x(at) - 1} width={2} height={top + height} />}
        {marks.map((mark, i) => (
          <Tick key={mark.at} x={x(mark.at)} y={top + height + 14} anchor={anchors[i]}>
            {mark.text}
          </Tick>
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
  /** The id of the strip, with which the id of its hatch pattern begins; missing for lines above the strip. */
  hatch?: string
}

function Period({ span, x, width, y, height, hatch }: PeriodProps) {
  const left = Math.max(0, x(span.from))
  const minPx = height === lineHeight ? minWidth.line : minWidth.period
  // Rounded, because the end of the strip moves with each drawing, and every rectangle would change a little.
  const box = {
    x: tenth(Math.min(left, width - minPx)),
    y,
    width: tenth(Math.max(minPx, Math.min(width, x(span.to)) - left - periodGap)),
    height,
  }
  return (
    <g>
      <title>{span.words()}</title>
      <rect {...box} style={{ fill: span.color }} />
      {span.hatched && <rect {...box} style={{ fill: `url(#${hatch}-hatch)` }} />}
    </g>
  )
}

const tenth = (pixels: number): number => Math.round(pixels * 10) / 10
