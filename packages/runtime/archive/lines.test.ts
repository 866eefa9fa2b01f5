import { inflateRawSync } from 'node:zlib'
import { zipArchive } from '@svc/blueprint/zip'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { distances, endsNoLine, member, packed, plainOffset } from './lines.ts'

/** Generates texts of scripts: with many lines, long lines, and empty lines. */
const script = fc
  .array(fc.string({ maxLength: 700, unit: fc.constantFrom(...' #aZ09~"\u00e9'.split('')) }), { maxLength: 60 })
  .map((lines) => lines.join('\n'))

test('a script of any lines is packed into bytes that end no line of JavaScript, and unpacks to itself', () => {
  fc.assert(
    fc.property(script, (text) => {
      const bytes = packed(Buffer.from(text))
      expect(endsNoLine(bytes)).toBe(true)
      expect(inflateRawSync(bytes).toString()).toBe(text)
    }),
  )
})

test('lines of every length are packed, even if the number of the length would end a line', () => {
  for (let length = 0; length < 450; length++) {
    const text = 'x'.repeat(length)
    expect(inflateRawSync(packed(Buffer.from(text))).toString()).toBe(text)
  }
})

const expectFits = (text: string) => {
  const made = member('__main__.py', text)
  expect(endsNoLine(zipArchive([made]))).toBe(true)
  expect(made.content.toString().slice(0, text.length)).toBe(text)
  // `member` adds a remark to the text until no length in the archive contains 0x0a or 0x0d, the bytes of a line end.
  // The longest remark is needed if such a byte is the upper byte of a length: from 0x0a00 the text must grow by 256
  // bytes, to 0x0b00. This can happen once for the length of the text, and once for its packed length.
  expect(made.content.length - Buffer.byteLength(text)).toBeLessThan(600)
}

test('a member fits after a short remark, whatever it holds', () => {
  fc.assert(fc.property(script, expectFits))
})

test.each([0x0a00, 0x0aff, 0x0d00])('a member whose length would end a line is packed: %i', (length) => {
  for (let less = 0; less < 12; less++) expectFits('x'.repeat(length - less))
})

test('a text that no block can hide is refused at once', () => {
  expect(() => packed(Buffer.from('one\r\ntwo'))).toThrow('holds CR')
})

test.each([
  [0, 0],
  [0x12345, 0x12345],
  [0x0a00, 0x0b00],
  [0x0dff, 0x0e00],
  [0xa0000, 0xb0000],
  [0x9ffff, 0x9ffff],
  [0xc0d12, 0xc0e00],
  [0xa0000 + 0xffff, 0xb0000],
  [0x0a0d0a00, 0x0b000000],
  [0x0c0d0a00, 0x0c0e0000],
])('from %i on the archive may begin at %i', (from, at) => {
  expect(plainOffset(from)).toBe(at)
  expect([1, 2, 3].map((byte) => Math.floor(at / 0x100 ** byte) % 0x100)).not.toContain(0x0a)
})

test('no offset in an archive has such a byte, and few start positions are tried', () => {
  const members = [member('__main__.py', 'x'.repeat(3000)), member('LICENSE', 'y'.repeat(9000))]
  for (const from of [0x9e000, 0x9fff0, 0xa0000, 0xcf000, 0x0a00]) {
    let tried = 1
    let at = plainOffset(from, distances(members))
    for (; !endsNoLine(zipArchive(members, at)); at = plainOffset(at + 1, distances(members))) tried++
    expect(tried).toBeLessThan(50)
    expect(at - from).toBeLessThan(0x13000)
  }
})
