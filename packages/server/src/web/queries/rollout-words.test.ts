import { expect, test } from 'vitest'
import { haltInWords } from './rollout-words.ts'

test.each([
  [
    'On mail-2 1.1.0 was rolled back: 1.1.0 -> 1.0.0, 2026-11-22T06:55:08.743Z: it failed its health check of 60 s: it ended with code 7',
    'On mail-2 1.1.0 was rolled back: it failed its health check of 60 s: it ended with code 7',
  ],
  ['On mail-2 1.1.0 failed: there is no such version', 'On mail-2 1.1.0 failed: there is no such version'],
  ['On mail-2 1.1.0 was rolled back (and 2 more)', 'On mail-2 1.1.0 was rolled back (and 2 more)'],
  [
    'Ada, who started it, is no longer a member of this workspace.',
    'Ada, who started it, is no longer a member of this workspace.',
  ],
  [null, null],
])('the reason of a halt in words: %s', (why, words) => {
  expect(haltInWords(why)).toBe(words)
})
