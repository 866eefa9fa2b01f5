import { expect, test } from 'vitest'
import { mutatedBytes, randomOf } from '../testing/mutate.ts'
import { readText } from './text-file.ts'

const utf16 = (text: string, littleEndian: boolean, mark = true): Uint8Array => {
  const units = [...(mark ? '\ufeff' : ''), ...text].map((c) => c.charCodeAt(0))
  return Uint8Array.from(units.flatMap((u) => (littleEndian ? [u & 255, u >> 8] : [u >> 8, u & 255])))
}
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

test.each([
  ['plain text', utf8('A=ä\n'), 'A=ä\n'],
  ['nothing', utf8(''), ''],
  ['a byte order mark at the beginning is ignored', utf8('\ufeffA=1'), 'A=1'],
])('%s is read', (_what, bytes, text) => expect(readText(bytes)).toEqual({ ok: true, text }))

const latin1 = (byte: string, place: string) =>
  `is not UTF-8 (byte ${byte} at ${place}; it may be Latin-1 or Windows-1252); save it as UTF-8`
test.each([
  ['UTF-16, little endian', utf16('A=1\n', true), 'is UTF-16; save it as UTF-8'],
  ['UTF-16, big endian', utf16('A=1\n', false), 'is UTF-16; save it as UTF-8'],
  ['UTF-16 without a mark', utf16('name: x\n', true, false), 'is UTF-16; save it as UTF-8'],
  ['big endian UTF-16 without a mark', utf16('Größe=1', false, false), 'is UTF-16; save it as UTF-8'],
  ['Latin-1', Buffer.from('A=1\nB=\u00fcber', 'latin1'), latin1('0xFC', 'line 2, column 3')],
  ['Latin-1 before ASCII', Buffer.from('A=\u00e9t\u00e9', 'latin1'), latin1('0xE9', 'line 1, column 3')],
  ['Latin-1 after characters of UTF-8', Buffer.from([0xc3, 0xa4, 0xe4, 0x61]), latin1('0xE4', 'line 1, column 2')],
  [
    'half a character',
    Buffer.from([0x41, 0xe2, 0x82]),
    'is not UTF-8 (it ends in the middle of a character); save it as UTF-8',
  ],
  ['NUL', utf8('A=1\nB=\0x'), 'has a NUL character at line 2, column 3'],
])('%s is refused with its place', (_what, bytes, why) => expect(readText(bytes)).toMatchObject({ ok: false, why }))

test.each([
  ['NUL', utf8('A=1\nB=\0x'), 'has a NUL character', { line: 2, column: 3 }],
  [
    'Latin-1',
    Buffer.from('A=1\nB=\u00fcber', 'latin1'),
    'is not UTF-8 (byte 0xFC; it may be Latin-1 or Windows-1252); save it as UTF-8',
    { line: 2, column: 3 },
  ],
  ['UTF-16', utf16('A=1\n', true), 'is UTF-16; save it as UTF-8', undefined],
])('the place of %s can be named apart from the fault', (_what, bytes, fault, place) => {
  const read = readText(bytes)
  expect(read.ok ? {} : { fault: read.fault, place: read.place }).toEqual({ fault, place })
})

test('the first wrong byte is found exactly where the decoder replaces one', () => {
  const random = randomOf(7)
  for (let round = 0; round < 2000; round++) {
    const bytes = mutatedBytes(utf8('aé€\u{1f600}\u0800\ud7ff\u{10ffff}z'), random, 1)
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
    const at = text.indexOf('\ufffd')
    const read = readText(bytes)
    const place = read.ok ? undefined : /at line 1, column (\d+);/.exec(read.why)?.[1]
    if (at >= 0 && place !== undefined) expect(Number(place), String(bytes)).toBe([...text.slice(0, at)].length + 1)
    else expect(read.ok || /NUL|middle|line [2-9]/.test(read.why), String(bytes)).toBe(true)
  }
})
