import { expect, test } from 'vitest'
import { type TabStop, tabStopAfter } from './useTabStop.ts'

const inSight = new Map([
  ['a', 0],
  ['b', 1],
  ['c', 2],
])
test.each<[string, TabStop, string | undefined, TabStop]>([
  ['has the agent of its row once that is loaded', { index: 1, name: undefined }, 'b', { index: 1, name: 'b' }],
  ['stays with its agent', { index: 1, name: 'b' }, 'b', { index: 1, name: 'b' }],
  ['follows its agent to another row in sight', { index: 0, name: 'c' }, 'a', { index: 2, name: 'c' }],
  ['stays at its row when its agent is out of sight', { index: 0, name: 'z' }, 'a', { index: 0, name: 'a' }],
  ['waits while its row is not loaded', { index: 9, name: 'z' }, undefined, { index: 9, name: 'z' }],
])('the tab stop of the list %s', (_what, stop, nameThere, after) => {
  expect(tabStopAfter(stop, inSight, nameThere)).toEqual(after)
})
