import { expect, test } from 'vitest'
import { massOutage, wentOfflineThen } from './mass.ts'

const at = Date.UTC(2026, 10, 22, 14)
const second = 1000
const fell = (...seconds: number[]): number[] => seconds.map((s) => at + s * second)
/** The number of agents in the mass outage; undefined if there is none. */
const members = (offlineSince: number[], counted: number, known?: number) => {
  const begin = massOutage(offlineSince, counted, known === undefined ? undefined : at + known * second)
  return begin === undefined ? undefined : offlineSince.filter((since) => wentOfflineThen(begin, since)).length
}

test.each<[string, number[], number, number | undefined]>([
  ['five of ten within two minutes are a mass outage', fell(0, 30, 60, 90, 120), 10, 5],
  ['four are not, even where that is everybody', fell(0, 30, 60, 90), 4, undefined],
  ['five of seventeen are less than 30%', fell(0, 1, 2, 3, 4), 17, undefined],
  ['six of twenty are 30%', fell(0, 1, 2, 3, 4, 5), 20, 6],
  ['five within two minutes and a second are not at once', fell(0, 30, 60, 90, 121), 10, undefined],
  ['who has been offline for longer is not part of it', fell(-9000, -300, 0, 30, 60, 90, 120), 10, 5],
  ['nobody is offline', [], 0, undefined],
])('%s', (_rule, offlineSince, counted, expected) => expect(members(offlineSince, counted)).toBe(expected))

test('it begins when the first of its agents went offline, in whatever order they are found', () => {
  expect(massOutage(fell(120, 0, 90, -500, 60, 30), 10)).toBe(at)
})

test('one that is known keeps the agents that are still offline, however few, and ends with the last', () => {
  expect(members(fell(30, 60), 100, 0)).toBe(2)
  expect(members(fell(), 100, 0)).toBeUndefined()
})

test('an agent that goes offline in the same two minutes joins it; one that does so later, or again, does not', () => {
  expect(members(fell(0, 100, 120, 121, 4000), 10, 0)).toBe(3)
})
