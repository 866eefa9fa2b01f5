import { useElementSize } from '@mantine/hooks'
import type { RolloutAgentState, RolloutPage } from '@svc/api'
import { useId } from 'react'
import { widthsOf } from '../ui/charts/scale.ts'
import { Tick } from '../ui/charts/Tick.tsx'
import { timeOfDay } from '../ui/index.ts'
import { rolloutAgentWords } from './parts/looks.ts'
import { stateOrder, waveText } from './waves.ts'

const top = 18
const height = 22
/** The minimum widths in pixels of a wave, of a state in it, and of a wave whose name is shown in full. */
const minWaveWidth = 44
const minStateWidth = 3
const minLabelWidth = 50

/**
 * A rollout as one bar: its waves side by side, each with its agents by state. Below a wave is the time at which it
 * began or will probably begin. The width of a wave follows its number of agents, with a minimum.
 */
export function WavesBar({ rollout }: { rollout: RolloutPage }) {
  const { ref, width } = useElementSize()
  const id = useId()
  const { steps, nextAt, wave, state } = rollout
  const current = state === 'done' || state === 'cancelled' ? undefined : wave
  const sizes = steps.map(({ counts }) => Object.values(counts).reduce((sum, n) => sum + n, 0))
  const widths = widthsOf(sizes, width, minWaveWidth)
  const words = steps.map(({ counts }, i) => waveText(rollout, i + 1, counts))
  let x = 0
  return (
    <div ref={ref} className="up-waves">
      <svg width={width} height={top + height + 18} role="img" aria-labelledby={id}>
        <title id={id}>{words.join(' ')}</title>
        <defs>
          <pattern id={`${id}-way`} width={6} height={6} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect className="up-waves-line" width={2} height={6} />
          </pattern>
          <pattern id={`${id}-bad`} width={6} height={6} patternUnits="userSpaceOnUse">
            <path className="up-waves-cross" d="M0 0L6 6M6 0L0 6" />
          </pattern>
        </defs>
        {steps.map(({ begunAt, counts }, i) => {
          const left = x
          const wide = widths[i] ?? 0
          x += wide
          const below =
            begunAt !== null ? timeOfDay(begunAt) : i === wave && nextAt !== null ? `≈ ${timeOfDay(nextAt)}` : null
          return (
            <g key={words[i]} transform={`translate(${left},0)`} data-current={i + 1 === current}>
              <title>{words[i]}</title>
              <line className="up-waves-mark" y1={top - 4} y2={top + height + 6} x1={0.5} x2={0.5} />
              <g className="up-waves-name">
                <Tick x={4} y={11} anchor="start">
                  {wide >= minLabelWidth ? `Wave ${i + 1}` : i + 1}
                </Tick>
              </g>
              <Segments id={id} counts={counts} width={wide} />
              {below !== null && wide >= minLabelWidth - 10 && (
                <Tick x={4} y={top + height + 14} anchor="start">
                  {below}
                </Tick>
              )}
            </g>
          )
        })}
      </svg>
    </div>
  )
}

const patternOf = { waiting: 'way', no: 'bad' } as const

interface SegmentsProps {
  /** The id of the picture. The ids of the patterns for waiting agents and bad outcomes begin with it. */
  id: string
  counts: Partial<Record<RolloutAgentState, number>>
  width: number
}

function Segments({ id, counts, width }: SegmentsProps) {
  const widths = widthsOf(
    stateOrder.map((state) => counts[state] ?? 0),
    Math.max(0, width - 2),
    minStateWidth,
  )
  let x = 2
  return stateOrder.map((state, i) => {
    const wide = widths[i] ?? 0
    const box = { x, y: top, width: Math.max(0, wide - 1), height }
    x += wide
    if (wide === 0) return null
    const { tone } = rolloutAgentWords[state]
    const pattern = tone === 'waiting' || tone === 'no' ? patternOf[tone] : undefined
    return (
      <g key={state} data-tone={state === 'untouched' ? 'open' : tone}>
        <rect className="up-waves-part" {...box} />
        {pattern && <rect {...box} fill={`url(#${id}-${pattern})`} />}
      </g>
    )
  })
}
