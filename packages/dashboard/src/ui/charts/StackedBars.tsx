import { useElementSize } from '@mantine/hooks'
import { type KeyboardEvent, useId, useState } from 'react'
import { Text } from '../Text.tsx'
import { colorOf } from './palette.ts'
import { linear, ticksTo } from './scale.ts'
import type { Stack, StackedColumn } from './stack.ts'

interface StackedBarsProps {
  /** The name of the chart: `Cost by day and model`. */
  title: string
  stack: Stack
  format: (value: number) => string
  /** Shorter marks for the axis. */
  axis?: (value: number) => string
  /** A column's key for people. */
  nameOf: (key: string) => string
  height?: number
  /** Counts: the axis has no halves. */
  whole?: boolean
}

const margin = { top: 8, right: 14, bottom: 20, left: 46 }

/** Columns of stacked parts, values on hover and by arrow keys, a legend, and the same figures as a table. */
export function StackedBars({
  title,
  stack,
  format,
  axis = format,
  nameOf,
  height = 150,
  whole = false,
}: StackedBarsProps) {
  const { ref, width } = useElementSize()
  const [at, setAt] = useState<number | null>(null)
  const id = useId()
  const { columns, series } = stack
  const ticks = ticksTo(stack.max, { whole })
  const inner = { width: Math.max(0, width - margin.left - margin.right), height: height - margin.top - margin.bottom }
  const y = linear([0, ticks.at(-1) || 1], [inner.height, 0])
  const step = columns.length > 0 ? inner.width / columns.length : 0
  const every = Math.max(1, Math.ceil(56 / (step || 56)))
  const chosen = at === null ? undefined : columns[at]

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
      {/* The reading: one line of fixed height, so that nothing moves when it changes. */}
      <p className="svc-chart-reading" aria-hidden>
        {chosen ? <Reading column={chosen} format={format} nameOf={nameOf} /> : <>{format(stack.total)} total</>}
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
        aria-valuetext={chosen ? readingText(chosen, format, nameOf) : `${format(stack.total)} total`}
        onKeyDown={move}
        onBlur={() => setAt(null)}
        onPointerLeave={() => setAt(null)}
        onPointerMove={(event) => {
          const x = event.clientX - event.currentTarget.getBoundingClientRect().left - margin.left
          const place = Math.floor(x / (step || 1))
          setAt(place >= 0 && place < columns.length ? place : null)
        }}
      >
        <svg width={width} height={height} role="img" aria-labelledby={id}>
          <title id={id}>{title}</title>
          <g transform={`translate(${margin.left},${margin.top})`}>
            {ticks.map((tick) => (
              <g key={tick} transform={`translate(0,${y(tick)})`}>
                <line className="svc-chart-grid" x2={inner.width} />
                <text className="svc-chart-tick" x={-8} dy="0.32em" textAnchor="end">
                  {axis(tick)}
                </text>
              </g>
            ))}
            {columns.map((column, i) => (
              <g
                key={column.key}
                transform={`translate(${i * step},0)`}
                className="svc-chart-column"
                data-at={i === at}
              >
                <rect className="svc-chart-hover" width={step} height={inner.height} />
                {column.parts.map((part) => (
                  <rect
                    key={part.series.name}
                    x={step * 0.14}
                    width={step * 0.72}
                    y={y(part.to)}
                    height={Math.max(0.75, y(part.from) - y(part.to))}
                    style={{ fill: colorOf(part.series.color) }}
                  />
                ))}
                {(columns.length - 1 - i) % every === 0 && (i + 0.5) * step > 18 && (
                  <text className="svc-chart-tick" x={step / 2} y={inner.height + 15} textAnchor="middle">
                    {nameOf(column.key)}
                  </text>
                )}
              </g>
            ))}
          </g>
        </svg>
      </div>
      {series.length > 1 && (
        <ul className="svc-chart-legend">
          {series.map((one) => (
            <li key={`${one.color}${one.name}`}>
              <i style={{ background: colorOf(one.color) }} aria-hidden />
              <Text>{one.name}</Text>
              <span className="svc-chart-sum">{format(one.total)}</span>
            </li>
          ))}
        </ul>
      )}
      <AsTable title={title} stack={stack} format={format} nameOf={nameOf} />
    </figure>
  )
}

type StackWords = Pick<StackedBarsProps, 'format' | 'nameOf'>

function Reading({ column, format, nameOf }: StackWords & { column: StackedColumn }) {
  return (
    <>
      <strong>{nameOf(column.key)}</strong> {format(column.total)}
      {[...column.parts].reverse().map((part) => (
        <span key={part.series.name}>
          <i style={{ background: colorOf(part.series.color) }} />
          <Text>{part.series.name}</Text> {format(part.value)}
        </span>
      ))}
    </>
  )
}

const readingText = (column: StackedColumn, format: StackWords['format'], nameOf: StackWords['nameOf']) =>
  [
    `${nameOf(column.key)}: ${format(column.total)}`,
    ...column.parts.map((part) => `${part.series.name} ${format(part.value)}`),
  ].join(', ')

/** The same figures as a table; days without any are left out. */
function AsTable({ title, stack, format, nameOf }: StackWords & Pick<StackedBarsProps, 'title' | 'stack'>) {
  return (
    <details className="svc-chart-table">
      <summary>Show as table</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled with the keyboard */}
      <section tabIndex={0} aria-label={`${title}, as a table`}>
        <table>
          <thead>
            <tr>
              <th scope="col">Day</th>
              {stack.series.map((one) => (
                <th scope="col" key={`${one.color}${one.name}`}>
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
                    return <td key={`${one.color}${one.name}`}>{part ? format(part.value) : ''}</td>
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
