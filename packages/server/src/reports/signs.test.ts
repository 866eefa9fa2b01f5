import { expect, test } from 'vitest'
import { noSigns, signsOf } from './signs.ts'

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
