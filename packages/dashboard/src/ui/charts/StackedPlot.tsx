import { colorOf } from './palette.ts'
import { linear, ticksTo } from './scale.ts'
import type { Stack, StackedColumn } from './stack.ts'

const margin = { top: 8, right: 14, bottom: 20, left: 46 }

interface StackedPlotProps {
  /** The id of the element that names the chart. */
  id: string
  title: string
  stack: Stack
  size: { readonly width: number; readonly height: number }
  axis: (value: number) => string
  nameOf: (key: string) => string
  whole: boolean
  /** The index of the selected column; null if none is selected. */
  at: number | null
}

/** Draws the columns and the axis of a stacked chart. */
export function StackedPlot({ id, title, stack, size, axis, nameOf, whole, at }: StackedPlotProps) {
  const { columns } = stack
  const inner = innerOf(size)
  const ticks = ticksTo(stack.max, { whole })
  const y = linear([0, ticks.at(-1) || 1], [inner.height, 0])
  const step = stepOf(stack, size)
  const every = Math.max(1, Math.ceil(56 / (step || 56)))
  return (
    <svg width={size.width} height={size.height} role="img" aria-labelledby={id}>
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
          <g key={column.key} transform={`translate(${i * step},0)`} className="svc-chart-column" data-at={i === at}>
            <rect className="svc-chart-hover" width={step} height={inner.height} />
            <Parts column={column} step={step} y={y} />
            {(columns.length - 1 - i) % every === 0 && (i + 0.5) * step > 18 && (
              <text className="svc-chart-tick" x={step / 2} y={inner.height + 15} textAnchor="middle">
                {nameOf(column.key)}
              </text>
            )}
          </g>
        ))}
      </g>
    </svg>
  )
}

const Parts = ({ column, step, y }: { column: StackedColumn; step: number; y: (value: number) => number }) =>
  column.parts.map((part) => (
    <rect
      key={part.series.name}
      x={step * 0.14}
      width={step * 0.72}
      y={y(part.to)}
      height={Math.max(0.75, y(part.from) - y(part.to))}
      style={{ fill: colorOf(part.series.color) }}
    />
  ))

const innerOf = ({ width, height }: StackedPlotProps['size']) => ({
  width: Math.max(0, width - margin.left - margin.right),
  height: height - margin.top - margin.bottom,
})

/** The distance between the left edges of two neighbouring columns, in pixels; 0 without columns. */
const stepOf = ({ columns }: Stack, size: StackedPlotProps['size']): number =>
  columns.length > 0 ? innerOf(size).width / columns.length : 0

/** The index of the column at a distance in pixels from the left edge of the chart; null if there is no column. */
export function columnAt(stack: Stack, size: StackedPlotProps['size'], x: number): number | null {
  const place = Math.floor((x - margin.left) / (stepOf(stack, size) || 1))
  return place >= 0 && place < stack.columns.length ? place : null
}
