import fc from 'fast-check'
import { expect, test } from 'vitest'
import { drawnPeriods, linearScale, ticksTo, widthsOf } from './scale.ts'
import { dayName, lastCounted, lastDays, stackOf, withYears } from './stack.ts'

test.each([
  [0, [0]],
  [Number.NaN, [0]],
  [1, [0, 0.5, 1]],
  [7, [0, 2.5, 5, 7.5]],
  [0.0321, [0, 0.02, 0.04]],
  [950, [0, 500, 1000]],
])('an axis up to %s has the marks %j', (max, marks) => expect(ticksTo(max)).toEqual(marks))

test('an axis of counts has whole numbers only', () => {
  expect(ticksTo(1, { whole: true })).toEqual([0, 1])
  expect(ticksTo(7, { whole: true })).toEqual([0, 3, 6, 9])
})

test('an axis always ends at or above its biggest value, with few marks', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-9, max: 1e12, noNaN: true }), (max) => {
      const marks = ticksTo(max)
      expect(marks.at(-1)).toBeGreaterThanOrEqual(max * (1 - 1e-9))
      expect(marks.length).toBeLessThanOrEqual(5)
    }),
  )
})

test('a scale over no span draws everything in one place instead of nowhere', () => {
  expect(linearScale([0, 10], [100, 0])(2.5)).toBe(75)
  expect(linearScale([3, 3], [20, 50])(3)).toBe(20)
})

test.each([
  ['in proportion', [1, 3], 100, 0, [25, 75]],
  ['the smallest part gets the minimum', [1, 9_999], 100, 20, [20.006, 79.994]],
  ['nothing gets nothing', [0, 5, 0], 100, 20, [0, 100, 0]],
  ['equal shares where there is no room', [1, 1_000, 9_000], 30, 20, [10, 10, 10]],
  ['no sizes', [], 100, 20, []],
] as const)('a width is divided: %s', (_what, sizes, width, minWidth, widths) => {
  expect(widthsOf(sizes, width, minWidth).map((each) => Number(each.toFixed(3)))).toEqual(widths)
})

test('narrow periods are drawn above the wide ones, and each place shows the most important one of its periods', () => {
  const periods = [
    { name: 'wide', from: 0, to: 100, weight: 3 },
    { name: 'bad', from: 100, to: 101, weight: 3 },
    { name: 'ok', from: 101, to: 110, weight: 0 },
    { name: 'warn', from: 110, to: 111, weight: 2 },
    { name: 'ok', from: 111, to: 112, weight: 0 },
    { name: 'wide, too', from: 112, to: 300, weight: 0 },
    { name: 'info', from: 300, to: 301, weight: 1 },
  ]
  const drawn = drawnPeriods(periods, (at) => at / 5, 2)
  expect(drawn).toEqual([
    { name: 'wide', from: 0, to: 100, weight: 3 },
    { name: 'wide, too', from: 112, to: 300, weight: 0 },
    { name: 'info', from: 300, to: 301, weight: 1 },
    { name: 'warn', from: 110, to: 112, weight: 2 },
    { name: 'bad', from: 100, to: 110, weight: 3 },
  ])
})

test('however many periods there are, no more are drawn than have a place', () => {
  const periods = Array.from({ length: 10_000 }, (_, i) => ({ from: i, to: i + 1, weight: i % 2 }))
  const drawn = drawnPeriods(periods, linearScale([0, 10_000], [0, 300]), 2)
  expect(drawn).toHaveLength(150)
  expect(new Set(drawn.map(({ weight }) => weight))).toEqual(new Set([1]))
  expect([Math.min(...drawn.map(({ from }) => from)), Math.max(...drawn.map(({ to }) => to))]).toEqual([0, 10_000])
})

test('parts are stacked, with the series of the biggest sum at the bottom of every column', () => {
  const { columns, series, max, total } = stackOf([
    { key: 'a', parts: { small: 1, big: 2 } },
    { key: 'b', parts: { big: 5 } },
    { key: 'c', parts: {} },
  ])
  expect(series.map(({ name, total: sum }) => [name, sum])).toEqual([
    ['big', 7],
    ['small', 1],
  ])
  expect(columns[0]?.parts.map(({ series: one, from, to }) => [one.name, from, to])).toEqual([
    ['big', 0, 2],
    ['small', 2, 3],
  ])
  expect(columns.map((column) => column.total)).toEqual([3, 5, 0])
  expect([max, total]).toEqual([5, 8])
})

test('if there are many series, the smallest are drawn as one, and the sum stays the same', () => {
  const parts = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`m${i}`, i + 1]))
  const { series, columns } = stackOf([{ key: 'a', parts }], { maxSeries: 4 })
  expect(series.map(({ name }) => name)).toEqual(['m8', 'm7', 'm6', 'others'])
  expect(series.at(-1)?.color).toBeNull()
  expect(columns[0]?.total).toBe(45)
})

test('series with an order of their own are stacked in it, and the smallest are still combined', () => {
  const parts = { '1.10.0': 1, '1.9.0': 5, '1.2.0': 3, '1.1.0': 1 }
  const { series } = stackOf([{ key: 'a', parts }], { maxSeries: 3, order: (a, b) => (a < b ? -1 : 1) })
  expect(series.map(({ name, color }) => [name, color])).toEqual([
    ['1.2.0', 0],
    ['1.9.0', 1],
    ['others', null],
  ])
})

test('series without costs are not in the legend', () =>
  expect(stackOf([{ key: 'a', parts: { free: 0, paid: 2 } }]).series.map(({ name }) => name)).toEqual(['paid']))

test('a model with the name of the remaining series is drawn separately', () => {
  const parts = { others: 9, b: 3, c: 2, d: 1 }
  const { series, columns } = stackOf([{ key: 'a', parts }], { maxSeries: 3 })
  expect(series.map(({ name, total }) => [name, total])).toEqual([
    ['others', 9],
    ['b', 3],
    ['others', 3],
  ])
  expect(columns[0]?.parts.map(({ from, to }) => [from, to])).toEqual([
    [0, 9],
    [9, 12],
    [12, 15],
  ])
})

test('thirty days end today, also over the turn of a month and a year', () => {
  const days = lastDays(Date.UTC(2026, 0, 2, 23, 59), 30)
  expect(days).toHaveLength(30)
  expect([days[0], days.at(-1)]).toEqual(['2025-12-04', '2026-01-02'])
  expect(dayName('2026-11-21')).toBe('21 Nov')
  expect(dayName('no day')).toBe('no day')
})

test('the last column that was counted is not the one of a day that has just begun', () => {
  const columns = [
    { key: '2026-11-26', parts: { a: 4 } },
    { key: '2026-11-27', parts: { a: 3, b: 1 } },
    { key: '2026-11-28', parts: {} },
  ]
  expect(lastCounted(stackOf(columns))).toMatchObject({ key: '2026-11-27', total: 4 })
  expect(lastCounted(stackOf(columns.slice(2)))).toMatchObject({ key: '2026-11-28', total: 0 })
  expect(lastCounted(stackOf([]))).toBeUndefined()
})

test('a column of another year than the last one has its year', () => {
  const columns = ['2025-10-24', '2026-10-24'].map((key) => ({ key }))
  expect(columns.map(({ key }) => withYears(dayName, columns)(key))).toEqual(['24 Oct 2025', '24 Oct'])
  expect(withYears(() => 'Oct 2025', columns)('2025-10-01')).toBe('Oct 2025')
  expect(withYears((key) => key, [])('others')).toBe('others')
})
