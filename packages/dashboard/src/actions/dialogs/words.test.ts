import type { ActionState } from '@svc/api'
import { expect, test } from 'vitest'
import { actionProgressOf, actionTitleOf, groupsIn, outcomeReason, previewWords, reasonsIn } from './words.ts'

const skips = (...messages: string[]) => messages.map((message, i) => ({ name: `a-${i}`, message }))
const never = 'The agent has never reported.'
const misfit = 'The agent does not offer "pause".'

test.each([
  ['pause', 40, [], null],
  ['pause', 38, skips(misfit, misfit), '38 of 40: 2 do not offer Pause'],
  ['pause', 39, skips(misfit), '39 of 40: 1 does not offer Pause'],
  ['run_now', 1998, skips(never, misfit), '1,998 of 2,000: 1 does not offer Run now, 1 never reported'],
  ['set', 1, skips('every must be 1 or more: got 0.'), '1 of 2: 1 does not accept this'],
  ['log', 0, skips(misfit, misfit), '0 of 2: 2 do not offer this log'],
  ['lift', 3, skips(misfit), '3 of 4: 1 holds no version'],
  ['delete', 3, skips(misfit, misfit), '3 of 5: 2 have reported'],
] as const)('%s with %i agents and %j skipped is previewed as %j', (type, sends, skipped, words) =>
  expect(previewWords(type, { sends, skips: [...skipped] })).toBe(words),
)

const none = { waiting: 0, sent: 0, applied: 0, refused: 0, expired: 0, failed: 0, skipped: 0, cancelled: 0 }

test('the title of an action is what was asked of how many', () => {
  expect(actionTitleOf({ type: 'pause', counts: { ...none, applied: 1200, skipped: 40 } })).toBe('Pause: 1,240 agents')
  expect(actionTitleOf({ type: 'log', counts: { ...none, waiting: 1 } })).toBe('Request a log: 1 agent')
})

test('the agents of an action are grouped by outcome and reason, those without success first', () => {
  const agent = (name: string, state: ActionState, message: string | null = null) => ({ name, state, message })
  const groups = groupsIn([
    agent('a', 'applied', 'Paused.'),
    agent('b', 'skipped', misfit),
    agent('c', 'refused', 'not now'),
    agent('d', 'refused', 'at noon'),
    agent('e', 'refused', 'at noon'),
    agent('f', 'expired'),
    agent('g', 'applied', 'Paused.'),
  ])
  expect(groups.map(({ state, reason, agents }) => [state, reason, agents.map(({ name }) => name).join('')])).toEqual([
    ['refused', 'at noon', 'de'],
    ['refused', 'not now', 'c'],
    ['expired', 'No report came within ten minutes, so it was never delivered.', 'f'],
    ['skipped', misfit, 'b'],
    ['applied', 'Paused.', 'ag'],
  ])
})

test('the agents that are skipped are named by reason, the most frequent first', () =>
  expect(reasonsIn({ skips: skips(never, misfit, misfit) })).toEqual([
    { message: misfit, names: ['a-1', 'a-2'] },
    { message: never, names: ['a-0'] },
  ]))

test.each([
  ['refused', 'not now', 'not now'],
  ['refused', null, 'The agent gave no reason.'],
  ['failed', null, 'It was delivered, but no answer came within ten minutes.'],
  ['applied', null, null],
  ['waiting', null, null],
] as const)('the outcome %s with the words %j has the reason %j', (state, message, reason) =>
  expect(outcomeReason({ state, message })).toBe(reason),
)

test.each([
  [{ waiting: 1, applied: 3 }, 'in progress'],
  [{ sent: 2, failed: 1 }, 'in progress'],
  [{ applied: 3, skipped: 1 }, 'finished'],
  [{ applied: 3, refused: 1, failed: 1, expired: 1198 }, 'finished, 1,200 unsuccessful'],
  [{ skipped: 4 }, 'nothing was done'],
])('an action with %j as a whole', (counts, word) => expect(actionProgressOf({ ...none, ...counts }).word).toBe(word))
