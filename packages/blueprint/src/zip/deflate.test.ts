import { readFileSync } from 'node:fs'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byLevel } from '../../../../testing/level.ts'
import { randomOf } from '../../testing/mutate.ts'
import { crc32, ownCrc32 } from './bytes.ts'
import { deflate } from './deflate.ts'

const text = readFileSync(new URL('../../../../package-lock.json', import.meta.url))
const noise = (size: number): Uint8Array => {
  const random = randomOf(size)
  return Uint8Array.from({ length: size }, () => Math.floor(random() * 256))
}
const same = (packed: Uint8Array | undefined, bytes: Uint8Array) =>
  packed !== undefined && Buffer.compare(inflateRawSync(packed), bytes) === 0

describe('zlib unpacks what we packed to the original', () => {
  test.each<[string, Uint8Array]>([
    ['a text', text],
    ['one byte repeated: the longest matches', Buffer.alloc(100_000, 7)],
    [
      'every length of a match',
      Buffer.concat(Array.from({ length: 300 }, (_, n) => Buffer.concat([Buffer.alloc(n, 'abc'), noise(8)]))),
    ],
    [
      'matches as far back as allowed',
      Buffer.concat([noise(32_760), noise(32_760), noise(32_760), Buffer.alloc(20_000)]),
    ],
    ['bytes of nine bits between zeros', Buffer.concat([Buffer.alloc(5000), noise(3000), Buffer.alloc(5000, 255)])],
  ])('%s', (_what, bytes) => {
    expect(same(deflate(bytes), bytes)).toBe(true)
  })

  test('any text made of a few words is unpacked to the original', { timeout: 120_000 }, () => {
    const word = fc.uint8Array({ minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat(4), { maxLength: 400 }),
        (words, order) => {
          const bytes = Buffer.concat(order.map((n) => words[n % words.length] ?? new Uint8Array()))
          const packed = deflate(bytes)
          return packed === undefined || (packed.length < bytes.length && same(packed, bytes))
        },
      ),
      { numRuns: byLevel(100, 300, 20_000) },
    )
  })
})

test('content that would not become smaller is not packed', () => {
  for (const bytes of [new Uint8Array(0), Buffer.from('a'), noise(10_000), deflateRawSync(text)])
    expect(deflate(bytes)).toBeUndefined()
})

test('the result is not much larger than that of zlib, and never changes', () => {
  expect((deflate(text) ?? text).length).toBeLessThan(1.4 * deflateRawSync(text, { level: 9 }).length)
  expect(
    Buffer.from(deflate(Buffer.from('svc agent, svc agent, svc agent')) ?? []).toString('hex'),
  ).toMatchInlineSnapshot(`"2b2e4b56484c4fcd2bd151c0c60400"`)
})

test('our own CRC-32 is the checksum that zip archives use', () => {
  expect(ownCrc32(Buffer.from('123456789'))).toBe(0xcbf43926)
  expect(ownCrc32(text.subarray(100), ownCrc32(text.subarray(0, 100)))).toBe(crc32(text))
})
