import { expect, test } from 'vitest'
import { longestFirst } from './longest-first.ts'

const file = (path: string, kind: string, bytes: number) => ({
  path,
  kind,
  bytes,
  shares: kind !== 'process' && kind !== 'browser',
})
const order = (files: ReturnType<typeof file>[], durations = {}) =>
  longestFirst(files, durations).map(({ path }) => path)

test('the file that took longest last time starts first, whatever its size', () => {
  const files = [file('a', 'process', 9), file('b', 'browser', 5), file('c', 'process', 1)]
  expect(order(files, { a: 1000, b: 2000, c: 3000 })).toEqual(['c', 'b', 'a'])
})

test('in a fresh clone the largest file starts first', () => {
  expect(order([file('a', 'process', 1), file('b', 'browser', 5), file('c', 'process', 9)])).toEqual(['c', 'b', 'a'])
})

test('a new file is ordered among measured ones by its size', () => {
  const files = [file('short', 'process', 500), file('new', 'process', 10_000), file('long', 'process', 500)]
  expect(order(files, { short: 2000, long: 90_000 })).toEqual(['long', 'new', 'short'])
})

test('files that share a worker stay with their kind', () => {
  const files = [file('a', 'store', 1), file('b', 'http', 5), file('c', 'store', 9), file('d', 'http', 2)]
  expect(order(files)).toEqual(['b', 'd', 'c', 'a'])
})
