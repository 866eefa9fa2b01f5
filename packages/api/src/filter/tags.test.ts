import { expect, test } from 'vitest'
import { tagging } from '../operations/tags.ts'
import { changedTags, splitTags, wrongTag } from './index.ts'

test.each(['eu', 'a', '0', 'env:prod', 'v1.4_x-y', 'x'.repeat(40)])('%j is a tag', (text) => {
  expect(wrongTag(text)).toBeUndefined()
})

test.each(['', ' ', 'EU', 'é', 'a b', 'a,b', '-a', '.a', ':a', '_a', 'a*', 'a"', 'a\n', 'x'.repeat(41)])(
  '%j is no tag, and the reason names the alphabet',
  (text) => {
    expect(wrongTag(text)).toMatch(/^A tag has 1 to 40 of the characters a-z, 0-9, "_", "\.", ":" and "-", and begins/)
  },
)

test('the reason quotes the text', () => {
  expect(wrongTag('Prod')).toMatch(/: got "Prod"\.$/)
})

test.each<[text: string, tags: string[]]>([
  ['eu', ['eu']],
  ['eu,prod', ['eu', 'prod']],
  [' eu , prod ', ['eu', 'prod']],
  ['', ['']],
  ['eu,', ['eu', '']],
])('the text %j names the tags %j', (text, tags) => {
  expect(splitTags(text)).toEqual(tags)
})

test.each<[before: string[], change: Parameters<typeof changedTags>[1], after: string[]]>([
  [[], { add: ['prod', 'eu'] }, ['eu', 'prod']],
  [['eu'], { add: ['eu'] }, ['eu']],
  [['eu', 'old'], { remove: ['old', 'never'] }, ['eu']],
  [['old'], { add: ['eu'], remove: ['old'] }, ['eu']],
  [['b', 'a'], {}, ['a', 'b']],
  [[], { add: ['eu', 'eu'] }, ['eu']],
])('%j changed by %j gives %j', (before, change, after) => {
  expect(changedTags(before, change)).toEqual(after)
})

test.each<[body: unknown, message: RegExp, code: string]>([
  [{ agents: [], add: ['eu'] }, /^agents must name at least one agent\.$/, 'body_invalid'],
  [{ add: ['eu'] }, /^agents must be a list: it is missing\.$/, 'body_invalid'],
  [{ agents: ['a'] }, /^add or remove must name at least one tag\.$/, 'tag_invalid'],
  [{ agents: ['a'], add: [], remove: [] }, /^add or remove must name/, 'tag_invalid'],
  [{ agents: ['a'], add: ['eu', ''] }, /^A tag has .* got ""\.$/, 'tag_invalid'],
  [{ agents: ['a'], remove: ['EU'] }, /^A tag has .* got "EU"\.$/, 'tag_invalid'],
  [{ agents: ['a'], add: 'eu' }, /^add must be a list: got "eu"\.$/, 'body_invalid'],
  [{ agents: ['a'], add: [1] }, /^add\[0\] must be a text: got 1\.$/, 'body_invalid'],
  [
    { agents: ['a'], add: ['eu'], remove: ['eu'] },
    /^The tag "eu" cannot be added and removed at once\.$/,
    'tag_invalid',
  ],
  [
    { agents: ['a'], remove: Array(101).fill('eu') },
    /^remove must be a list of at most 100: got 101\.$/,
    'body_invalid',
  ],
])('the request %j is refused', (body, message, code) => {
  expect(() => tagging(body, '')).toThrow(expect.objectContaining({ message: expect.stringMatching(message), code }))
})

test('a request may name tags with characters around them that nobody sees', () => {
  const body = { agents: ['\u200bmail-1 '], add: [' eu\u200b'] }
  expect(tagging(body, '')).toEqual({ agents: ['mail-1'], add: ['eu'] })
})
