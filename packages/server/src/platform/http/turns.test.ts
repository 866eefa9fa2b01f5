import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

const still = () => 0

test('tasks run one per turn, in order, and a task added later starts new turns', async () => {
  const turns = new Turns(1, still)
  const done: number[] = []
  const add = (n: number) => void turns.next().then(() => done.push(n))
  for (const n of [1, 2, 3]) add(n)
  expect(done).toEqual([])
  for (const expected of [[1], [1, 2], [1, 2, 3]]) {
    await turn()
    expect(done).toEqual(expected)
  }
  expect(turns.length).toBe(0)
  add(4)
  await turn()
  expect(done).toEqual([1, 2, 3, 4])
})

test('a task added first runs before the waiting ones, in a separate turn', async () => {
  const turns = new Turns(1, still)
  const done: string[] = []
  for (const name of ['a', 'b']) turns.add(() => done.push(name))
  turns.addFirst(() => done.push('first'))
  for (const expected of [['first'], ['first', 'a'], ['first', 'a', 'b']]) {
    await turn()
    expect(done).toEqual(expected)
  }
})

test('if a few are permitted per turn, those added meanwhile come last', async () => {
  const turns = new Turns(2, still)
  const called: number[] = []
  for (let i = 0; i < 5; i++)
    turns.add(() => {
      called.push(i)
      if (i === 0) turns.add(() => called.push(5))
    })
  expect(called).toEqual([])
  for (const expected of [
    [0, 1],
    [0, 1, 2, 3],
    [0, 1, 2, 3, 4, 5],
  ]) {
    await turn()
    expect(called).toEqual(expected)
  }
})

test('a task is postponed while other work fills the turns, but not forever', async () => {
  let time = 0
  const turns = new Turns(1, () => time)
  const done: string[] = []
  for (const name of ['a', 'b']) turns.add(() => done.push(name))
  const counts: number[] = []
  for (let i = 0; i < 11; i++) {
    time += 20
    await turn()
    counts.push(done.length)
  }
  expect(counts).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1])
  await turn()
  expect(done).toEqual(['a', 'b'])
})
