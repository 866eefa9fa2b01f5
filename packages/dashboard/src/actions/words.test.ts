import { expect, test } from 'vitest'
import { previewWords, titleOf } from './words.ts'

const skips = (...messages: string[]) => messages.map((message, i) => ({ name: `a-${i}`, message }))
const never = 'The agent has never reported.'
const misfit = 'The agent does not offer "pause".'

test.each([
  ['pause', 40, [], null],
  ['pause', 38, skips(misfit, misfit), '38 of 40: 2 do not offer Pause'],
  ['pause', 39, skips(misfit), '39 of 40: 1 does not offer Pause'],
  ['run_now', 1998, skips(never, misfit), '1,998 of 2,000: 1 does not offer Run now, 1 never reported'],
  ['set', 1, skips('every must be 1 or more: got 0.'), '1 of 2: 1 cannot get it'],
] as const)('%s with %i agents and %j skipped is previewed as %j', (type, sends, skipped, words) =>
  expect(previewWords(type, { sends, skips: [...skipped] })).toBe(words),
)

test('the title of an action is what was asked of how many', () => {
  const none = { waiting: 0, sent: 0, applied: 0, refused: 0, expired: 0, failed: 0, skipped: 0, cancelled: 0 }
  expect(titleOf({ type: 'pause', counts: { ...none, applied: 1200, skipped: 40 } })).toBe('Pause: 1,240 agents')
  expect(titleOf({ type: 'log', counts: { ...none, waiting: 1 } })).toBe('Request a log: 1 agent')
})
