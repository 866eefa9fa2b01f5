import { expect, test } from 'vitest'
import {
  blockIndexOf,
  hasRoomForNames,
  mapLayoutOf,
  squareAfter,
  squareAt,
  squarePosition,
  squaresBetween,
} from './layout.ts'

const look = { grouped: false, named: false }
const grouped = mapLayoutOf([5, 70, 1], 700, { ...look, grouped: true })
const plain = mapLayoutOf([80], 320, look)
const named = mapLayoutOf([5, 40, 1], 1000, { grouped: true, named: true })

test('without groups the squares fill the width', () => {
  expect(plain.blocks).toEqual([{ first: 0, squares: 80, x: 0, y: 0, width: 318, columns: 10 }])
  expect(plain).toMatchObject({ heading: 0, height: 8 * plain.pitch.y })
})

test('blocks lie side by side while there is room, and no two overlap', () => {
  const [a, b, c] = grouped.blocks
  expect(a?.y).toBe(b?.y)
  expect(c?.y).toBeGreaterThan(b?.y ?? 0)
  for (const { x, width } of grouped.blocks) expect(x + width).toBeLessThanOrEqual(700)
})

test('every square is found at its place, and none between them', () => {
  for (const layout of [grouped, plain, named])
    for (const block of layout.blocks)
      for (let square = block.first; square < block.first + block.squares; square++) {
        const { x, y } = squarePosition(block, square, layout)
        expect(squareAt({ x: x + 3, y: y + 3 }, layout)).toBe(square)
        expect(layout.blocks[blockIndexOf(square, layout)]).toBe(block)
      }
  expect(squareAt({ x: 3, y: 3 }, grouped)).toBeUndefined()
  expect(squareAt({ x: -1, y: 40 }, grouped)).toBeUndefined()
})

test('the squares of a part of the height are those that touch it', () => {
  const [block] = plain.blocks
  if (!block) throw new Error('There is a block.')
  expect(squaresBetween(block, 0, 31, plain)).toEqual([0, 10])
  expect(squaresBetween(block, 31, 32, plain)).toEqual([0, 20])
  expect(squaresBetween(block, 200, 500, plain)).toEqual([60, 80])
  expect(squaresBetween(block, 500, 600, plain)[0]).toBe(squaresBetween(block, 500, 600, plain)[1])
})

test.each([
  ['ArrowRight', 4, 5],
  ['ArrowLeft', 5, 4],
  ['ArrowLeft', 0, 0],
  ['ArrowRight', 75, 75],
  ['ArrowDown', 4, 9],
  ['ArrowUp', 9, 4],
  ['ArrowUp', 2, 2],
  ['ArrowDown', 75, 75],
  ['PageDown', 2, 5],
  ['PageDown', 7, 75],
  ['PageUp', 7, 5],
  ['PageUp', 5, 0],
  ['Home', 30, 0],
  ['End', 3, 75],
  ['x', 3, undefined],
])('%s leads from square %i to %s', (key, from, to) => expect(squareAfter(key, from, grouped)).toBe(to))

test('Down from above a short last row leads into it', () => {
  const layout = mapLayoutOf([15], 440, look)
  expect(squareAfter('ArrowDown', 8, layout)).toBe(14)
})

test.each([332, 1176, 1181])('squares with names reach both edges of a map %i pixels wide', (width) => {
  const layout = mapLayoutOf([40], width, { ...look, named: true })
  const [block] = layout.blocks
  if (!block) throw new Error('There is a block.')
  const { x } = squarePosition(block, block.columns - 1, layout)
  expect(Math.abs(x + layout.square.width - width)).toBeLessThanOrEqual(1)
})

test('10,000 squares in groups have a place in a narrow window, too', () => {
  const layout = mapLayoutOf(
    Array.from({ length: 100 }, () => 100),
    328,
    { ...look, grouped: true },
  )
  expect(Math.max(...layout.blocks.map(({ x, width }) => x + width))).toBeLessThanOrEqual(328)
})

test('a few agents have their names, in columns that fill the window', () => {
  expect([hasRoomForNames([40, 80], 1000), hasRoomForNames([40, 81], 1000)]).toEqual([true, false])
  expect([hasRoomForNames([40, 20], 332), hasRoomForNames([40, 21], 332)]).toEqual([true, false])
  const phone = mapLayoutOf([40], 332, { ...look, named: true })
  expect(phone.blocks[0]?.columns).toBe(2)
  expect(phone.square.height).toBe(44)
  const { blocks, pitch, square } = mapLayoutOf([40], 1000, { ...look, named: true })
  expect(blocks[0]?.columns).toBe(6)
  expect(6 * pitch.x).toBeGreaterThan(990)
  expect(square.width).toBeGreaterThan(140)
  expect(Math.max(...named.blocks.map(({ x, width }) => x + width))).toBeLessThanOrEqual(1000)
})
