import { expect, test } from 'vitest'
import { packPieces, type SizedPiece } from './pack-pieces.ts'

const kB = 1024
const piece = (name: string, bytes: number, ...starts: string[]): SizedPiece => ({
  name,
  bytes,
  starts: new Set(starts),
})

test('what every start loads is one pack', () => {
  expect(packPieces([piece('a', 100 * kB, 'x', 'y'), piece('b', 50 * kB, 'x', 'y')])).toEqual([['a', 'b']])
})

test('what is large and rarely loaded stays separate, and what is small does not', () => {
  const common = piece('common', 50 * kB, 'x', 'y', 'z')
  expect(packPieces([common, piece('yaml', 100 * kB, 'x')])).toEqual([['common'], ['yaml']])
  expect(packPieces([common, piece('word', 100, 'x', 'y')])).toEqual([['common', 'word']])
})

test('each piece is in one pack', () => {
  const starts = [...'abcdefgh']
  const pieces = Array.from({ length: 40 }, (_, at) =>
    piece(`${at}`, ((at * 7919) % 30) * kB, ...starts.filter((_, bit) => (at * 31) & (1 << bit))),
  )
  const packs = packPieces(pieces)
  expect(packs.flat().sort()).toEqual(pieces.map(({ name }) => name).sort())
  expect(packs.length).toBeLessThan(pieces.length)
})
