import type { FleetMap } from '@svc/api'
import { expect, test } from 'vitest'
import { agentsByGroup, chosenPartOf } from './boxes.ts'

const map: Pick<FleetMap, 'groups' | 'squares'> = {
  groups: ['eu', 'us', null],
  squares: [
    ['a', 0, 0],
    ['b', 0, 0, 1],
    ['c', 0, 2],
  ],
}

test('an agent with two tags is a member of both groups', () => {
  expect([...agentsByGroup(map)]).toEqual([
    ['eu', ['a', 'b']],
    ['us', ['b']],
    [null, ['c']],
  ])
  expect(agentsByGroup(undefined).size).toBe(0)
})

test.each<[selected: string, agents: number, known: string, chosen: string]>([
  ['', 2, 'a b', 'none'],
  ['c', 2, 'a b', 'none'],
  ['a', 2, 'a b', 'some'],
  ['a b', 2, 'a b', 'all'],
  ['a b', 3, 'a b', 'some'],
  ['a b', 2, '', 'none'],
])('if "%s" is selected, of a group of %i with "%s" is selected: %s', (selected, agents, known, chosen) => {
  const names = (text: string) => text.split(' ').filter((name) => name !== '')
  expect(chosenPartOf({ agents }, names(known), new Set(names(selected)))).toBe(chosen)
})
