/**
 * Tests what "svc logs -f" shows of a file that is rotated like the agent's output: the runtime copies it to another
 * file and then empties it in place.
 */
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { endOfFile, fileFollower, startOfFile } from './follow.ts'
import { declaredLog } from './open.ts'

let root: string
let file: string
let shown: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-follow-'))
  file = join(root, 'output.log')
  shown = ''
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const follows = (from = startOfFile) =>
  fileFollower({ file, open: declaredLog({ root }) }, from, (text) => {
    shown += text
  })
const prints = (text: string) => appendFileSync(file, text)
function rotated(): void {
  for (const n of [2, 1]) if (existsSync(`${file}.${n}`)) renameSync(`${file}.${n}`, `${file}.${n + 1}`)
  copyFileSync(file, `${file}.1`)
  truncateSync(file)
}
/** A line with this number. All lines have the same length and differ only in their number. */
const line = (n: number) => `line ${String(n).padStart(4, '0')} ${'x'.repeat(90)}\n`
const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => line(from + i)).join('')

test('lines are shown whole, once the rest of them has been written', () => {
  const step = follows()
  prints('one\ntw')
  step()
  expect(shown).toBe('one\n')
  prints('o\n')
  step()
  expect(shown).toBe('one\ntwo\n')
})

test('from the end of a file only additions are shown, and nothing of a missing file', () => {
  expect(follows()()).toBe(false)
  prints('before\n')
  const step = follows(endOfFile({ file, open: declaredLog({ root }) }))
  prints('after\n')
  step()
  expect(shown).toBe('after\n')
})

test('lines printed before and after a rotation are shown, in that order', () => {
  const step = follows()
  prints(lines(1, 20))
  step()
  prints(lines(21, 40))
  rotated()
  prints(lines(41, 45))
  step()
  expect(shown).toBe(lines(1, 45))
})

test('a reader who falls behind by several rotations misses nothing that is still kept', () => {
  const step = follows()
  prints(lines(1, 20))
  step()
  for (const n of [21, 41, 61]) {
    prints(lines(n, n + 19))
    rotated()
  }
  prints(lines(81, 85))
  step()
  expect(shown).toBe(lines(1, 85))
})

test('a file that was emptied and grew beyond the position is not confused with the one that was read, even if it looks alike there', () => {
  const step = follows()
  prints(lines(1, 20))
  step()
  rotated()
  prints(lines(21, 60))
  step()
  expect(shown).toBe(lines(1, 60))
})

test('the beginning of a line whose end was lost in a rotation is shown on a line of its own', () => {
  const step = follows()
  prints('whole\nbegun')
  step()
  truncateSync(file)
  prints('next\n')
  step()
  step()
  expect(shown).toBe('whole\nbegun\nnext\n')
})

test('a link inside the folder is followed, one that leads out or into .svc is not, even if it appears later or replaces a rotated file (3.6, D52)', () => {
  mkdirSync(join(root, '.svc'))
  writeFileSync(join(root, '.svc/agent.env'), 'SVC_TOKEN=secret\n')
  writeFileSync(join(root, 'of-today.log'), 'one\n')
  symlinkSync('of-today.log', file)
  const step = follows()
  step()
  expect(shown).toBe('one\n')
  appendFileSync(join(root, 'of-today.log'), 'two\n')
  step()
  expect(shown).toBe('one\ntwo\n')
  for (const target of ['.svc/agent.env', '/etc/passwd']) {
    rmSync(file)
    symlinkSync(target, file)
    step()
    expect(shown).toBe('one\ntwo\n')
  }
  rmSync(file)
  writeFileSync(file, 'anew\n')
  writeFileSync(join(root, '.svc/rotated'), 'one\ntwo\nSVC_TOKEN=secret\n')
  symlinkSync('.svc/rotated', `${file}.1`)
  step()
  expect(shown).toBe('one\ntwo\nanew\n')
})
