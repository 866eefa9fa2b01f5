import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { TaskQueue } from '../../agent-api/report.ts'

test('no more tasks than there is room for run at a time, in the order in which they came', async () => {
  const room = new TaskQueue(2)
  const started: number[] = []
  const ends: (() => void)[] = []
  const all = [0, 1, 2, 3].map((i) =>
    room.run(() => {
      started.push(i)
      return new Promise<void>((resolve) => ends.push(resolve))
    }),
  )
  await turn()
  expect([started, room.waiting]).toEqual([[0, 1], 2])
  ends[1]?.()
  await turn()
  expect([started, room.waiting]).toEqual([[0, 1, 2], 1])
  ends[0]?.()
  await turn()
  expect(started).toEqual([0, 1, 2, 3])
  for (const end of ends) end()
  await Promise.all(all)
})

test('a task that throws makes room for the next, and its error is passed on', async () => {
  const room = new TaskQueue(1)
  const failed = room.run(async () => {
    throw new Error('it broke')
  })
  const next = room.run(async () => 'next')
  await expect(failed).rejects.toThrow('it broke')
  expect(await next).toBe('next')
  expect(await room.run(async () => 'later')).toBe('later')
})
