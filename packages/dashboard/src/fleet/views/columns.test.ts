import type { FleetColumn } from '@svc/api'
import { expect, test } from 'vitest'
import { columnNames, defaultColumns, fittingColumns, readColumns, templateOf } from './columns.ts'

test.each<[width: number, hasBoxes: boolean, chosen: readonly FleetColumn[], shown: string]>([
  [1174, true, defaultColumns, 'agent state doing tags seen today month version'],
  [930, true, defaultColumns, 'agent state doing tags seen today version'],
  [758, true, defaultColumns, 'agent state doing tags seen version'],
  [740, true, defaultColumns, 'agent state doing seen version'],
  [760, true, defaultColumns.filter((name) => name !== 'tags'), 'agent state doing seen today version'],
  [726, false, defaultColumns, 'agent state doing tags seen version'],
  [1174, true, columnNames, 'agent state doing tags host blueprint seen today month version'],
  [700, false, ['month', 'host'], 'agent host month'],
  [100, true, defaultColumns, 'agent'],
])('a list of %i pixels shows these columns', (width, hasBoxes, chosen, shown) => {
  expect(fittingColumns(chosen, { width, hasBoxes }).join(' ')).toBe(shown)
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

test('a column that must not be wider has no share of the width that is left over', () => {
  expect(templateOf(['agent', 'today'], true)).toBe('18px minmax(110px, 1.3fr) 72px')
})
