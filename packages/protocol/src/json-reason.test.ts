import { expect, test } from 'vitest'
import { mutatedBytes, randomOf } from '../testing/mutate.ts'
import { repeatedKeys, whyNotJson } from './json-reason.ts'

const number = 'a number that is not written as in JSON'
test.each([
  ['{}', undefined],
  ['', 'it is empty'],
  [' \n', 'it is empty'],
  ['{"a":{"b":1}', 'it ends too early, at line 1, column 13'],
  ['{"a": NaN}', 'NaN at line 1, column 7 (JSON has no NaN; write null)'],
  ['{"a": -Infinity}', '-Infinity at line 1, column 7 (JSON has no Infinity; write null)'],
  ['{"a": nan}', 'nan at line 1, column 7 (JSON has no NaN; write null)'],
  ['{"a": None}', 'None at line 1, column 7 (write null)'],
  ['{"a": True}', 'True at line 1, column 7 (write true)'],
  ['{"a": undefined}', 'undefined at line 1, column 7 (write null)'],
  ['{"a": NULL}', 'NULL at line 1, column 7 (write null)'],
  ['{"a": hello}', 'the word hello at line 1, column 7 (a text is written in double quotes)'],
  ['{a: 1}', 'the word a at line 1, column 2 (a key is written in double quotes)'],
  ["{'a': 1}", 'a single quote at line 1, column 2 (JSON uses double quotes)'],
  ['{"a": “b”}', 'a typographic quote at line 1, column 7 (JSON uses the plain ")'],
  ['{"a": 1,\n "b": 2,\n}', 'a comma too many at line 2, column 8'],
  ['[1,,2]', 'a comma too many at line 1, column 3'],
  ['[,1]', 'a comma without a value before it at line 1, column 2'],
  ['{"a":1 "b":2}', 'a comma is missing at line 1, column 8'],
  ['{"a" 1}', 'a colon is missing at line 1, column 6'],
  ['{} {}', 'more text after the end of the JSON at line 1, column 4'],
  ['{} x', 'more text after the end of the JSON at line 1, column 4'],
  ['{"a": "b\nc"}', 'a line break inside a text at line 1, column 9 (write \\n)'],
  ['{"a": "b\tc"}', 'a tab inside a text at line 1, column 9 (write \\t)'],
  ['{"a": "b\u0007c"}', 'the control character U+0007 at line 1, column 9'],
  ['{"a": "C:\\Users"}', 'an escape that JSON does not know at line 1, column 10 (a backslash is written \\\\)'],
  ['[01]', `${number} at line 1, column 3 (such as 0.5, 12 or 1e3)`],
  ['[.5]', `${number} at line 1, column 2 (such as 0.5, 12 or 1e3)`],
  ['[1_000]', `${number} at line 1, column 3 (such as 0.5, 12 or 1e3)`],
  ['[+5]', 'a plus sign at line 1, column 2 (a number is written without it)'],
  ['{} // a', 'a slash at line 1, column 4 (JSON has no comments)'],
  ['# a', 'a comment at line 1, column 1 (JSON has no comments)'],
  ['[1\u00a02]', 'the invisible character U+00A0 at line 1, column 3'],
  ['{"a"=1}', 'an unexpected = at line 1, column 5'],
] as const)('why %j is not JSON', (text, why) => expect(whyNotJson(text)).toBe(why))

test('a text has a reason exactly if JSON.parse refuses it', () => {
  const whole = new TextEncoder().encode('{"a": [1, -2.5e3, "x\\u00e9\\n"], "b": {"c": null, "d": true, "e": false}}')
  for (let seed = 0; seed < 2000; seed++) {
    const random = randomOf(seed)
    const text = new TextDecoder().decode(mutatedBytes(whole, random, 1 + Math.floor(random() * 2)))
    let isJson = true
    try {
      JSON.parse(text)
    } catch {
      isJson = false
    }
    expect(whyNotJson(text) === undefined, text).toBe(isJson)
  }
})

test.each([
  ['{"a": 1, "b": {"a": 2}}', []],
  ['[{"a": 1}, {"a": 2}]', []],
  ['{"a": "a\\": 1, \\"a", "b": [":", "{", "a"]}', []],
  ['{\n  "a": 1,\n  "b": 2,\n  "a": 3\n}', [{ key: 'a', lines: [2, 4] }]],
  [
    '{"a": 1, "\\u0061": 2, "a": [\n{"b": 1,\n"b": 2}]}',
    [
      { key: 'b', lines: [2, 3] },
      { key: 'a', lines: [1, 1, 1] },
    ],
  ],
  ['{"__proto__": 1, "__proto__": 2}', [{ key: '__proto__', lines: [1, 1] }]],
  ['"a"', []],
] as const)('%s', (text, found) => {
  JSON.parse(text)
  expect(repeatedKeys(text)).toEqual(found)
})
