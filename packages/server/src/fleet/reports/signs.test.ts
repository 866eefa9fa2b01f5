import { expect, test } from 'vitest'
import { noSigns, readSigns, signsColumn, signsOf, youngRunMs } from './signs.ts'

test('a report that says nothing has no signs', () => {
  expect(signsOf({})).toEqual(noSigns)
  expect(signsOf({ health: [{ name: 'Process', level: 'ok' }], gauges: [], active: [] })).toEqual(noSigns)
})

test.each(['warn', 'bad'] as const)('the health item Process with the level %s is one', (level) => {
  expect(
    signsOf({
      health: [
        { name: 'Disk', level: 'bad' },
        { name: 'Process', level },
      ],
    }).process,
  ).toBe(level)
})

test('broken bindings are named, and nothing that only looks like one', () => {
  const item = (name: string, level: 'bad' | 'warn') => ({ name, level })
  const health = [
    item('Binding mail', 'bad'),
    item('Binding crm', 'warn'),
    item('Binding of Isaac', 'bad'),
    item('Rebinding x', 'bad'),
  ]
  expect(signsOf({ health }).bindings).toEqual(['mail'])
})

test('other bad items are named once, in their order, and those with a sign of their own are not', () => {
  const item = (name: string | undefined, level: 'bad' | 'warn' | 'ok' = 'bad') =>
    ({ level, ...(name !== undefined && { name }) }) as const
  const health = [
    item('Process'),
    item('Status file'),
    item('Binding mail'),
    item('Job mail'),
    item('Binding of Isaac'),
    item('Job backup', 'warn'),
    item('Job mail'),
    item('Queue', 'ok'),
    item('x'.repeat(200)),
    item(`${'x'.repeat(80)}y`),
    item('\u{1f4be}'.repeat(81)),
    item(undefined),
    item(''),
    item(' '),
    item('*'),
  ]
  expect(signsOf({ health })).toEqual({
    ...noSigns,
    process: 'bad',
    bindings: ['mail'],
    items: ['Job mail', 'Binding of Isaac', 'x'.repeat(80), '\u{1f4be}'.repeat(80)],
  })
})

test('of many bad items twenty are named, and the others counted', () => {
  const health = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ name: `Job ${i}`, level: 'bad' as const }))
  const counts = [1, 20, 21, 26, 50].map((count) => {
    const { items, moreItems } = readSigns(signsColumn({ health: health(count) }, 0))
    return [items.length, items.at(-1), moreItems]
  })
  expect(counts).toEqual([
    [1, 'Job 0', 0],
    [20, 'Job 19', 0],
    [20, 'Job 19', 1],
    [20, 'Job 19', 6],
    [20, 'Job 19', 30],
  ])
})

test('a node of the version before reads what it knows of the column', () => {
  const column = signsColumn(
    {
      health: [
        { name: 'Binding mail', level: 'bad' },
        { name: 'Job a', level: 'bad' },
      ],
    },
    0,
  )
  expect(JSON.parse(column)).toEqual({ bindings: ['mail'], items: ['Job a'] })
  expect(readSigns('{"bindings":["mail"]}')).toEqual({ ...noSigns, bindings: ['mail'] })
})

test('gauges at or above their mark are named', () => {
  const gauges = [
    { name: 'disk', used: 0.9, mark: 0.9 },
    { name: 'memory', used: 0.89, mark: 0.9 },
    { name: 'unmarked', used: 1 },
    { used: 1, mark: 0.5 },
  ]
  expect(signsOf({ gauges }).gauges).toEqual(['disk'])
})

test('of active runs the one that started first counts', () => {
  expect(signsOf({ active: [{ started: 20 }, {}, { started: 10 }] }).started).toBe(10)
})

test('the column has the same size with a few signs and without, and is read as it was written', () => {
  const now = 1_790_000_000_000
  const none = { health: [{ name: 'Process', level: 'ok' as const }], gauges: [{ name: 'disk', used: 1 }] }
  const sizes = [{}, none, { active: [{ started: 5 }] }].map((each) => signsColumn(each, now).length)
  expect(new Set(sizes).size).toBe(1)
  expect(readSigns(signsColumn(none, now))).toEqual(noSigns)
  const report = {
    health: [
      { name: 'Process', level: 'bad' as const },
      { name: 'Binding mail', level: 'bad' as const },
      { name: 'Job backup', level: 'bad' as const },
    ],
    gauges: [{ name: 'disk', used: 1, mark: 1 }],
    active: [{ started: 5 }],
  }
  expect(readSigns(signsColumn(report, now))).toEqual(signsOf(report))
  expect(readSigns('')).toEqual(noSigns)
})

test('a run is written once it has lasted for a minute, so short runs do not change the column', () => {
  const started = 1_790_000_000
  const at = (now: number) => signsColumn({ active: [{ started }] }, now)
  expect(readSigns(at(started * 1000 + youngRunMs - 1)).started).toBeNull()
  expect(readSigns(at(started * 1000 + youngRunMs)).started).toBe(started)
})

test('many and long names make a short column', () => {
  const gauges = Array.from({ length: 50 }, (_, i) => ({ name: `${i} ${'x'.repeat(200)}`, used: 1, mark: 1 }))
  expect(signsColumn({ gauges }, 0).length).toBeLessThan(800)
})
