import type { WishState } from '@svc/api'
import { expect, test } from 'vitest'
import { updateStepsOf } from './UpdateCard.tsx'

test.each<[WishState, string | undefined]>([
  ['none', undefined],
  ['queued', 'done next later later later'],
  ['waiting', 'done next later later later'],
  ['offered', 'done done next later later'],
  ['trying', 'done done done next later'],
  ['kept', 'done done done done done'],
  ['rolled_back', 'done done done no later'],
  ['failed', 'done done no later later'],
  ['held', 'done no later later later'],
])('the steps of an update that is %s', (state, steps) => {
  expect(
    updateStepsOf(state, 'runtime')
      ?.map(({ is }) => is)
      .join(' '),
  ).toBe(steps)
})

test('a failed download of a blueprint is the step that is waited for, since the agent tries it again', () => {
  expect(updateStepsOf('failed', 'blueprint')?.[2]).toEqual({
    name: 'Downloaded',
    is: 'next',
    note: 'the last try failed',
  })
})
