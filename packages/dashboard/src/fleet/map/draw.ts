/** Draws squares of the map. Each state has a shape as well as a colour. */
import { type Signs, signGrid, signSide } from './signs.tsx'
import type { MapState } from './states.ts'

/** The colours and fonts with which the map is drawn. */
export interface MapColors {
  /** The colour of each state. */
  colors: Readonly<Record<MapState, string>>
  /** The colour of the OK icon beside a name, as in the list. `colors.ok`, for squares, is a little paler. */
  ok: string
  /** The background colour of the page, for symbols on a filled square. */
  ground: string
  /** The colour and the font family of names. */
  text: string
  family: string
  /** The line around a square with a name. */
  line: string
  /** False if the browser forces its own colours. */
  tinted: boolean
  /** The device pixels of a CSS pixel. */
  ratio: number
}

interface NamedSquare {
  name: string
  state: MapState
  x: number
  y: number
  width: number
  height: number
}

/** The states that tint a square with a name, because they need attention. */
const tinted: ReadonlySet<MapState> = new Set(['bad', 'offline', 'warn'])

/** Draws the square of an agent with its name. Lengths are device pixels. */
export function drawNamed(to: CanvasRenderingContext2D, square: NamedSquare, paint: MapColors, signs: Signs): void {
  const { name, state, x, y, width, height } = square
  const { ratio, colors } = paint
  const side = Math.round(signSide * ratio)
  const edge = Math.round((height - side) / 2)
  const isTinted = paint.tinted && tinted.has(state)
  to.setLineDash([])
  to.beginPath()
  to.roundRect(x + ratio / 2, y + ratio / 2, width - ratio, height - ratio, 5 * ratio)
  if (isTinted) {
    to.globalAlpha = 0.12
    to.fillStyle = colors[state]
    to.fill()
    to.globalAlpha = 0.5
  }
  to.lineWidth = ratio
  to.strokeStyle = isTinted ? colors[state] : paint.line
  to.stroke()
  to.globalAlpha = 1
  drawSign(to, signs[state], { x: x + edge, y: y + edge, side }, state === 'ok' ? paint.ok : colors[state])
  to.font = `${tinted.has(state) ? 600 : 400} ${13 * ratio}px ${paint.family}`
  to.fillStyle = paint.text
  to.textBaseline = 'middle'
  const left = x + edge + side + 8 * ratio
  to.fillText(cutText(to, name, x + width - left - 6 * ratio), left, y + height / 2 + ratio / 2)
}

/** The beginning of a text that fits into a width, with an ellipsis. */
function cutText(to: CanvasRenderingContext2D, text: string, width: number): string {
  if (to.measureText(text).width <= width) return text
  let length = text.length - 1
  while (length > 0 && to.measureText(`${text.slice(0, length)}…`).width > width) length--
  return `${text.slice(0, length)}…`
}

interface SignArea {
  x: number
  y: number
  side: number
}

/** Draws the icon that a state has in the list. */
function drawSign(to: CanvasRenderingContext2D, { paths, isFilled }: Signs[MapState], place: SignArea, color: string) {
  to.save()
  to.translate(place.x, place.y)
  to.scale(place.side / signGrid.side, place.side / signGrid.side)
  to.fillStyle = color
  to.strokeStyle = color
  to.lineWidth = signGrid.line
  to.lineCap = 'round'
  to.lineJoin = 'round'
  for (const path of paths)
    if (isFilled) to.fill(path)
    else to.stroke(path)
  to.restore()
}

/** Draws a square of a state at a point; `side` and the point are device pixels. */
export function drawSquare(
  to: CanvasRenderingContext2D,
  state: MapState,
  { x, y, side }: SignArea,
  { colors, ground }: Pick<MapColors, 'colors' | 'ground'>,
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
