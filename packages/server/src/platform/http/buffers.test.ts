import { expect, test } from 'vitest'
import { freeBuffer } from './buffers.ts'

test('a large buffer of its own is freed', () => {
  const bytes = Buffer.alloc(100_000, 'x')
  freeBuffer(bytes)
  expect([bytes.length, bytes.buffer.byteLength]).toEqual([0, 0])
})

test.each([
  ['a small buffer', Buffer.alloc(100, 'x')],
  ['a part of a buffer', Buffer.alloc(100_000, 'x').subarray(10)],
  ['a buffer of shared memory', Buffer.from(new SharedArrayBuffer(100_000))],
])('%s is left as it is', (_what, bytes) => {
  const before = bytes.toString('latin1')
  freeBuffer(bytes)
  expect(bytes.toString('latin1')).toBe(before)
})
