import type { FirstSteps } from '@svc/api'
import { expect, test } from 'vitest'
import { areStepsShown } from './first-steps.ts'

const steps = (done: string): FirstSteps => ({
  agent: done.includes('a'),
  notified: done.includes('n'),
  people: done.includes('p'),
  blueprint: done.includes('b'),
})

test.each([
  // The columns: the steps that are done, and whether the steps are shown to a person who never saw them, saw them, or
  // dismissed them.
  ['', true, true, false],
  ['a', true, true, false],
  ['nb', true, true, false],
  ['p', true, true, false],
  ['ap', false, true, false],
  ['anp', false, true, false],
  ['anpb', false, false, false],
])(
  'with the steps "%s" done they are shown to: a newcomer %s, a person who saw them %s',
  (done, never, shown, dismissed) => {
    expect([undefined, true, false].map((wanted) => areStepsShown(steps(done), wanted))).toEqual([
      never,
      shown,
      dismissed,
    ])
  },
)
