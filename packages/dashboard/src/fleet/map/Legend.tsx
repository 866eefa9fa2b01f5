import { mapStates } from '@svc/api/filter'
import { IconPlayerPauseFilled } from '@tabler/icons-react'
import { useLayoutEffect, useRef } from 'react'
import { drawSquare, type MapColors } from './draw.ts'
import { signSide } from './signs.tsx'
import { type MapState, mapStateWords } from './states.ts'

const squareSide = 12

/**
 * The shape and the word of each state on a map without names. It shows no numbers, because the chips above the map
 * have numbers, and the chips count a paused agent by its level.
 */
export const Legend = ({ counts, paint }: { counts: readonly number[]; paint: MapColors }) => (
  <ul className="map-legend" aria-label="States">
    {mapStates.map(
      (state, i) =>
        (counts[i] ?? 0) > 0 && (
          <li key={state}>
            <Swatch state={state} paint={paint} />
            {mapStateWords[state]}
          </li>
        ),
    )}
  </ul>
)

/** Explains the icon of paused agents on a map with names, because no chip shows that icon. */
export const PausedNote = () => (
  <p className="map-note">
    <IconPlayerPauseFilled className="map-paused" size={signSide} aria-hidden /> Paused. The chips count paused agents
    by their level.
  </p>
)

/** The square of a state as the map draws it. */
export function Swatch({ state, paint }: { state: MapState; paint: MapColors }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const pixels = Math.round(squareSide * paint.ratio)
  useLayoutEffect(() => {
    const to = canvas.current?.getContext('2d')
    if (!to) return
    to.clearRect(0, 0, pixels, pixels)
    drawSquare(to, state, { x: 0, y: 0, side: pixels }, paint)
  }, [state, paint, pixels])
  return <canvas ref={canvas} className="map-swatch" width={pixels} height={pixels} aria-hidden />
}
