import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clean, cleanText, cut, endOfText, shortened, shown } from './text.ts'

test.each([
  ['U+0000 becomes U+FFFD', 'a\0b', 'a\ufffdb'],
  ['a lone high surrogate becomes U+FFFD', 'a\ud83db', 'a\ufffdb'],
  ['a lone low surrogate becomes U+FFFD', '\udc4d', '\ufffd'],
  ['a pair stays', 'a👍b', 'a👍b'],
  ['C0 controls but tab and newline are removed', 'a\u0001\u001b[31m\r\n\tb', 'a[31m\n\tb'],
  ['DEL and C1 controls are removed', 'a\u007f\u0085\u009bb', 'ab'],
  ['a control between two halves does not join them', '\ud83d\u0001\udc4d', '\ufffd\ufffd'],
  ['markup is only text', '<b onclick="x">&amp;', '<b onclick="x">&amp;'],
  [
    'a BOM inside a text and direction marks stay, since they are isolated when shown',
    '\ufeff\u202eabc',
    '\ufeff\u202eabc',
  ],
])('D13: %s', (_rule, input, kept) => expect(clean(input)).toBe(kept))

test.each([
  ['characters are Unicode code points', '👍👍👍', 2, '👍👍'],
  ['a text at the limit stays', 'abc', 3, 'abc'],
  ['a text one beyond the limit loses its end', 'abcd', 3, 'abc'],
  ['a mixed text is never cut inside a pair', 'a👍b👍', 2, 'a👍'],
  ['nothing is kept at 0', 'abc', 0, ''],
])('D12: %s', (_rule, input, max, kept) => expect(cut(input, max)).toBe(kept))

test('D12: a cut text is the beginning of the text with at most that many code points', () =>
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, max) => {
      const kept = cut(text, max)
      expect(text.startsWith(kept)).toBe(true)
      expect([...kept].length).toBe(Math.min(max, [...text].length))
    }),
  ))

test.each([
  ['a short text stays', 'abc', 3, 'abc'],
  ['the end is kept', 'abcdef', 3, 'def'],
  ['a character that does not fit whole is left out', 'a👍b', 4, 'b'],
  ['bytes count, not characters', 'ééé', 4, 'éé'],
  ['a BOM at the cut is a character like any other', 'aaa\ufeffb', 4, '\ufeffb'],
])('D7: %s', (_rule, input, max, kept) => expect(endOfText(input, max)).toBe(kept))

test('a value quoted in a sentence is short, clean and not cut inside a character', () => {
  expect(shown('x'.repeat(500))).toHaveLength(100)
  expect(shown({ a: '\u0085' })).toBe('{"a":""}')
  expect(shown(undefined)).toBe('undefined')
  for (let length = 90; length < 110; length++) expect(shown(`${'x'.repeat(length)}👍`).isWellFormed()).toBe(true)
})

test.each([
  ['line breaks of all systems become newlines', 'a\r\nb\rc\u0085d\u2028e\u2029f', 'a\nb\nc\nd\ne\nf'],
  ['controls of direction are removed', 'a\u202e\u2066b\u2069\u200f\u061cc', 'abc'],
  ['what clean removes is removed', 'a\0\u001b[1m\ud83d', 'a\ufffd[1m\ufffd'],
  ['a right-to-left text and joined emoji stay', 'שלום 👩\u200d💻\tx', 'שלום 👩\u200d💻\tx'],
])('in a text for people %s', (_, typed, stored) => {
  expect(cleanText(typed)).toBe(stored)
})

test.each([
  ['abcd', 4, 'abcd'],
  ['abcde', 4, 'abc…'],
  ['👍👍👍', 3, '👍👍👍'],
  ['👍👍👍', 2, '👍…'],
])('%s in at most %i characters is %s', (text, max, kept) => expect(shortened(text, max)).toBe(kept))
