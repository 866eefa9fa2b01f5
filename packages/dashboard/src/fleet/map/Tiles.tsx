import { mapStates } from '@svc/api/filter'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type Ref, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { Text } from '../../ui/index.ts'
import { noGroupWords } from '../groups/lines.ts'
import { drawNamed, drawSquare, type MapColors } from './draw.ts'
import { type MapBlock, type MapLayout, squarePosition, squaresBetween } from './layout.ts'
import type { Signs } from './signs.tsx'
import { countStatesIn, type Squares, stateOfAgent } from './squares.ts'
import { stateCountsText } from './states.ts'

/** The height of a tile in pixels. A canvas of the whole map would be larger than browsers allow on a phone. */
const tileHeight = 512

export interface TilesHandle {
  /** Draws the squares of these agents again. */
  redraw: (agents: ReadonlySet<number>) => void
}

interface TilesProps {
  ref: Ref<TilesHandle>
  squares: Squares
  layout: MapLayout
  paint: MapColors
  /** The icons beside names; undefined if the squares have no names. */
  signs: Signs | undefined
}

/**
 * The squares and the headings of the map, in tiles. Only the tiles in sight and their neighbours are in the document.
 */
export function Tiles({ ref, squares, layout, paint, signs }: TilesProps) {
  const ground = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    const rect = ground.current?.getBoundingClientRect()
    if (rect) setTop(Math.round(rect.top + window.scrollY))
  })
  const tiles = useWindowVirtualizer({
    count: Math.ceil(layout.height / tileHeight),
    estimateSize: () => tileHeight,
    overscan: 1,
    scrollMargin: top,
  })
  // The browser's tools show how long it takes to place and draw the squares.
  const began = performance.now()
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when all squares are drawn
  useLayoutEffect(() => void performance.measure('map drawn', { start: began }), [squares, layout, paint])
  const side = layout.square.height
  const sprites = useMemo(() => spritesOf(side, paint), [side, paint])
  const canvases = useRef(new Map<number, HTMLCanvasElement>())
  useImperativeHandle(ref, () => ({
    redraw(agents) {
      for (const [index, canvas] of canvases.current)
        drawTile(canvas, { index, squares, layout, sprites, paint, signs }, agents)
    },
  }))
  return (
    <div ref={ground} className="svc-in-sight">
      {tiles.getVirtualItems().map(({ index }) => (
        <Tile
          key={index}
          index={index}
          squares={squares}
          layout={layout}
          sprites={sprites}
          paint={paint}
          signs={signs}
          canvases={canvases.current}
        />
      ))}
    </div>
  )
}

interface TilePart {
  index: number
  squares: Squares
  layout: MapLayout
  /** A picture of each state, side by side. */
  sprites: HTMLCanvasElement
  paint: MapColors
  signs: Signs | undefined
}

function Tile({ canvases, ...part }: TilePart & { canvases: Map<number, HTMLCanvasElement> }) {
  const { index, squares, layout, sprites, paint, signs } = part
  const { ratio } = paint
  const canvas = useRef<HTMLCanvasElement>(null)
  const y = index * tileHeight
  const height = Math.min(tileHeight, layout.height - y)
  useLayoutEffect(() => {
    const to = canvas.current
    if (!to) return
    canvases.set(index, to)
    drawTile(to, { index, squares, layout, sprites, paint, signs })
    return () => void canvases.delete(index)
  }, [canvases, index, squares, layout, sprites, paint, signs])
  return (
    <>
      <canvas
        ref={canvas}
        className="map-tile"
        width={Math.round(layout.width * ratio)}
        height={Math.round(height * ratio)}
        style={{ top: y, width: layout.width, height }}
        aria-hidden
      />
      {layout.heading > 0 &&
        layout.blocks.map(
          (block, group) =>
            block.y >= y &&
            block.y < y + tileHeight && <Heading key={block.first} block={block} group={group} squares={squares} />,
        )}
    </>
  )
}

function Heading({ block, group, squares }: { block: MapBlock; group: number; squares: Squares }) {
  const value = squares.map.groups[group] ?? null
  const { x: left, y: top, width, first, squares: number } = block
  const problems = stateCountsText(countStatesIn(squares, first, first + number), ['bad', 'offline', 'warn'])
  return (
    <div className="map-heading" style={{ left, top, width }}>
      {value === null ? <span>{noGroupWords[squares.by ?? 'tag']}</span> : <Text cut>{value}</Text>}
      <span className="map-number">{number.toLocaleString('en-US')}</span>
      {problems !== '' && <span className="map-problems">{problems}</span>}
    </div>
  )
}

/** Draws the squares of a tile, or only those of these agents. */
function drawTile(canvas: HTMLCanvasElement, part: TilePart, only?: ReadonlySet<number>): void {
  const to = canvas.getContext('2d')
  if (!to) return
  const { index, squares, layout, sprites, paint, signs } = part
  const { ratio } = paint
  const side = sprites.height
  const width = layout.named ? Math.round(layout.square.width * ratio) : side
  const top = index * tileHeight
  if (!only) to.clearRect(0, 0, canvas.width, canvas.height)
  for (const block of layout.blocks) {
    const [first, end] = squaresBetween(block, top, top + tileHeight, layout)
    for (let square = first; square < end; square++) {
      const agent = squares.agents[square] ?? 0
      if (only && !only.has(agent)) continue
      const place = squarePosition(block, square, layout)
      const [x, y] = [Math.round(place.x * ratio), Math.round((place.y - top) * ratio)]
      if (only) to.clearRect(x, y, width, side)
      if (signs) {
        const name = squares.map.squares[agent]?.[0] ?? ''
        drawNamed(to, { name, state: stateOfAgent(squares, agent), x, y, width, height: side }, paint, signs)
      } else to.drawImage(sprites, (squares.states[agent] ?? 0) * side, 0, side, side, x, y, side, side)
    }
  }
}

function spritesOf(side: number, paint: MapColors): HTMLCanvasElement {
  const pixels = Math.round(side * paint.ratio)
  const canvas = document.createElement('canvas')
  canvas.width = pixels * mapStates.length
  canvas.height = pixels
  const to = canvas.getContext('2d')
  if (to)
    for (const [i, state] of mapStates.entries()) drawSquare(to, state, { x: i * pixels, y: 0, side: pixels }, paint)
  return canvas
}
