import type { FleetRow } from '@svc/api'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { columnWidthsOf, largerWidths, neededWidths, templateOf } from './useRoom.ts'
import { columnLooks, columnNames, widthFor } from './views/columns.ts'

const names = ['agent', 'state', 'doing', 'seen', 'version'] as const
const room = { width: 1000, hasBoxes: true }

test('each column gets what its contents need, and what is left over goes to what the agents do', () => {
  expect(
    templateOf(names, columnWidthsOf(names, { agent: 120, state: 200, doing: 150, version: 80 }, room), room.hasBoxes),
  ).toBe('18px 120px 200px minmax(150px, 1fr) 80px 80px')
  expect(templateOf(['agent', 'today'], columnWidthsOf(['agent', 'today'], {}, room), room.hasBoxes)).toBe(
    '18px minmax(116px, 1fr) 92px',
  )
})

test('where there is not enough room, columns that need little are not cut, and the state gets most', () => {
  const widths = columnWidthsOf(
    names,
    { agent: 120, state: 900, doing: 900, version: 80 },
    { width: 700, hasBoxes: false },
  )
  const [agent, state, doing, seen, version] = widths
  expect([agent, seen, version]).toEqual([120, 80, 80])
  expect(state).toBeGreaterThan(doing ?? 0)
  expect(widths.reduce((sum, width) => sum + width, 0)).toBeGreaterThan(
    widthFor(5, { width: 700, hasBoxes: false }) - 5,
  )
})

test('a column without contents leaves its room to others, and keeps its heading', () => {
  const wants = { agent: 120, state: 150, version: 88 }
  const narrow = { width: 596, hasBoxes: false }
  const [agent, state, doing, , version] = columnWidthsOf(names, wants, narrow)
  expect([agent, state, version]).toEqual([120, 150, 88])
  expect(doing).toBe(72)
  expect(columnWidthsOf(names, { ...wants, doing: 8 }, narrow)[4]).toBeLessThan(88)
})

test('columns are never wider than the list, if their minimums fit, nor narrower than their minimum', () => {
  const wish = fc.record(Object.fromEntries(columnNames.map((name) => [name, fc.nat(2000)])))
  fc.assert(
    fc.property(wish, fc.integer({ min: 1200, max: 3000 }), (wants, width) => {
      const all = ['agent', ...columnNames] as const
      const widths = columnWidthsOf(all, wants, { width, hasBoxes: true })
      const minimum = all.reduce((sum, name) => sum + columnLooks[name].minWidth, 0)
      const whole = widthFor(all.length, { width, hasBoxes: true })
      expect(widths.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(Math.max(minimum, whole))
      for (const [i, name] of all.entries()) expect(widths[i]).toBeGreaterThanOrEqual(columnLooks[name].minWidth)
    }),
  )
})

test('a longer text widens its column in steps, and a shorter one leaves it', () => {
  const once = largerWidths({}, { state: 101 })
  expect(once).toEqual({ state: 104 })
  expect(largerWidths(once, { state: 20, doing: 8 })).toEqual({ state: 104, doing: 8 })
})

test('a row that is offline, has alerts or a failed update needs the room for their marks', () => {
  const row = {
    name: 'mail-1',
    label: 'Idle',
    detail: 'nothing to do',
    doing: null,
    tags: [],
    host: null,
    version: '1.4.0',
    stopped: null,
    statusOld: false,
    alerts: { open: 0, acknowledged: 1 },
    updates: { blueprint: null, wished: null, wishState: 'none', runtime: null, runtimeWished: null },
  } as unknown as FleetRow
  const measure = (text: string) => 7 * text.length
  const plain = neededWidths(row, measure, false)
  const troubled = { ...row, alerts: { open: 2, acknowledged: 0 }, updates: { ...row.updates, wishState: 'failed' } }
  const marked = neededWidths(troubled as FleetRow, measure, true)
  expect(marked.state).toBeGreaterThan((plain.state ?? 0) + 7 * 'Offline'.length)
  expect(marked.version).toBeGreaterThan((plain.version ?? 0) + 7 * 'failed'.length)
  expect(plain.doing).toBeLessThan(7 * 'nothing to do'.length)
  expect(marked.doing).toBe(0)
})
