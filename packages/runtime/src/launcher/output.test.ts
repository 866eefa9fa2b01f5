import {
  closeSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { folderAt } from '../files/folder.ts'
import { openOutput, rotateOutput } from './output.ts'

let root: string
let fd: number
const output = () => folderAt(root).output
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-output-'))
  fd = openOutput(folderAt(root))
})
afterEach(() => {
  closeSync(fd)
  rmSync(root, { recursive: true, force: true })
})
const prints = (text: string) => writeSync(fd, text)
const read = (n?: number) => readFileSync(n === undefined ? output() : `${output()}.${n}`, 'utf8')

test('up to the limit nothing is rotated; above it the file is emptied and what it held lies beside it', () => {
  prints('0123456789')
  expect(rotateOutput(output(), 10)).toBe(false)
  expect(read()).toBe('0123456789')
  prints('x')
  expect(rotateOutput(output(), 10)).toBe(true)
  expect(read()).toBe('')
  expect(read(1)).toBe('0123456789x')
})

test('a process that has the file open goes on at its beginning, in the same file', () => {
  const before = statSync(output()).ino
  prints('before rotation\n')
  rotateOutput(output(), 10)
  prints('after\n')
  expect(read()).toBe('after\n')
  expect(statSync(output()).ino).toBe(before)
})

test('three older files are kept, the newest first; the oldest falls away', () => {
  for (const text of ['first', 'second', 'third', 'fourth', 'fifth']) {
    prints(`${text} and more than ten`)
    expect(rotateOutput(output(), 10)).toBe(true)
  }
  prints('now')
  expect(readdirSync(folderAt(root).log).sort()).toEqual(['agent.log', 'agent.log.1', 'agent.log.2', 'agent.log.3'])
  expect([read(), read(1), read(2), read(3)].map((text) => text.split(' ')[0])).toEqual([
    'now',
    'fifth',
    'fourth',
    'third',
  ])
})

test('a gap among the older files holds nothing up', () => {
  writeFileSync(`${output()}.2`, 'older')
  prints('more than ten bytes')
  expect(rotateOutput(output(), 10)).toBe(true)
  expect([read(1), read(3)]).toEqual(['more than ten bytes', 'older'])
  expect(existsSync(`${output()}.2`)).toBe(false)
})

test('without a file there is nothing to rotate', () => {
  rmSync(output())
  expect(rotateOutput(output(), 10)).toBe(false)
  expect(existsSync(`${output()}.1`)).toBe(false)
})

test('only the owner can read what the agent prints, rotated or not', () => {
  prints('more than ten bytes')
  rotateOutput(output(), 10)
  expect([output(), `${output()}.1`].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600])
})
