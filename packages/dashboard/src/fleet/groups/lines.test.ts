import type { FleetGroup } from '@svc/api'
import { expect, test } from 'vitest'
import { groupLinesOf } from './lines.ts'

const group = (value: string | null, agents: number): FleetGroup => ({
  ...{ value, agents, worst: null },
  counts: { ok: 0, info: 0, warn: 0, bad: 0, silent: 0, stopped: 0, never: 0 },
})
const groups = [group('eu', 2), group('us', 3), group(null, 1)]
const shown = (...open: (string | null)[]) => {
  const { total, at } = groupLinesOf(groups, (value) => open.includes(value))
  return Array.from({ length: total }, (_, line) => {
    const { group: of, index = 'head' } = at(line) ?? {}
    return `${of?.value} ${index}`
  })
}

test('folded groups have a line each', () => expect(shown()).toEqual(['eu head', 'us head', 'null head']))

test('an open group has a line for each of its agents below its head', () => {
  expect(shown('us')).toEqual(['eu head', 'us head', 'us 0', 'us 1', 'us 2', 'null head'])
  expect(shown('eu', null)).toEqual(['eu head', 'eu 0', 'eu 1', 'us head', 'null head', 'null 0'])
})

test('there is nothing above the first line, below the last one, or without groups', () => {
  const { at, total } = groupLinesOf(groups, () => true)
  expect([at(-1), at(total)]).toEqual([undefined, undefined])
  expect(groupLinesOf([], () => true).at(0)).toBeUndefined()
})
