import { expect, test } from 'vitest'
import { isTidy, readJson } from './json.ts'
import { clean } from './text.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`

test.each([
  ['an object', bytes('{"a":1}')],
  ['an empty object', bytes('{}')],
  ['depth 32', bytes(nested(32))],
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
  ['depth 33', bytes(nested(33))],
  ['256 KB of opening brackets', bytes('['.repeat(262144))],
  ['3 MB of nested lists', bytes(`{"a":${'['.repeat(1.5e6)}${']'.repeat(1.5e6)}}`)],
])('D14: %s is refused', (_rule, body) => expect(readJson(body)).toMatchObject({ ok: false, code: 'body_invalid' }))

test('a body after a refused one is read as if nothing had been', () => {
  readJson(new Uint8Array([0xe2, 0x82]))
  expect(readJson(bytes('{"a":"€"}'))).toEqual({ ok: true, value: { a: '€' } })
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
      if (isTidy(json, bytes(json).length)) expect(clean(JSON.parse(json)), json).toBe(text)
    }
  }
})

test.each([
  ['{"a":"plain"}'],
  ['{"a":"line\\n\\ttab \\"quoted\\" \\/ "}'],
  ['{"a":"Gr\u00fc\u00dfe \u2013 \ud83d\ude00"}'],
  ['{\n\t"a": 1\r\n}'],
])('D13: there is nothing to look for in %s', (json) => expect(isTidy(json, bytes(json).length)).toBe(true))
