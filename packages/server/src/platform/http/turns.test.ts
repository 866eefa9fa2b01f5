import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { FairTurns, PacedWork, Turns } from './turns.ts'

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

function busy(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

test('tasks that are due at once run in their order, a few in each turn of the event loop', async () => {
  const paced = new PacedWork()
  const [done, doneInTurn]: [number[], number[]] = [[], []]
  for (let i = 0; i < 100; i++) {
    paced.add(() => {
      busy(0.5)
      done.push(i)
    })
  }
  for (let before = 0; done.length < 100; before = done.length) {
    await turn()
    doneInTurn.push(done.length - before)
  }
  expect(done).toEqual(Array.from({ length: 100 }, (_, i) => i))
  expect(Math.max(...doneInTurn)).toBeLessThanOrEqual(5)
})

test('tasks that are added while others run, or after all have run, are run too', async () => {
  const paced = new PacedWork()
  const done: string[] = []
  paced.add(() => {
    paced.add(() => done.push('second'))
    done.push('first')
  })
  await eventually('both are done', () => expect(done).toHaveLength(2), { everyMs: 1 })
  paced.add(() => done.push('third'))
  await eventually('the third is done', () => expect(done).toHaveLength(3), { everyMs: 1 })
  expect(done).toEqual(['first', 'second', 'third'])
})

test.each([
  ['turns', () => new Turns()],
  ['turns of several tasks', () => new Turns(3)],
  ['paced work', () => new PacedWork()],
])('a task that throws does not stop the queue of %s', async (_what, newQueue) => {
  const thrown = uncaught()
  const queue = newQueue()
  const done: number[] = []
  queue.add(() => {
    throw new Error('a mistake in a task')
  })
  for (const n of [1, 2]) queue.add(() => done.push(n))
  await eventually('the other tasks have run', () => expect(done).toEqual([1, 2]))
  queue.add(() => done.push(3))
  await eventually('a task added later has run', () => expect(done).toEqual([1, 2, 3]))
  await sleep(0)
  expect(thrown).toEqual(['a mistake in a task'])
})

/** Collects the messages of errors that nothing catches, in place of Vitest, until the test ends. */
function uncaught(): string[] {
  const messages: string[] = []
  const listeners = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', ({ message }) => messages.push(message))
  onTestFinished(() => {
    process.removeAllListeners('uncaughtException')
    for (const each of listeners) process.on('uncaughtException', each)
  })
  return messages
}

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
