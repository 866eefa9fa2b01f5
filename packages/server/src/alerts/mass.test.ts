import { expect, test } from 'vitest'
import { massSilence, type SilentAgent } from './mass.ts'

const at = Date.UTC(2026, 10, 22, 14)
const second = 1000
const fell = (...seconds: number[]): SilentAgent[] =>
  seconds.map((s, i) => ({ id: `${i}`, name: `agent-${i}`, since: at + s * second }))
const names = (silent: SilentAgent[], counted: number, known?: number) =>
  massSilence(silent, counted, known === undefined ? undefined : { since: at + known * second })?.agents.length

test.each<[string, SilentAgent[], number, number | undefined]>([
  ['five of ten within two minutes are a mass silence', fell(0, 30, 60, 90, 120), 10, 5],
  ['four are not, even where that is everybody', fell(0, 30, 60, 90), 4, undefined],
  ['five of seventeen are less than 30%', fell(0, 1, 2, 3, 4), 17, undefined],
  ['six of twenty are 30%', fell(0, 1, 2, 3, 4, 5), 20, 6],
  ['five within two minutes and a second are not at once', fell(0, 30, 60, 90, 121), 10, undefined],
  ['who has been silent for longer is not part of it', fell(-9000, -300, 0, 30, 60, 90, 120), 10, 5],
  ['nobody is silent', [], 0, undefined],
])('%s', (_rule, silent, counted, expected) => expect(names(silent, counted)).toBe(expected))

test('it begins when the first of its agents fell silent, in whatever order they are found', () => {
  expect(massSilence(fell(120, 0, 90, -500, 60, 30), 10, undefined)?.since).toBe(at)
})

test('one that is known keeps the agents that are still silent, however few, and ends with the last', () => {
  expect(names(fell(30, 60), 100, 0)).toBe(2)
  expect(names(fell(), 100, 0)).toBeUndefined()
})

test('an agent that falls silent in the same two minutes joins it; one that does so later, or again, does not', () => {
  expect(names(fell(0, 100, 120, 121, 4000), 10, 0)).toBe(3)
})
