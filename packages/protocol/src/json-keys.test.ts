import { expect, test } from 'vitest'
import { repeatedKeys } from './json-keys.ts'

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
