/** Draws squares of the map. Each state has a shape of its own beside its colour. */
import type { MapState } from './states.ts'

export interface Paint {
  /** The colour of each state. */
  colors: Readonly<Record<MapState, string>>
  /** The colour of signs on a filled square: that of the page. */
  ground: string
  /** The device pixels of a CSS pixel. */
  ratio: number
}

/** Draws a square of a state at a point; `side` and the point are device pixels. */
export function drawSquare(
  to: CanvasRenderingContext2D,
  state: MapState,
  { x, y, side }: { x: number; y: number; side: number },
  { colors, ground }: Paint,
): void {
  const unit = side / 12
  const box = (inset: number) => to.roundRect(x + inset, y + inset, side - 2 * inset, side - 2 * inset, 2 * unit)
  const line = (width: number, color: string, ...points: readonly [number, number][]) => {
    to.beginPath()
    for (const [i, [px, py]] of points.entries()) {
      if (i % 2 === 0) to.moveTo(x + px * unit, y + py * unit)
      else to.lineTo(x + px * unit, y + py * unit)
    }
    to.lineWidth = Math.max(1, width * unit)
    to.strokeStyle = color
    to.stroke()
  }
  const fill = (color: string) => {
    to.fillStyle = color
    to.fill()
  }
  const frame = () => {
    to.beginPath()
    const width = Math.max(1, 1.4 * unit)
    box(width / 2)
    to.lineWidth = width
    to.strokeStyle = colors[state]
    to.stroke()
  }
  to.beginPath()
  to.setLineDash([])
  switch (state) {
    case 'ok':
      box(0)
      fill(colors.ok)
      break
    case 'info':
      to.arc(x + side / 2, y + side / 2, side / 2, 0, 2 * Math.PI)
      fill(colors.info)
      break
    case 'warn':
      to.moveTo(x + side / 2, y)
      to.lineTo(x + side, y + side)
      to.lineTo(x, y + side)
      fill(colors.warn)
      break
    case 'bad':
      box(0)
      fill(colors.bad)
      line(1.8, ground, [3, 3], [9, 9], [9, 3], [3, 9])
      break
    case 'offline':
      frame()
      line(1.4, colors.offline, [2, 10], [10, 2])
      break
    case 'paused':
      box(0)
      fill(colors.paused)
      line(2, ground, [4.2, 3], [4.2, 9], [7.8, 3], [7.8, 9])
      break
    case 'stopped':
      frame()
      to.beginPath()
      to.rect(x + 4 * unit, y + 4 * unit, 4 * unit, 4 * unit)
      fill(colors.stopped)
      break
    case 'none':
      frame()
      break
    case 'never':
      to.setLineDash([2 * unit, 1.6 * unit])
      frame()
      to.setLineDash([])
      break
  }
}
