import { expect, test } from 'vitest'
import { wordSearch } from './look.ts'

test.each([
  ['', 'Updates', true],
  ['upd', 'Updates', true],
  ['now run', 'Run now: mail-1', true],
  ['run off', 'Run now: mail-1', false],
  ['mail–1', 'Run now: mail-1', true],
  ['upd\u00adates', 'Updates', true],
  [' \u200b ', 'Updates', true],
])('"%s" finds "%s": %s', (typed, text, found) => {
  expect(wordSearch(typed)([text])).toBe(found)
})

test('the words of a search may be in several texts', () => {
  const isFound = wordSearch('Mail  héavy')
  expect([isFound(['mail-1', null, 'he\u0301avy']), isFound(['mail-1', undefined])]).toEqual([true, false])
})
