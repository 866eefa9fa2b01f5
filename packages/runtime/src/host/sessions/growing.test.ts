import {
  appendFileSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { growingFile, maxLineBytes, maxLookBytes, newBudget } from './growing.ts'

let root: string
let file: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-growing-'))
  file = join(root, 'a.jsonl')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function reader(tail = 64 * 1024 * 1024) {
  const taken = { lines: [] as string[], resets: 0, skips: 0 }
  const growing = growingFile(file, tail, {
    take: (line) => taken.lines.push(line.length > 100 ? `${line.length} bytes` : line.toString()),
    reset: () => {
      taken.lines = []
      taken.resets++
    },
    skip: () => taken.skips++,
  })
  return {
    read: (budget = newBudget()) => growing.read(budget),
    hasGaps: () => growing.hasGaps,
    lines: () => taken.lines,
    resets: () => taken.resets,
    skips: () => taken.skips,
  }
}

test('each line is taken once, and half a line when it is whole', () => {
  const read = reader()
  writeFileSync(file, 'one\ntwo\nthr')
  read.read()
  expect(read.lines()).toEqual(['one', 'two'])
  appendFileSync(file, 'ee')
  read.read()
  appendFileSync(file, '\n\nfour\n')
  read.read()
  read.read()
  expect(read.lines()).toEqual(['one', 'two', 'three', '', 'four'])
  expect([read.hasGaps(), read.resets()]).toEqual([false, 0])
})

test.each([
  ['is shorter', () => writeFileSync(file, 'new\n')],
  [
    'is another one with its name',
    () => {
      writeFileSync(`${file}.new`, 'new\nand longer than before\n')
      renameSync(`${file}.new`, file)
    },
  ],
  ['was written again, and begins otherwise', () => writeFileSync(file, 'new\nand longer than before\n')],
  [
    'was emptied and filled again',
    () => {
      truncateSync(file)
      appendFileSync(file, 'new\n')
    },
  ],
])('a file that %s is read from its beginning', (_what, change) => {
  const read = reader()
  writeFileSync(file, 'one\ntwo\n')
  read.read()
  change()
  read.read()
  expect(read.resets()).toBe(1)
  expect(read.lines()[0]).toBe('new')
})

test('a look reads no more than its budget, and later looks read the rest', () => {
  writeFileSync(file, 'x'.repeat(99).concat('\n').repeat(1000))
  const read = reader()
  const counts: number[] = []
  for (let look = 0; look < 4; look++) {
    const budget = { left: 30_000 }
    read.read(budget)
    expect(budget.left).toBeGreaterThanOrEqual(0)
    counts.push(read.lines().length)
  }
  expect(counts).toEqual([300, 600, 900, 1000])
})

test('of a large file the first line and the end are read, and this is known', () => {
  writeFileSync(file, `first\n${'middle\n'.repeat(1000)}${'y'.repeat(40)}\nlast\n`)
  const read = reader(20)
  read.read()
  expect(read.lines()).toEqual(['first', 'last'])
  expect([read.hasGaps(), read.skips()]).toEqual([true, 0])
})

test('a file that grows by more than what is read of one is read at its end alone', () => {
  writeFileSync(file, 'first\n')
  const read = reader(100)
  read.read()
  appendFileSync(file, `${'middle\n'.repeat(1000)}last\n`)
  read.read()
  expect(read.lines()[0]).toBe('first')
  expect(read.lines().length).toBeLessThan(20)
  expect(read.lines().at(-1)).toBe('last')
  expect([read.hasGaps(), read.skips()]).toEqual([true, 1])
})

test('a sparse file that grows by a gigabyte costs no more than its end', () => {
  writeFileSync(file, 'first\n')
  const read = reader(1024 * 1024)
  read.read()
  const fd = openSync(file, 'r+')
  writeSync(fd, '\nlast\n', 1024 ** 3)
  const budget = newBudget()
  read.read(budget)
  expect(maxLookBytes - budget.left).toBeLessThan(1024 * 1024 + 100)
  expect(read.lines()).toEqual(['first', 'last'])
})

test('a line that is too long is passed over, also if it comes in pieces', () => {
  const read = reader()
  const fd = openSync(file, 'w')
  writeSync(fd, 'one\n')
  writeSync(fd, Buffer.alloc(64 * 1024 * 1024 - 4, 'x'))
  const looks = () => {
    for (let look = 0; look < 12; look++) read.read()
  }
  looks()
  expect(read.lines()).toEqual(['one'])
  writeSync(fd, 'x\ntwo\n')
  looks()
  expect(read.lines()).toEqual(['one', 'two'])
  expect(read.hasGaps()).toBe(true)
  writeSync(fd, `${'z'.repeat(maxLineBytes - 100_000)}\n`)
  looks()
  expect(read.lines().at(-1)).toBe(`${maxLineBytes - 100_000} bytes`)
})

test('a long line that grows is not read again at each look, so other files have their turn', () => {
  const read = reader()
  writeFileSync(file, `one\n${'x'.repeat(3_000_000)}`)
  read.read()
  const budget = newBudget()
  appendFileSync(file, 'x'.repeat(10))
  read.read(budget)
  expect(maxLookBytes - budget.left).toBeLessThan(1000)
  appendFileSync(file, '\ntwo\n')
  read.read()
  expect(read.lines()).toEqual(['one', '3000010 bytes', 'two'])
})

test('a line that is longer than what is left of a look is taken after some looks', () => {
  const read = reader()
  writeFileSync(file, `one\n${'x'.repeat(300_000)}\ntwo\n`)
  for (let look = 0; look < 6; look++) read.read({ left: 100_000 })
  expect(read.lines()).toEqual(['one', '300000 bytes', 'two'])
  expect(read.hasGaps()).toBe(false)
})
