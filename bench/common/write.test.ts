import { expect, test } from 'vitest'
import { wrapLines } from './write.ts'

const words = (n: number) => Array(n).fill('measured').join(' ')

test.each([
  ['a line of 140 characters', 'x'.repeat(140), ['x'.repeat(140)]],
  ['a long paragraph', words(20), [words(15), words(5)]],
  ['an entry of a list', `- ${words(20)}`, [`- ${words(15)}`, `  ${words(5)}`]],
  ['a row of a table', `| ${words(20)} |`, [`| ${words(20)} |`]],
  ['a word that would begin a list', `${words(15)} 12345 - ${words(1)}`, [`${words(15)} 12345 -`, words(1)]],
  ['a word that is longer than a line', `a ${'x'.repeat(150)} b`, ['a', 'x'.repeat(150), 'b']],
])('%s', (_, text, lines) => expect(wrapLines(text).split('\n')).toEqual(lines))

test('other lines of the section stay as they are', () => {
  expect(wrapLines(`one\n\n${words(20)}\n\n| two |`)).toBe(`one\n\n${words(15)}\n${words(5)}\n\n| two |`)
})
