import { describe, expect, test } from 'vitest'
import { hiddenCharacterIn, listIn, numberIn, readName, readPasted, trimInvisible } from './pasted.ts'

const hidden = [
  0x00, 0x07, 0x09, 0x0a, 0x1b, 0x7f, 0x85, 0xa0, 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x1680, 0x17b4, 0x180b, 0x180e,
  0x2000, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x202f, 0x205f, 0x2060, 0x2061,
  0x2064, 0x2065, 0x2066, 0x2069, 0x206a, 0x206f, 0x2800, 0x3000, 0x3164, 0xd800, 0xdc00, 0xfe00, 0xfe0f, 0xfeff,
  0xffa0, 0xfff0, 0xfff9, 0xfffb, 0xfffc, 0xfffe, 0xffff, 0x1107f, 0x13430, 0x13441, 0x16fe4, 0x1bca0, 0x1d159, 0x1d173,
  0xe0001, 0xe0041, 0xe007f, 0xe0100, 0xe01ef, 0x10ffff,
].map((code) => ({
  code: `U+${code.toString(16).toUpperCase().padStart(4, '0')}`,
  character: String.fromCodePoint(code),
}))

describe.each(hidden)('the hidden character $code', ({ code, character }) => {
  test('is removed at the ends of an identifier', () => {
    expect(readPasted('The name', `${character}bob${character}${character}`)).toEqual({ ok: true, value: 'bob' })
  })

  test('is refused inside, with its code and its place', () => {
    const read = readPasted('The name', `bob${character}by`)
    expect(read).toMatchObject({ ok: false, code: 'text_invalid' })
    expect(read.ok ? '' : read.message).toMatch(
      new RegExp(`^The name holds an? (invisible|control)?.*, ${code.replace('+', '\\+')}, after bob: type`),
    )
  })
})

test.each(['bob', 'jürgen', 'ju\u0308rgen', '日本', 'יוסי', '😀', '\u0600١', 'a-b_c.d'])(
  'the identifier %s is read as it is',
  (text) => {
    expect(readPasted('The name', text)).toEqual({ ok: true, value: text })
  },
)

test('a refusal about a secret repeats no part of it', () => {
  const read = readPasted('The token', 'svc_agt_abc\u200bdef', { secret: true })
  expect(read.ok ? '' : read.message).toBe(
    'The token holds an invisible character, U+200B, after 11 characters: type that part instead of pasting it.',
  )
})

test('a refusal quotes the last characters in front of the hidden one', () => {
  expect(hiddenCharacterIn(`${'a'.repeat(50)}\u2060b`)).toBe(
    `holds an invisible character, U+2060, after …${'a'.repeat(40)}`,
  )
})

test('a text of hidden characters alone is empty', () => {
  expect(trimInvisible('\u200b \u{e0041}\ufeff\ud800')).toBe('')
})

test('a pair of surrogates at the end stays whole', () => {
  expect(trimInvisible('a😀\u200b')).toBe('a😀')
})

test.each<[typed: string, read: string]>([
  [' 15\u200b', '15'],
  ['\uff11\uff15', '15'],
  ['\u0661\u0665', '15'],
  ['\u22121.5', '-1.5'],
  ['\uff0d\uff11\uff0e\uff15\uff05', '-1.5%'],
  ['1\u200b5', '1\u200b5'],
  ['5\u00b2', '5\u00b2'],
  ['\u2465', '\u2465'],
])('the number %j is read as %j', (typed, read) => {
  expect(numberIn(typed)).toBe(read)
})

test('a list of names is separated by commas of all keyboards, and its parts have no ends that nobody sees', () => {
  expect(listIn('eu, prod\u200b\uff0ctest\u3001 a b')).toEqual(['eu', 'prod', 'test', 'a b'])
})

test.each<[typed: string, stored: string]>([
  ['Ann', 'Ann'],
  [' Ann Lee\u200b', 'Ann Lee'],
  ['Ju\u0308rgen', 'J\u00fcrgen'],
  ['\u0639\u0644\u06cc\u200c\u0631\u0636\u0627', '\u0639\u0644\u06cc\u200c\u0631\u0636\u0627'],
  ['\u{1f469}\u200d\u{1f4bb} \u2764\ufe0f', '\u{1f469}\u200d\u{1f4bb} \u2764\ufe0f'],
])('the name %j is stored as %j', (typed, stored) => {
  expect(readName(typed, 100)).toEqual({ ok: true, value: stored })
})

test.each([
  '',
  ' \u200b',
  'a\nb',
  'a\0b',
  'a\u001bb',
  'a\ud83db',
  'a\u202eb',
  'a\u200bb',
  'a\u200db',
  'a\u00adb',
  'x'.repeat(101),
])('the name %j is refused', (typed) => {
  expect(readName(typed, 100)).toMatchObject({ ok: false, code: 'name_invalid' })
})
