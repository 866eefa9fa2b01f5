import { expect, test } from 'vitest'
import { type FoundTool, mergeFound, rootFinder } from './session.ts'

const found = (more: Partial<FoundTool> = {}): FoundTool => ({
  ...{ tool: 'opencode', sessions: [], elsewhere: 0, faults: [], remarks: [] },
  ...more,
})
const unread = found({ isUnread: true, remarks: ['needs Node 22.13'] })

test('two folders that cannot be read are one that cannot be read, and the reason is said once', () => {
  expect(mergeFound(unread, unread)).toMatchObject(unread)
  expect(mergeFound(unread, found()).isUnread).toBeFalsy()
})

test('two folders of a tool have the faults of both, each once', () => {
  const faults = mergeFound(found({ faults: ['a', 'b'] }), found({ faults: ['b', 'c'] })).faults
  expect(faults).toEqual(['a', 'b', 'c'])
})

test('the root of a session is the one that began its chain, and each session is looked at once', () => {
  const parents = new Map<string, string | undefined>([['0', undefined]])
  for (let number = 1; number < 50_000; number++) parents.set(`${number}`, `${number - 1}`)
  let looks = 0
  const counting = Object.assign(new Map(parents), {
    get: (id: string) => {
      looks++
      return parents.get(id)
    },
  })
  const rootOf = rootFinder(counting)
  expect(new Set([...parents.keys()].reverse().map(rootOf))).toEqual(new Set(['0']))
  expect(looks).toBe(parents.size)
})

test('sessions that started each other stand alone, and one whose starter is not known has that one', () => {
  const rootOf = rootFinder(
    new Map([
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'b'],
      ['d', 'gone'],
      ['e', 'e'],
    ]),
  )
  expect(['a', 'b', 'c', 'd', 'e'].map(rootOf)).toEqual(['b', 'b', 'c', 'gone', 'e'])
})
