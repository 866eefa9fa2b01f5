import { useElementSize } from '@mantine/hooks'
import { type KeyboardEvent, useId, useState } from 'react'
import { columnAt, StackedPlot } from './StackedPlot.tsx'
import { AsTable, Legend, Reading, readingText, type StackWords } from './StackedWords.tsx'
import type { Stack } from './stack.ts'

interface StackedBarsProps extends StackWords {
  /** The title of the chart, such as `Cost by day and model`. */
  title: string
  stack: Stack
  /** Formats the values along the axis, if they must be shorter than the values elsewhere in the chart. */
  axis?: (value: number) => string
  height?: number
  /** True if the values are counts, so that the axis has only whole numbers. */
  whole?: boolean
}

/**
 * A chart of columns, each with stacked parts. Values appear on hover and with the arrow keys. Below the columns are a
 * legend and a table of the same figures.
 */
export function StackedBars({ title, stack, axis, height = 150, whole = false, ...words }: StackedBarsProps) {
  const { format } = words
  const { ref, width } = useElementSize()
  const [at, setAt] = useState<number | null>(null)
  const id = useId()
  const { columns, series } = stack
  const size = { width, height }
  const chosen = at === null ? undefined : columns[at]
  const total = `${format(stack.total)} total`

  const move = (event: KeyboardEvent) => {
    const last = columns.length - 1
    const to = { ArrowLeft: (at ?? last + 1) - 1, ArrowRight: (at ?? last - 1) + 1, Home: 0, End: last }[event.key]
    if (event.key === 'Escape') setAt(null)
    if (to === undefined) return
    event.preventDefault()
    setAt(Math.max(0, Math.min(last, to)))
  }
  return (
    <figure className="svc-chart" aria-labelledby={id}>
      {/* A line of fixed height above the chart: the figures of the selected column or, without one, the total. */}
      <p className="svc-chart-reading" aria-hidden>
        {chosen ? <Reading column={chosen} {...words} /> : total}
      </p>
      <div
        ref={ref}
        className="svc-chart-plot"
        role="slider"
        tabIndex={0}
        aria-label={`${title}: use the arrow keys to read each day`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, columns.length - 1)}
        aria-valuenow={at ?? Math.max(0, columns.length - 1)}
        aria-valuetext={chosen ? readingText(chosen, words) : total}
        onKeyDown={move}
        onBlur={() => setAt(null)}
        onPointerLeave={() => setAt(null)}
        onPointerMove={(event) => {
          setAt(columnAt(stack, size, event.clientX - event.currentTarget.getBoundingClientRect().left))
        }}
      >
        <StackedPlot
          id={id}
          title={title}
          stack={stack}
          size={size}
          axis={axis ?? format}
          nameOf={words.nameOf}
          whole={whole}
          at={at}
        />
      </div>
      <Legend series={series} format={format} />
      <AsTable title={title} stack={stack} {...words} />
    </figure>
  )
}
