import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { Paced } from './paced.ts'

function busy(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

test('tasks that are due at once run in their order, a few in each turn of the event loop', async () => {
  const paced = new Paced()
  const [done, doneInTurn]: [number[], number[]] = [[], []]
  for (let i = 0; i < 100; i++) {
    paced.add(() => {
      busy(0.5)
      done.push(i)
    })
  }
  for (let before = 0; done.length < 100; before = done.length) {
    await setImmediate()
    doneInTurn.push(done.length - before)
  }
  expect(done).toEqual(Array.from({ length: 100 }, (_, i) => i))
  expect(Math.max(...doneInTurn)).toBeLessThanOrEqual(5)
})

test('tasks that are added while others run, or after all have run, are run too', async () => {
  const paced = new Paced()
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
