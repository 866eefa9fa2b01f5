import { expect, test } from 'vitest'
import { ignorablePaths, ignoreRules, leftOutBy } from '../../testing/ignore-rules.ts'
import { readIgnoreRules } from './gather.ts'
import { readPattern } from './pattern.ts'

test.each(ignoreRules)('%j leaves out what git leaves out', (lines, leftOut) => {
  const expected = ignorablePaths.filter((path) => leftOut.split(', ').includes(path))
  expect(leftOutBy(lines, ignorablePaths)).toEqual(expected)
})

test.each([
  ['CR alone ends a line', 'key.pem\rf\r', ['f', 'key.pem', 'k'], ['f', 'key.pem']],
  ['a tab at the end is no part of a pattern', 'f\t \t', ['f'], ['f']],
  ['a character counts as one sign', 'é?.pem', ['éü.pem', 'éa.pem', 'é.pem'], ['éü.pem', 'éa.pem']],
  ['a character may be in a class', '[é-ü].pem', ['ê.pem', 'z.pem'], ['ê.pem']],
  ['a byte counts as one sign, too, as for git', '??.pem', ['ü.pem', 'ab.pem', 'a.pem'], ['ü.pem', 'ab.pem']],
  ['in doubt, nothing is taken back', '*.pem\n!?.pem', ['ü.pem', 'a.pem'], ['ü.pem']],
])('%s', (_what, lines, paths, leftOut) => expect(leftOutBy(lines, paths)).toEqual(leftOut))

test.each([
  ['f\n  \nkey[0-9.pem', 3, '"key[0-9.pem" has a "[" without a "]"; write "\\[" for the sign itself'],
  ['[^]', 1, '"[^]" has a "[" without a "]"; write "\\[" for the sign itself'],
  ['[z-a]', 1, '"[z-a]" has the range z-a, which is the wrong way round'],
  [
    'a\r[[:number:]]',
    2,
    /^"\[\[:number:\]\]" names the class \[:number:\], which does not exist; known are alnum, alpha,/,
  ],
  ['key\\', 1, '"key\\" ends in a backslash; write "\\\\" for the sign itself'],
  ['keys\\prod.pem', 1, '"keys\\prod.pem" has a backslash before "p"; folders are separated by "/"'],
  ['[\\d]', 1, '"[\\d]" has a backslash before "d"; folders are separated by "/"'],
  ['./key.pem', 1, '"./key.pem" begins with "./", so it matches nothing; write "/key.pem"'],
  ['../key.pem', 1, '"../key.pem" has "." or ".." as a name, so it matches nothing'],
  ['keys//', 1, '"keys//" has two slashes in a row, so it matches nothing'],
  ['//keys', 1, '"//keys" has two slashes in a row, so it matches nothing'],
  ['!', 1, '"!" names nothing'],
  ['/', 1, '"/" names nothing'],
])('%j is refused with its line and the reason', (lines, line, message) => {
  expect(readIgnoreRules([], lines).findings).toEqual([
    { file: '.svcignore', line, message: typeof message === 'string' ? message : expect.stringMatching(message) },
  ])
})

test('a pattern of many stars takes no more steps than its length times the length of the path', () => {
  for (const pattern of [`${'*a'.repeat(100)}b`, `${'**/a'.repeat(100)}b`, `${'[a]*'.repeat(100)}b`]) {
    const read = readPattern(pattern)
    if (!read.ok) throw new Error(read.why)
    expect(read.pattern.matches('a'.repeat(250), false)).toBe(false)
    expect(read.pattern.matches('a/'.repeat(500), false)).toBe(false)
  }
})
