import { expect, test } from 'vitest'
import { FairTurns } from './fair-turns.ts'

test('parties take turns, one task in each, however many tasks one of them has', async () => {
  const due: (() => void)[] = []
  const turns = new FairTurns({ add: (act) => due.push(act) })
  const done: string[] = []
  const tasks = ['a1', 'a2', 'a3', 'b1', 'a4', 'c1', 'c2'].map((task) =>
    turns.next(task.charAt(0)).then(() => done.push(task)),
  )
  for (const act of due) {
    const before = done.length
    act()
    await new Promise((resolve) => setImmediate(resolve))
    expect(done.length).toBe(before + 1)
  }
  await Promise.all(tasks)
  expect(done).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3', 'a4'])
})

test('long work is done in slices, and others get their turns in between', async () => {
  let clock = 0
  const due: (() => void)[] = []
  const turns = new FairTurns({ add: (act) => due.push(act) }, () => clock)
  const done: string[] = []
  function* work(party: string) {
    for (let i = 0; i < 12; i++) {
      clock += 2
      done.push(party)
      yield
    }
    return party
  }
  const both = Promise.all([turns.run('a', work('a')), turns.run('b', work('b'))])
  for (const act of due) {
    act()
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(await both).toEqual(['a', 'b'])
  const slice = (party: string) => Array.from({ length: 4 }, () => party)
  expect(done).toEqual(['a', 'b', 'a', 'b', 'a', 'b'].flatMap(slice))
})
