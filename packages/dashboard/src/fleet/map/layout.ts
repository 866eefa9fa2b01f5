/** Places the squares of the map: blocks of squares, one for each group, side by side in rows. Pure functions. */
import { lastIndexWhere } from '../groups/lines.ts'

/** A group on the map. Lengths are CSS pixels. */
export interface MapBlock {
  /** The number of the group's first square. Squares are numbered in one sequence across all groups. */
  first: number
  squares: number
  x: number
  /** The top of the group, including its heading if groups have headings. */
  y: number
  width: number
  columns: number
}

/** The positions and sizes on the map, in CSS pixels. */
export interface MapLayout {
  blocks: readonly MapBlock[]
  /** The distance from one square to the next. */
  pitch: { x: number; y: number }
  /** The size of a square. If the map is `named`, squares show the name of the agent beside the icon. */
  square: { width: number; height: number }
  named: boolean
  /** The height of a heading; 0 without groups. */
  heading: number
  width: number
  height: number
}

const blockGap = { x: 24, y: 14 }
const headingHeight = 24
/** The width that a heading needs to be read. */
const minBlockWidth = 190
/** The approximate ratio of a block's width to its height, if the map is wide enough. */
const blockProportion = 2.2
const pitchSteps = [
  { upTo: 60, pitch: 44 },
  { upTo: 150, pitch: 32 },
  { upTo: 600, pitch: 22 },
  { upTo: 2000, pitch: 17 },
  { upTo: 5000, pitch: 14 },
]
const smallestPitch = 12
/** The space between two squares, and between two that are named. */
const squareGaps = { squares: 2, named: 6 }

/** The minimum width of a square with a name, its height, and the maximum number of them, by the width of the map. */
const namedSquares = { minWidth: 150, minWindow: 640, wide: { height: 36, max: 120 }, narrow: { height: 50, max: 60 } }
const namedIn = (width: number) => (width >= namedSquares.minWindow ? namedSquares.wide : namedSquares.narrow)
/** The approximate number of columns in a block of named squares, as a multiple of its rows. */
const namedProportion = 0.5

/** True if there is room for the names of all agents. */
export const hasRoomForNames = (sizes: readonly number[], width: number): boolean =>
  sizes.reduce((sum, size) => sum + size, 0) <= namedIn(width).max

interface LayoutLook {
  /** False for one block without a heading. */
  grouped: boolean
  named: boolean
}

/** Returns where the groups and squares of a map are. `sizes` has the number of squares of each group. */
export function mapLayoutOf(
  sizes: readonly number[],
  width: number,
  { grouped, named: isNamed }: LayoutLook,
): MapLayout {
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const side = pitchSteps.find(({ upTo }) => total <= upTo)?.pitch ?? smallestPitch
  const space = isNamed ? squareGaps.named : squareGaps.squares
  // No space follows the last square of a row.
  const room = width + space
  const maxColumns = Math.max(1, Math.floor(room / (isNamed ? namedSquares.minWidth : side)))
  // On a map without groups, up to 150 squares grow by up to 30% to fill the width.
  const wide = grouped || total > 150 ? side : Math.floor(Math.min(side * 1.3, room / maxColumns))
  const pitch = isNamed ? { x: room / maxColumns, y: namedIn(width).height } : { x: wide, y: wide }
  const heading = grouped ? headingHeight : 0
  const blocks: MapBlock[] = []
  let [x, y, rowHeight, first] = [0, 0, 0, 0]
  for (const squares of sizes) {
    const root = Math.sqrt(squares * (isNamed ? namedProportion : blockProportion))
    const wished = grouped ? Math.max(minBlockWidth / pitch.x, root) : maxColumns
    const columns = Math.min(maxColumns, Math.ceil(wished))
    const blockWidth = columns * pitch.x - space
    if (x > 0 && x + blockWidth > width) [x, y, rowHeight] = [0, y + rowHeight + blockGap.y, 0]
    blocks.push({ first, squares, x, y, width: blockWidth, columns })
    x += blockWidth + blockGap.x
    rowHeight = Math.max(rowHeight, heading + Math.ceil(squares / columns) * pitch.y)
    first += squares
  }
  const square = { width: Math.floor(pitch.x - space), height: pitch.y - space }
  return { blocks, pitch, square, named: isNamed, heading, width, height: y + rowHeight }
}

