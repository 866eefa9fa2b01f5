import type { FleetMap } from '@svc/api'
import { mapStates } from '@svc/api/filter'
import { expect, test } from 'vitest'
import { runWithoutPauses } from '../../platform/http/slices.ts'
import { mapJson } from './groups.ts'

const state = (name: (typeof mapStates)[number]) => mapStates.indexOf(name)
const read = (map: FleetMap, most: number) => {
  const { json, leftOff } = runWithoutPauses(mapJson(map, most))
  expect(Buffer.byteLength(json)).toBeLessThanOrEqual(most)
  return { map: JSON.parse(json) as FleetMap, leftOff }
}
const named = (number: number, name: string, of: Parameters<typeof state>[0]) =>
  Array.from({ length: number }, (_, i) => [`${name}-${1000 + i}`, state(of), 0] as const)

test('a map that fits is written as it is, whatever the names of its groups', () => {
  const map: FleetMap = { total: 3, groups: ['"eu" 漢', null], squares: [...named(2, 'a', 'ok'), ['b', 3, 0, 1]] }
  expect(read(map, 1000)).toEqual({ map, leftOff: 0 })
  expect(read({ total: 0, groups: [], squares: [] }, 1000).leftOff).toBe(0)
})

test('agents that need somebody are kept; of those that do not, the last ones by name are left off', () => {
  const squares = [...named(100, 'a', 'never'), ...named(100, 'b', 'ok'), ...named(50, 'c', 'bad')]
  const { map, leftOff } = read({ total: 250, groups: ['eu'], squares }, 2000)
  const number = (of: Parameters<typeof state>[0]) => map.squares.filter(([, is]) => is === state(of)).length
  expect([number('bad'), number('never')]).toEqual([50, 0])
  expect(number('ok')).toBeGreaterThan(30)
  expect(map.squares.filter(([, is]) => is === state('ok'))).toEqual(named(100, 'b', 'ok').slice(0, number('ok')))
  expect([map.total, map.leftOff]).toEqual([250, { squares: leftOff }])
  expect(leftOff + map.squares.length).toBe(250)
})

test('the names of groups take at most half of the room, and their number is said', () => {
  const groups = Array.from({ length: 100 }, (_, i) => `group-${1000 + i}`)
  const { map, leftOff } = read({ total: 10, groups, squares: named(10, 'a', 'ok') }, 1200)
  expect(map.squares).toHaveLength(10)
  expect(map.groups).toEqual(groups.slice(0, map.groups.length))
  expect(map.leftOff).toEqual({ groups: leftOff })
  expect(leftOff + map.groups.length).toBe(100)
})

test('writing the map of many agents can be interrupted every few rows', () => {
  const steps = mapJson({ total: 3200, groups: [], squares: named(3200, 'a', 'ok') }, 1_000_000)
  let pauses = 0
  while (!steps.next().done) pauses++
  expect(pauses).toBeGreaterThanOrEqual(100)
})
