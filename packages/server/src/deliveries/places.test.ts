import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chooseChannels, type DueChannel, placesMax } from './places.ts'

const channel = (id: string, more: Partial<DueChannel> = {}): DueChannel => ({
  id,
  scope: id.split('-')[0] ?? '',
  works: true,
  dueAt: 0,
  triedAt: null,
  ...more,
})
const many = (scope: string, count: number, more: Partial<DueChannel> = {}) =>
  Array.from({ length: count }, (_, i) => channel(`${scope}-${i}`, more))
const ids = (channels: readonly DueChannel[]) => channels.map(({ id }) => id)
const failing = { works: false, triedAt: 1 } as const

test.each<[string, DueChannel[], DueChannel[], string[]]>([
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
])('%s', (_rule, due, held, chosen) => expect(ids(chooseChannels(due, held))).toEqual(chosen))

test('channels that fail get at most half of all places, however many workspaces they belong to', () => {
  const due = Array.from({ length: 100 }, (_, i) => many(`w${i}`, 5, failing)).flat()
  expect(chooseChannels(due, [])).toHaveLength(placesMax / 2)
  const works = Array.from({ length: 100 }, (_, i) => many(`g${i}`, 5)).flat()
  const chosen = chooseChannels([...due, ...works], [])
  expect(chosen).toHaveLength(placesMax)
  expect(chosen.every(({ works: is }) => is)).toBe(true)
})

test('a channel that works has a place at once, whatever the channels of up to 31 other workspaces do', () => {
  const kind = fc.constantFrom(true, false, null)
  const others = fc.array(fc.array(kind, { maxLength: 60 }), { maxLength: 31 })
  fc.assert(
    fc.property(others, (scopes) => {
      const theirs = scopes.flatMap((kinds, s) => kinds.map((works, i) => channel(`w${s}-${i}`, { works, dueAt: -1 })))
      const held = chooseChannels(theirs, [])
      expect(ids(chooseChannels([...theirs, channel('good-1')], held))).toContain('good-1')
    }),
  )
})
