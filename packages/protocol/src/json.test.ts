import { expect, test } from 'vitest'
import { isCleanJson, readJson } from './json.ts'
import { clean } from './text.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`

test.each([
  ['an object', bytes('{"a":1}')],
  ['an empty object', bytes('{}')],
  ['depth 33', bytes(nested(33))],
  ['3 MB of nested lists', bytes(nested(1.5e6))],
  ['white space around', bytes(' \n{}\t')],
])('D14: %s is read', (_rule, body) => expect(readJson(body).ok).toBe(true))

test.each([
  ['an empty body', bytes('')],
  ['half an object', bytes('{"a":')],
  ['text after the object', bytes('{}x')],
  ['a list', bytes('[]')],
  ['null', bytes('null')],
  ['a number', bytes('1')],
  ['a byte order mark', bytes('\ufeff{}')],
  ['bytes that are not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ['UTF-16', new Uint8Array([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00])],
  ['256 KB of opening brackets', bytes('['.repeat(262144))],
])('D14: %s is refused', (_rule, body) => expect(readJson(body)).toMatchObject({ ok: false, code: 'body_invalid' }))

const utf8 = (why: string) => `The body must be in UTF-8: it ${why}; save it as UTF-8.`
const syntax = (why: string) => `The body must be JSON: ${why}.`
const early = (place: string) => syntax(`it ends too early, at ${place}`)
test.each([
  [
    'a byte that is not UTF-8',
    new Uint8Array([0x7b, 0xff, 0x7d]),
    utf8('is not UTF-8 (byte 0xFF at line 1, column 2; it may be Latin-1 or Windows-1252)'),
  ],
  ['UTF-16', new Uint8Array([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]), utf8('is UTF-16')],
  ['a byte order mark', bytes('\ufeff{}'), 'The body must not begin with a byte order mark.'],
  ['a byte order mark before a syntax error', bytes('\ufeff{'), 'The body must not begin with a byte order mark.'],
  ['a list', bytes('[]'), 'The body must be a JSON object.'],
  ['nothing', bytes(''), syntax('it is empty')],
  ['half an object', bytes('{"a":\n\n {'), early('line 3, column 3')],
  ['a comma too many', bytes('{\n  "a": "€",\n}'), syntax('a comma too many at line 2, column 11')],
  ['a comma too few', bytes('{"\u{1f44d}": 1 "b": 2}'), syntax('a comma is missing at line 1, column 9')],
  ['single quotes', bytes("{'a': 1}"), syntax('a single quote at line 1, column 2 (JSON uses double quotes)')],
  ['NaN of Python', bytes('{"a": NaN}'), syntax('NaN at line 1, column 7 (JSON has no NaN; write null)')],
  ['256 KB of opening brackets', bytes('['.repeat(262144)), early('line 1, column 262145')],
])('D14: the refusal of %s says what is wrong, and where', (_what, body, message) =>
  expect(readJson(body)).toEqual({ ok: false, code: 'body_invalid', message }),
)

test('a refused body does not affect the reading of the next one', () => {
  readJson(new Uint8Array([0xe2, 0x82]))
  expect(readJson(bytes('{"a":"€"}'))).toMatchObject({ ok: true, value: { a: '€' } })
})

test('D13: JSON that is called tidy holds no unclean text, however it is written', () => {
  const written = (text: string, escaped: boolean) =>
    escaped
      ? `"${[...text].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`
      : JSON.stringify(text)
  for (let code = 0; code < 0x10000; code++) {
    const text = `a${String.fromCharCode(code)}b`
    for (const escaped of [true, false]) {
      const json = written(text, escaped)
      if (isCleanJson(json, bytes(json).length)) expect(clean(JSON.parse(json)), json).toBe(text)
    }
  }
})

test.each([
  ['{"a":"plain"}'],
  ['{"a":"line\\n\\ttab \\"quoted\\" \\/ "}'],
  ['{"a":"Gr\u00fc\u00dfe \u2013 \ud83d\ude00"}'],
  ['{\n\t"a": 1\r\n}'],
])('D13: %s needs no cleaning', (json) => expect(isCleanJson(json, bytes(json).length)).toBe(true))
