import { useElementSize } from '@mantine/hooks'
import { type KeyboardEvent, useId, useState } from 'react'
import { Text } from '../values/Text.tsx'
import { columnAt, columnStepOf, innerSizeOf, linearScale, type PlotSize, plotMargin, ticksTo } from './scale.ts'
import { lastCounted, type Stack, type StackedColumn, withYears } from './stack.ts'
import { Tick } from './Tick.tsx'
import './charts.css'

interface StackedBarsProps extends StackWords {
  /** The title of the chart, such as `Cost by day and model`. */
  title: string
  stack: Stack
  /** Formats the values along the axis, if they must be shorter than the values elsewhere in the chart. */
  axis?: (value: number) => string
  height?: number
  /** True if the values are counts, so that the axis has only whole numbers. */
  whole?: boolean
  /** The period that each column covers. */
  each?: 'day' | 'week' | 'month'
  /**
   * True if a sum of columns would mean nothing, as with numbers of agents by day. The chart then shows the figures of
   * the last column that has any, instead of sums.
   */
  states?: boolean
  /** A value that the chart marks with a line, and the words for it. */
  limit?: { value: number; words: string } | undefined
  /** The words above the chart while no column is chosen; by default the total. */
  idle?: string
  /** True if a table beside the chart names the series with their colours, so that the legend has only the limit. */
  named?: boolean
}

/**
 * A chart of columns, each with stacked parts. Values appear on hover and with the arrow keys. Below the columns are a
 * legend and a table of the same figures.
 */
export function StackedBars(props: StackedBarsProps) {
  const { title, stack, axis, height = 150, whole = false, each = 'day', states = false, limit, format, nameOf } = props
  const words = { format, nameOf: withYears(nameOf, stack.columns) }
  const { ref, width } = useElementSize()
  const [at, setAt] = useState<number | null>(null)
  const id = useId()
  const { columns } = stack
  const last = states ? lastCounted(stack) : undefined
  const series = props.named ? [] : last ? seriesIn(stack, last) : stack.series
  const size = { width, height }
  const chosen = at === null ? undefined : columns[at]
  const total = last ? `${words.nameOf(last.key)}: ${format(last.total)}` : `${format(stack.total)} total`

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
        {chosen ? <ColumnReading column={chosen} {...words} /> : (props.idle ?? total)}
      </p>
      <div
        ref={ref}
        className="svc-chart-plot"
        role="slider"
        tabIndex={0}
        aria-label={`${title}: use the arrow keys to read each ${each}`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, columns.length - 1)}
        aria-valuenow={at ?? Math.max(0, columns.length - 1)}
        aria-valuetext={chosen ? readingText(chosen, words) : total}
        onKeyDown={move}
        onBlur={() => setAt(null)}
        onPointerLeave={() => setAt(null)}
        onPointerMove={(event) => {
          setAt(columnAt(columns.length, size, event.clientX - event.currentTarget.getBoundingClientRect().left))
        }}
      >
        <StackedPlot
          id={id}
          title={title}
          stack={stack}
          size={size}
          axis={axis ?? format}
          nameOf={nameOf}
          whole={whole}
          limit={limit}
          at={at}
        />
      </div>
      <Legend series={series} always={states} format={format} limit={limit} />
      <AsTable title={title} stack={stack} each={each} {...words} />
    </figure>
  )
}

interface StackedPlotProps {
  /** The id of the element that names the chart. */
  id: string
  title: string
  stack: Stack
  size: PlotSize
  axis: (value: number) => string
  nameOf: (key: string) => string
  whole: boolean
  limit: StackedBarsProps['limit']
  /** The index of the selected column; null if none is selected. */
  at: number | null
}

/** Draws the columns and the axis of a stacked chart. */
function StackedPlot({ id, title, stack, size, axis, nameOf, whole, limit, at }: StackedPlotProps) {
  const { columns } = stack
  const inner = innerSizeOf(size)
  const ticks = ticksTo(Math.max(stack.max, limit?.value ?? 0), { whole })
  const y = linearScale([0, ticks.at(-1) || 1], [inner.height, 0])
  const step = columnStepOf(columns.length, size)
  const every = Math.max(1, Math.ceil(56 / (step || 56)))
  return (
    <svg width={size.width} height={size.height} role="img" aria-labelledby={id}>
      <title id={id}>{title}</title>
      <g transform={`translate(${plotMargin.left},${plotMargin.top})`}>
        {ticks.map((tick) => (
          <g key={tick} transform={`translate(0,${y(tick)})`}>
            <line className="svc-chart-grid" x2={inner.width} />
            <Tick x={-8} y={3.5} anchor="end">
              {axis(tick)}
            </Tick>
          </g>
        ))}
        {columns.map((column, i) => (
          <g key={column.key} transform={`translate(${i * step},0)`} className="svc-chart-column" data-at={i === at}>
            <rect className="svc-chart-hover" width={step} height={inner.height} />
            <Parts column={column} step={step} y={y} />
            {(columns.length - 1 - i) % every === 0 && (i + 0.5) * step > 18 && (
              <Tick x={step / 2} y={inner.height + 15}>
                {nameOf(column.key)}
              </Tick>
            )}
          </g>
        ))}
        {at !== null && step < 2 * markWidth && (
          <rect
            className="svc-strip-at"
            x={(at + 0.5) * step - markWidth / 2}
            width={markWidth}
            height={inner.height}
          />
        )}
        {limit && (
          <line className="svc-chart-limit" x2={inner.width} y1={y(limit.value)} y2={y(limit.value)}>
            <title>{limit.words}</title>
          </line>
        )}
      </g>
    </svg>
  )
}

