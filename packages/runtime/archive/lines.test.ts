import { inflateRawSync } from 'node:zlib'
import { archive } from '@svc/blueprint/zip'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { endsNoLine, member, packed } from './lines.ts'

/** Scripts as they may become: many lines, long lines, empty ones. */
const script = fc
  .array(fc.string({ maxLength: 700, unit: fc.constantFrom(...' #aZ09~"\u00e9'.split('')) }), { maxLength: 60 })
  .map((lines) => lines.join('\n'))

test('a script of any lines is packed into bytes that end no line of JavaScript, and comes back as it was', () => {
  fc.assert(
    fc.property(script, (text) => {
      const bytes = packed(Buffer.from(text))
      expect(endsNoLine(bytes)).toBe(true)
      expect(inflateRawSync(bytes).toString()).toBe(text)
    }),
  )
})

test('lines of each length, also those whose number would end a line', () => {
  for (let length = 0; length < 450; length++) {
    const text = 'x'.repeat(length)
    expect(inflateRawSync(packed(Buffer.from(text))).toString()).toBe(text)
  }
})

test('a member is found in a few tries, whatever it holds: only the sums are left to chance', () => {
  fc.assert(
    fc.property(script, (text) => {
      const made = member('__main__.py', text)
      expect(endsNoLine(archive([made]))).toBe(true)
      const [, remark] = /^# (\d+)\n$/.exec(made.content.toString().slice(text.length)) ?? []
      expect(Number(remark)).toBeLessThan(100)
    }),
  )
})

test('what no block can hide is said at once', () => {
  expect(() => packed(Buffer.from('one\r\ntwo'))).toThrow('holds CR')
})
