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
}

const height = 22

/** Shows time as a strip: periods in their colours, above a line of marks. */
export function Strip({ title, summary, spans, start, end, marks }: StripProps) {
  const { ref, width } = useElementSize()
  const id = useId()
  const x = linear([start, end], [0, width])
  return (
    <div ref={ref} className="svc-strip">
      <svg width={width} height={height + 18} role="img" aria-labelledby={id}>
        <title id={id}>{`${title}. ${summary}`}</title>
        <rect className="svc-strip-empty" width={width} height={height} rx={3} />
        {spans.map((span) => {
          const left = Math.max(0, x(span.from))
          return (
            <rect
              key={`${span.from}-${span.words}`}
              x={left}
              width={Math.max(1.5, Math.min(width, x(span.to)) - left - 0.5)}
              height={height}
              style={{ fill: span.color }}
            >
              <title>{span.words}</title>
            </rect>
          )
        })}
        {marks.map((mark, i) => (
          <text
            key={mark.at}
            className="svc-chart-tick"
            x={x(mark.at)}
            y={height + 14}
            textAnchor={i === 0 ? 'start' : i === marks.length - 1 ? 'end' : 'middle'}
          >
            {mark.text}
          </text>
        ))}
      </svg>
    </div>
  )
}
