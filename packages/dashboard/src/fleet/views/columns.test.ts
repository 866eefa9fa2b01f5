import type { FleetColumn } from '@svc/api'
import { expect, test } from 'vitest'
import { columnNames, defaultColumns, fittingColumns, readColumns } from './columns.ts'

test.each<[width: number, hasBoxes: boolean, chosen: readonly FleetColumn[], shown: string]>([
  [1500, true, defaultColumns, 'agent state day doing tags seen today month version'],
  [1174, true, defaultColumns, 'agent state day doing tags seen today version'],
  [930, true, defaultColumns, 'agent state day doing seen today version'],
  [758, true, defaultColumns, 'agent state day doing seen version'],
  [690, true, defaultColumns, 'agent state day doing seen'],
  [940, false, defaultColumns.slice(0, -1), 'agent state day doing tags seen today month'],
  [1174, true, columnNames, 'agent state day doing tags host seen today month version'],
  [700, false, ['month', 'host'], 'agent host month'],
  [100, true, defaultColumns, 'agent'],
])('a list of %i pixels shows these columns', (width, hasBoxes, chosen, shown) => {
  expect(fittingColumns(chosen, { width, hasBoxes }).join(' ')).toBe(shown)
})

test.each<[width: number, chosen: readonly FleetColumn[], shown: string]>([
  [1174, defaultColumns, 'agent state day doing seen today month version'],
  [1000, defaultColumns, 'agent state day doing seen today version'],
  [1000, [...defaultColumns, 'runtime'], 'agent state day doing seen today month version'],
])('without tags, a list of %i pixels shows these columns', (width, chosen, shown) => {
  expect(fittingColumns(chosen, { width, hasBoxes: true }, false).join(' ')).toBe(shown)
})

test.each([
  [
    ['month', 'tags'],
    ['tags', 'month'],
  ],
  [['agent', 'colour'], undefined],
  [[], undefined],
  [null, undefined],
  ['tags', undefined],
])('the stored choice %j is read as %j', (stored, columns) => {
  expect(readColumns(stored)).toEqual(columns)
})
