import type { FleetMap, FleetRow } from '@svc/api'
import { mapStates } from '@svc/api/filter'
import { expect, test } from 'vitest'
import {
  applyFrame,
  countStates,
  countStatesIn,
  focusedSquareOf,
  noteFirstStates,
  squaresOf,
  stateOfAgent,
} from './squares.ts'

const state = (name: (typeof mapStates)[number]) => mapStates.indexOf(name)
const map: FleetMap = {
  total: 4,
  groups: ['eu', null],
  squares: [
    ['a', state('ok'), 0],
    ['b', state('bad'), 0],
    ['c', state('ok'), 1],
    ['d', state('never'), 0],
  ],
}
const row = (name: string, more: Partial<FleetRow> = {}) =>
  ({ name, level: 'ok', tags: ['eu'], stopped: null, seenAt: 1, silentAt: 99, label: null, ...more }) as FleetRow
const frame = (...rows: FleetRow[]) => ({ now: 5, rows, list: false, more: false })
const all = () => true

test('squares are in the order of their groups, in each the worst first, and then by name', () => {
  const squares = squaresOf(map, 'tag')
  expect(squares.sizes).toEqual([3, 1])
  expect([...squares.agents].map((index) => map.squares[index]?.[0])).toEqual(['b', 'a', 'd', 'c'])
  expect(countStatesIn(squares, 0, 3)[state('ok')]).toBe(1)
  expect(countStates(squares)[state('ok')]).toBe(2)
  expect(squaresOf({ ...map, groups: [] }, undefined).sizes).toEqual([4])
})

test('an agent keeps its place when its state changes, and a new one is placed by its state', () => {
  const first = new Map<string, number>()
  noteFirstStates(first, map)
  const [a, b, ...rest] = map.squares
  const later: FleetMap = {
    ...map,
    squares: [['a', state('bad'), 0], ['b', state('ok'), 0], ...rest, ['e', state('warn'), 0]],
  }
  expect(a?.[1]).not.toBe(b?.[1])
  const squares = squaresOf(later, undefined, first)
  expect([...squares.agents].map((index) => later.squares[index]?.[0])).toEqual(['b', 'e', 'a', 'c', 'd'])
  expect(stateOfAgent(squares, 0)).toBe('bad')
})

test('an agent in two groups has two squares, and an answer that was cut keeps the rest', () => {
  const squares = squaresOf({ ...map, squares: [['a', 0, 0, 1]] }, 'tag')
  expect(squares.sizes).toEqual([1, 1])
  expect([...squares.agents]).toEqual([0, 0])
})

test('a frame changes the states of its agents, and nothing else', () => {
  const squares = squaresOf(map, 'tag')
  const { changed, reload } = applyFrame(squares, frame(row('a', { level: 'warn' }), row('b', { level: 'bad' })), all)
  expect([[...changed], reload]).toEqual([[0], false])
  expect([0, 1, 2].map((index) => stateOfAgent(squares, index))).toEqual(['warn', 'bad', 'ok'])
})

test.each([
  ['a new agent', frame(row('new')), all, true],
  ['an agent that the filter does not select', frame(row('new')), () => false, false],
  ['an agent that the filter no longer selects', frame(row('a')), () => false, true],
  ['another tag', frame(row('a', { tags: ['us'] })), all, true],
  ['one more tag', frame(row('a', { tags: ['eu', 'us'] })), all, true],
  ['a change of lists', { ...frame(), list: true }, all, true],
  ['too many rows', { ...frame(), more: true }, all, true],
  ['the same tag', frame(row('a')), all, false],
])('%s loads the map again, or not', (_, sent, selects, reload) =>
  expect(applyFrame(squaresOf(map, 'tag'), sent, selects).reload).toBe(reload),
)

test('the focus follows its agent to another place, and stays where it is if the agent is gone', () => {
  const squares = squaresOf(map, 'tag')
  expect(focusedSquareOf(squares, { name: 'b', square: 0 })).toBe(0)
  expect(focusedSquareOf(squares, { name: 'b', square: 3 })).toBe(0)
  expect(focusedSquareOf(squares, { name: 'gone', square: 2 })).toBe(2)
  expect(focusedSquareOf(squares, { name: 'gone', square: 9 })).toBe(3)
  expect(focusedSquareOf(squares, undefined)).toBeUndefined()
})