const keyOf = ({ color, name }: StackedColumn['parts'][number]['series']): string => `${color}${name}`

/** The width in pixels of the mark at the selected column, which only narrow columns need. */
const markWidth = 2

/** The parts of a column. Narrow columns overlap a little, because gaps would make their colours pale. */
const Parts = ({ column, step, y }: { column: StackedColumn; step: number; y: (value: number) => number }) =>
  column.parts.map((part) => (
    <rect
      key={keyOf(part.series)}
      x={step < 3 ? 0 : step * 0.14}
      width={step < 3 ? step + 0.5 : step * 0.72}
      shapeRendering={step < 3 ? 'crispEdges' : undefined}
      y={y(part.to)}
      height={Math.max(0.75, y(part.from) - y(part.to))}
      style={{ fill: colorOf(part.series.color) }}
    />
  ))

/** Functions that put the values and the column names of a chart into words. */
interface StackWords {
  format: (value: number) => string
  /** Converts the key of a column to the name that people read. */
  nameOf: (key: string) => string
}

/** Shows one column of a chart as a line: the column's name and sum, and its parts from the top to the bottom. */
function ColumnReading({ column, format, nameOf }: StackWords & { column: StackedColumn }) {
  return (
    <>
      <strong>{nameOf(column.key)}</strong> {format(column.total)}
      {[...column.parts].reverse().map((part) => (
        <span key={keyOf(part.series)}>
          <i style={{ background: colorOf(part.series.color) }} />
          <Text>{part.series.name}</Text> {format(part.value)}
        </span>
      ))}
    </>
  )
}

/** Describes one column of a chart in a line of text, for screen readers. */
const readingText = (column: StackedColumn, { format, nameOf }: StackWords): string =>
  [
    `${nameOf(column.key)}: ${format(column.total)}`,
    ...column.parts.map((part) => `${part.series.name} ${format(part.value)}`),
  ].join(', ')

/** The series of a chart, in which `total` is the figure of one column instead of the sum. */
const seriesIn = ({ series }: Stack, column: StackedColumn): Stack['series'] =>
  series.map((one) => ({ ...one, total: column.parts.find((part) => part.series === one)?.value ?? 0 }))

/**
 * The legend: the series with their colours and totals, and the limit. Shows nothing for a single series without a
 * limit, unless `always` is true.
 */
const Legend = ({
  series,
  always,
  format,
  limit,
}: Pick<Stack, 'series'> & Pick<StackedBarsProps, 'format' | 'limit'> & { always: boolean }) =>
  (series.length > 1 || limit || always) && (
    <ul className="svc-chart-legend">
      {series.map((one) => (
        <li key={keyOf(one)}>
          <i style={{ background: colorOf(one.color) }} aria-hidden />
          <Text>{one.name}</Text>
          <span className="svc-chart-sum">{format(one.total)}</span>
        </li>
      ))}
      {limit && (
        <li>
          <i className="svc-chart-limit-sign" aria-hidden />
          {limit.words}
        </li>
      )}
    </ul>
  )

/** Shows the figures of the chart as a table. Columns with the sum 0 are left out. */
function AsTable({
  title,
  stack,
  each,
  format,
  nameOf,
}: StackWords & Required<Pick<StackedBarsProps, 'title' | 'stack' | 'each'>>) {
  return (
    <details className="svc-chart-table">
      <summary>Show as table</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the focus lets the keyboard scroll the table */}
      <section tabIndex={0} aria-label={`${title}, as a table`}>
        <table>
          <thead>
            <tr>
              <th scope="col">
                {each[0]?.toUpperCase()}
                {each.slice(1)}
              </th>
              {stack.series.map((one) => (
                <th scope="col" key={keyOf(one)}>
                  <Text>{one.name}</Text>
                </th>
              ))}
              <th scope="col">Total</th>
            </tr>
          </thead>
          <tbody>
            {stack.columns
              .filter((column) => column.total > 0)
              .map((column) => (
                <tr key={column.key}>
                  <th scope="row">{nameOf(column.key)}</th>
                  {stack.series.map((one) => {
                    const part = column.parts.find(({ series }) => series === one)
                    return <td key={keyOf(one)}>{part ? format(part.value) : ''}</td>
                  })}
                  <td>{format(column.total)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </section>
    </details>
  )
}

/**
 * The number of colours for series, which charts.css defines. The colours can be distinguished in both schemes, also by
 * most colour-blind people.
 */
const seriesColors = 6

/**
 * Returns the colour of the series with this index; grey for null, which stands for the series that combines the
 * smallest ones.
 */
export const colorOf = (place: number | null): string =>
  place === null ? 'var(--svc-series-rest)' : `var(--svc-series-${place % seriesColors})`
