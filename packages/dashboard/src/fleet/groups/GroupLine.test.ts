import { mapStates } from '@svc/api/filter'
import { expect, test } from 'vitest'
import { groupBar } from './GroupLine.tsx'

const statesOf = (numbers: Partial<Record<(typeof mapStates)[number], number>>) =>
  mapStates.map((state) => numbers[state] ?? 0)
const widths = (agents: number, numbers: Parameters<typeof statesOf>[0], most: number) =>
  groupBar({ agents, states: statesOf(numbers) }, most).backgroundSize

test('the bar of the largest group is whole, and that of a group half as large half as long', () => {
  expect(widths(100, { ok: 100 }, 100)).toBe('100% 32%')
  expect(widths(50, { ok: 50 }, 100)).toBe('50% 32%')
})

test('the worst agents are on the left, and one among thousands is seen', () => {
  expect(widths(5000, { ok: 4999, bad: 1 }, 5000)).toBe('2.1% 100%, 97.9% 32%')
  expect(widths(1, { never: 1 }, 5000)).toBe('2.08% 32%')
})

test('a node of an earlier version names no states, and the bar is empty', () => {
  expect(groupBar({ agents: 7 }, 7).backgroundImage).toBe('')
})
