import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chooseWork, type DueWork, maxAwaited, maxByStrangers, maxFailing, maxSlots } from './slots.ts'

const channel = (id: string, more: Partial<DueWork> = {}): DueWork => ({
  id,
  party: id.split('-')[0] ?? '',
  receiver: id,
  works: true,
  dueAt: 0,
  triedAt: null,
  ...more,
})
const many = (scope: string, count: number, more: Partial<DueWork> = {}) =>
  Array.from({ length: count }, (_, i) => channel(`${scope}-${i}`, more))
const ids = (channels: readonly DueWork[]) => channels.map(({ id }) => id)
const failing = { works: false, triedAt: 1 } as const

test.each<[string, DueWork[], DueWork[], string[]]>([
  ['a workspace gets at most four places', many('a', 6), [], ['a-0', 'a-1', 'a-2', 'a-3']],
  ['channels that are served count', many('a', 6), many('a', 3).slice(1), ['a-0', 'a-3']],
  ['of channels that fail, at most two of a workspace are served', many('a', 6, failing), [], ['a-0', 'a-1']],
  [
    'a channel that works has its place beside them',
    [...many('a', 6, failing), channel('a-w')],
    [],
    ['a-w', 'a-0', 'a-1'],
  ],
  [
    'workspaces take turns, and the message that has waited longest comes first',
    [
      channel('a-1', { dueAt: 2 }),
      channel('a-2', { dueAt: 3 }),
      channel('b-1', { dueAt: 9 }),
      channel('c-1', { dueAt: 1 }),
    ],
    [],
    ['c-1', 'a-1', 'b-1', 'a-2'],
  ],
  [
    'of channels that fail, one that was never tried comes first, then the one whose last try was the longest ago',
    [
      channel('a-1', { works: false, triedAt: 5 }),
      channel('b-1', { works: false, triedAt: 4 }),
      channel('c-1', { works: null }),
    ],
    [],
    ['c-1', 'b-1', 'a-1'],
  ],
  [
    'first tries come before retries, and before first tries to a receiver that failed',
    [
      channel('a-1', { works: null, triedAt: 1, party: 'x' }),
      channel('b-1', { works: false, party: 'x' }),
      channel('c-1', { works: null, dueAt: 9, party: 'x' }),
    ],
    [],
    ['c-1', 'b-1'],
  ],
  [
    'a receiver that is not known to work gets one try at a time of a party, so another one has its place',
    [...many('a', 12, { works: null, receiver: 'slow' }), channel('a-x', { works: null, dueAt: 9 })],
    [],
    ['a-0', 'a-x'],
  ],
  [
    'what a person waits for has a place although 40 others of the workspace hang',
    [...many('a', 40, { works: null }), channel('a-test', { works: null, isAwaited: true, dueAt: 9 })],
    many('a', 2, { works: null }),
    ['a-test'],
  ],
])('%s', (_rule, due, held, chosen) => expect(ids(chooseWork(due, held))).toEqual(chosen))

test('channels that fail get at most 48 of all places, however many workspaces they belong to', () => {
  const due = Array.from({ length: 100 }, (_, i) => many(`w${i}`, 5, failing)).flat()
  expect(chooseWork(due, [])).toHaveLength(maxFailing)
  const works = Array.from({ length: 100 }, (_, i) => many(`g${i}`, 5)).flat()
  const chosen = chooseWork([...due, ...works], [])
  expect(chosen).toHaveLength(maxSlots)
  expect(chosen.every(({ works: is }) => is)).toBe(true)
})

test('channels that were never tried get at most half of all places, with those that fail', () => {
  const untried = Array.from({ length: 100 }, (_, i) => many(`u${i}`, 5, { works: null })).flat()
  expect(chooseWork(untried, [])).toHaveLength(maxSlots / 2)
  const due = Array.from({ length: 100 }, (_, i) => many(`w${i}`, 5, failing)).flat()
  const held = chooseWork(due, [])
  expect(chooseWork([...due, ...untried], held)).toHaveLength(maxSlots / 2 - maxFailing)
})

test('a channel that works has a place at once, whatever the channels of up to 31 other workspaces do', () => {
  const kind = fc.constantFrom(true, false, null)
  const others = fc.array(fc.array(kind, { maxLength: 60 }), { maxLength: 31 })
  fc.assert(
    fc.property(others, (scopes) => {
      const theirs = scopes.flatMap((kinds, s) => kinds.map((works, i) => channel(`w${s}-${i}`, { works, dueAt: -1 })))
      const held = chooseWork(theirs, [])
      expect(ids(chooseWork([...theirs, channel('good-1')], held))).toContain('good-1')
    }),
  )
})

test('what strangers cause takes at most half of the places for what a person waits for', () => {
  const strangers = Array.from({ length: 99 }, (_, i) => channel(`s${i}-0`, { isAwaited: true, byStranger: true }))
  const people = Array.from({ length: 99 }, (_, i) => channel(`p${i}-0`, { isAwaited: true }))
  expect(chooseWork(strangers, [])).toHaveLength(maxByStrangers)
  expect(chooseWork([...strangers, ...people], [])).toHaveLength(maxAwaited)
})

test('of what a person waits for, receivers that failed take at most half of the places', () => {
  const waiting = (id: string, works: boolean | null, byStranger: boolean) =>
    Array.from({ length: 99 }, (_, i) => channel(`${id}${i}-0`, { works, isAwaited: true, byStranger, dueAt: -1 }))
  for (const [byStranger, max] of [
    [true, maxByStrangers],
    [false, maxAwaited],
  ] as const) {
    const held = chooseWork(waiting('f', false, byStranger), [])
    expect(held).toHaveLength(max / 2)
    expect(ids(chooseWork([channel('new-0', { works: null, isAwaited: true, byStranger: true })], held))).toEqual([
      'new-0',
    ])
  }
})
