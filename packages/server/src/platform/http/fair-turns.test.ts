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
