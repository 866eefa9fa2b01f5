import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readFile, readUpTo } from './read.ts'

const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, i) => i % 251))
let folder: string
let fd: number
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-read-'))
  writeFileSync(join(folder, 'file'), bytes)
  fd = openSync(join(folder, 'file'), 'r')
})
afterAll(() => {
  closeSync(fd)
  rmSync(folder, { recursive: true })
})

test.each([0, 1, 99_999, 200_000, 200_001, 1_000_000])('a file is read whole if %i bytes are expected', (expected) => {
  expect(readUpTo(fd, 10_000_000, { position: 0, expected }).equals(bytes)).toBe(true)
})

test.each([0, 1, 70_000, 199_999, 200_000])('at most %i bytes are read, from the given position', (max) => {
  expect(readUpTo(fd, max, { position: 0 }).equals(bytes.subarray(0, max))).toBe(true)
  expect(readUpTo(fd, max, { position: 150_000, expected: 10 }).equals(bytes.subarray(150_000, 150_000 + max))).toBe(
    true,
  )
})

test('a file is read up to its maximum size; one byte more is too large', () => {
  expect(readFile(join(folder, 'file'), bytes.length)).toMatchObject({ is: 'bytes', bytes })
  expect(readFile(join(folder, 'file'), bytes.length - 1)).toMatchObject({
    is: 'unreadable',
    why: 'is larger than 195 KB',
  })
})

test.skipIf(process.platform !== 'linux')('a file whose size the system does not tell is read whole', () => {
  const read = readFile('/proc/self/status', 1024 * 1024)
  expect(read.is === 'bytes' && read.bytes.toString()).toMatch(/^Name:[\s\S]*nonvoluntary_ctxt_switches:\s+\d+\n$/)
})
