import { expect, test, vi } from 'vitest'
import { type Closer, closeAll, closingStages, createClosers, endMs, stopMs } from './closing.ts'

const never = () => new Promise<void>(() => {})
const silent = { warn: () => {} }

/** Closers that note when they are called. */
function noting() {
  const called: string[] = []
  const closer = (name: string, close: Closer['close'] = () => {}, limitMs = 50): Closer => ({
    name,
    limitMs,
    close: () => {
      called.push(name)
      return close()
    },
  })
  return { called, closer }
}

test('all stages together leave time for the end of the process', () => {
  const all = Object.values(closingStages).reduce((sum, ms) => sum + ms, 0)
  expect(all + endMs).toBeLessThanOrEqual(stopMs)
})

test('the parts of the service are closed by stage, in whatever order they were added', () => {
  const closers = createClosers()
  closers.add('database', 'database', () => {})
  closers.add('callers', 'requests', () => {})
  closers.add('callers', 'mails', () => {})
  expect(closers.groups().map((group) => group.map(({ name }) => name))).toEqual([
    ['requests', 'mails'],
    [],
    [],
    ['database'],
  ])
})

test('groups are closed in order, the closers of a group at the same time', async () => {
  const { called, closer } = noting()
  let ended: () => void = () => {}
  const first = new Promise<void>((resolve) => {
    ended = resolve
  })
  const all = closeAll([[closer('a', () => first), closer('b')], [closer('c')]], 60_000, silent)
  expect(called).toEqual(['a', 'b'])
  ended()
  expect(await all).toEqual([])
  expect(called).toEqual(['a', 'b', 'c'])
})

test.each<[string, Closer['close']]>([
  ['never settles', never],
  ['settles too late', () => new Promise((resolve) => setTimeout(resolve, 5_000).unref())],
  ['rejects too late', () => new Promise((_resolve, reject) => setTimeout(reject, 5_000).unref())],
])('a closer that %s is named, and the others are closed', async (_what, close) => {
  const { called, closer } = noting()
  expect(await closeAll([[closer('hangs', close), closer('beside')], [closer('after')]], 60_000, silent)).toEqual([
    'hangs',
  ])
  expect(called).toEqual(['hangs', 'beside', 'after'])
})

test.each<[string, Closer['close']]>([
  ['throws', () => { throw new Error('broken') }], // biome-ignore format: one line
  ['rejects', () => Promise.reject(new Error('broken'))],
])('a closer that %s is logged with its name, and the others are closed', async (_what, close) => {
  const { called, closer } = noting()
  const warn = vi.fn()
  expect(await closeAll([[closer('bad', close)], [closer('after')]], 60_000, { warn })).toEqual([])
  expect(warn.mock.calls).toEqual([[{ err: new Error('broken'), part: 'bad' }, expect.any(String)]])
  expect(called).toEqual(['bad', 'after'])
})

test('after the time of the whole stop every closer is still called, and none is awaited', async () => {
  const { called, closer } = noting()
  const hour = 3_600_000
  const groups = ['a', 'b', 'c'].map((name) => [closer(name, never, hour)])
  expect(await closeAll(groups, 20, silent)).toEqual(['a', 'b', 'c'])
  expect(called).toEqual(['a', 'b', 'c'])
})
