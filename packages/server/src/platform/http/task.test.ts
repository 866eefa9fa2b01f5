import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { Paced } from './paced.ts'
import { Turns } from './turns.ts'

test.each([
  ['turns', () => new Turns()],
  ['turns of several tasks', () => new Turns(3)],
  ['paced work', () => new Paced()],
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
