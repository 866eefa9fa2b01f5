import './charts.css'
import { count } from '../time/format.ts'

/**
 * The look of a run by its end, or `waiting` for a run in progress. The tones `no`, `waiting` and `lost` have shapes of
 * their own, so that they can be recognised without colours.
 */
export type BarTone = 'good' | 'no' | 'waiting' | 'lost' | 'plain'

/** A run as a bar. */
export interface RunBar {
  /** The duration of the run, or its cost; null if it is not known. */
  value: number | null
  tone: BarTone
}

interface RunBarsProps {
  /** The content of the picture in one sentence. */
  title: string
  /** The bars, the one of the oldest run first. */
  bars: readonly RunBar[]
}

const height = 22
const barStep = 5
const barWidth = 4
/** The height in pixels of the shortest bar, and of the mark below a run that failed. */
const footHeight = 3

/**
 * Shows runs as bars: the height is the duration or the cost. A run that failed has a mark below its bar, one in
 * progress is hollow, and one that was stopped, skipped or cancelled is short and wide.
 */
export function RunBars({ title, bars }: RunBarsProps) {
  const max = bars.reduce((longest, { value }) => Math.max(longest, value ?? 0), 0)
  const tones = [...new Set(bars.map(({ tone }) => tone))]
  const width = Math.max(1, bars.length) * barStep
  return (
    <svg className="svc-run-bars" width={width} height={height + footHeight + 1} role="img" aria-label={title}>
      <title>{title}</title>
      {tones.map((tone) => (
        <path key={tone} data-tone={tone} d={runBarsPath(bars, tone, max)} />
      ))}
    </svg>
  )
}

/** The number of runs and of those that failed, in words. */
export function runsAndFailedText(bars: readonly RunBar[]): string {
  const failed = bars.filter(({ tone }) => tone === 'no').length
  return `${count(bars.length, 'run')}, ${failed === 0 ? 'none' : failed} failed`
}

/** The bars of one tone as the data of one SVG path. */
export const runBarsPath = (bars: readonly RunBar[], tone: BarTone, max: number): string =>
  bars.map((bar, at) => (bar.tone === tone ? barAt(at * barStep, bar, max) : '')).join('')

function barAt(x: number, { value, tone }: RunBar, max: number): string {
  if (tone === 'lost') return rect(x - 0.5, height - footHeight, barWidth + 1, footHeight)
  const tall = max === 0 ? footHeight : Math.max(footHeight, Math.round(((value ?? 0) / max) * height))
  if (tone === 'waiting') return rect(x + 0.5, 0.5, barWidth - 1, height - 1)
  const bar = rect(x, height - tall, barWidth, tall)
  return tone === 'no' ? bar + rect(x, height + 1, barWidth, footHeight) : bar
}

const rect = (x: number, y: number, width: number, tall: number): string => `M${x} ${y}h${width}v${tall}h${-width}z`