interface Point {
  x: number
  y: number
}

/** The top left corner of a square in its block. */
export function squarePosition(block: MapBlock, square: number, { pitch, heading }: MapLayout): Point {
  const at = square - block.first
  return {
    x: Math.round(block.x + (at % block.columns) * pitch.x),
    y: block.y + heading + Math.floor(at / block.columns) * pitch.y,
  }
}

/** The index of the block that has a square. */
export const blockIndexOf = (square: number, { blocks }: MapLayout): number =>
  lastIndexWhere(blocks.length, (index) => (blocks[index]?.first ?? 0) <= square)

/** The square at a point; undefined if there is no square. */
export function squareAt({ x, y }: Point, layout: MapLayout): number | undefined {
  const { pitch, heading } = layout
  for (const block of layout.blocks) {
    const [column, row] = [(x - block.x) / pitch.x, (y - block.y - heading) / pitch.y]
    if (column < 0 || row < 0 || column >= block.columns) continue
    const at = Math.floor(row) * block.columns + Math.floor(column)
    if (at < block.squares) return block.first + at
  }
  return undefined
}

/**
 * The numbers of the first square of a block that is at least partly between two heights, and of the square after the
 * last one. Both are equal if there is none.
 */
export function squaresBetween(
  block: MapBlock,
  from: number,
  to: number,
  { pitch, heading }: MapLayout,
): [number, number] {
  const top = block.y + heading
  const row = (y: number) => Math.floor((y - top) / pitch.y)
  const first = Math.max(0, row(from)) * block.columns
  const last = Math.min(block.squares, (row(to) + 1) * block.columns)
  return [block.first + first, block.first + Math.max(first, last)]
}

/** The square to which a key leads; undefined if the key moves nothing. */
export function squareAfter(key: string, square: number, layout: MapLayout): number | undefined {
  const index = blockIndexOf(square, layout)
  const block = layout.blocks[index]
  const last = (layout.blocks.at(-1)?.first ?? 0) + (layout.blocks.at(-1)?.squares ?? 1) - 1
  if (!block) return undefined
  const blockAt = (by: number) => layout.blocks[Math.max(0, Math.min(layout.blocks.length - 1, index + by))] ?? block
  const column = (square - block.first) % block.columns
  switch (key) {
    case 'ArrowRight':
      return Math.min(last, square + 1)
    case 'ArrowLeft':
      return Math.max(0, square - 1)
    case 'ArrowDown': {
      const below = square + block.columns
      if (below < block.first + block.squares) return below
      const isInLastRow = Math.floor((square - block.first) / block.columns) === rowsOf(block) - 1
      if (!isInLastRow) return block.first + block.squares - 1
      const next = blockAt(1)
      return next === block ? square : next.first + Math.min(next.squares - 1, next.columns - 1, column)
    }
    case 'ArrowUp': {
      if (square - block.columns >= block.first) return square - block.columns
      const before = blockAt(-1)
      if (before === block) return square
      const start = (rowsOf(before) - 1) * before.columns
      return before.first + Math.min(before.squares - 1, start + Math.min(column, before.columns - 1))
    }
    case 'PageDown':
      return blockAt(1).first
    case 'PageUp':
      return square === block.first ? blockAt(-1).first : block.first
    case 'Home':
      return 0
    case 'End':
      return last
    default:
      return undefined
  }
}

const rowsOf = (block: MapBlock): number => Math.ceil(block.squares / block.columns)
