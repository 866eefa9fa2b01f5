import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLoop } from './loop.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A loop whose work ends when the test says so; `runs` counts the runs, `errors` has what failed. */
function held(ms = () => 100) {
  const errors: unknown[] = []
  const ends: { resolve: () => void; reject: (error: unknown) => void }[] = []
  const work = () => new Promise<void>((resolve, reject) => ends.push({ resolve, reject }))
  const loop = createLoop(ms, work, (error) => errors.push(error))
  const pass = (by: number) => vi.advanceTimersByTimeAsync(by)
  return { loop, ends, errors, pass }
}

test('a run begins the given time after the end of the run before, so that two never overlap', async () => {
  const { loop, ends, pass } = held()
  loop.start(10)
  await pass(10)
  expect(ends).toHaveLength(1)
  await pass(1000)
  expect(ends).toHaveLength(1)
  ends[0]?.resolve()
  await pass(99)
  expect(ends).toHaveLength(1)
  await pass(1)
  expect(ends).toHaveLength(2)
})

test('a run that fails is reported, and does not end the loop', async () => {
  const { loop, ends, errors, pass } = held()
  loop.start()
  await pass(100)
  ends[0]?.reject('broken')
  await pass(100)
  expect([errors, ends.length]).toEqual([['broken'], 2])
})

test('whoever asks for a run while one is in progress gets that one', async () => {
  const { loop, ends } = held()
  const [one, two] = [loop.run(), loop.run()]
  expect([ends.length, one === two]).toEqual([1, true])
  ends[0]?.resolve()
  await one
  void loop.run()
  expect(ends).toHaveLength(2)
})

test('the next run can be hurried, but only a loop that was started runs by itself', async () => {
  const { loop, ends, pass } = held()
  loop.hurry(5)
  await pass(1000)
  expect(ends).toHaveLength(0)
  loop.start()
  loop.hurry(5)
  await pass(5)
  expect(ends).toHaveLength(1)
  await pass(1000)
  expect(ends).toHaveLength(1)
})

test('a run that is hurried while another one is in progress begins that long after its end', async () => {
  const { loop, ends, pass } = held()
  loop.start(10)
  await pass(10)
  loop.hurry(0)
  await pass(1000)
  expect(ends).toHaveLength(1)
  ends[0]?.resolve()
  await pass(0)
  expect(ends).toHaveLength(2)
  ends[1]?.reject('broken')
  await pass(99)
  expect(ends).toHaveLength(2)
  await pass(1)
  expect(ends).toHaveLength(3)
})

test('a run that somebody asked for also moves the next one', async () => {
  const { loop, ends, pass } = held()
  loop.start()
  await pass(90)
  void loop.run()
  ends[0]?.resolve()
  await pass(99)
  expect(ends).toHaveLength(1)
  await pass(1)
  expect(ends).toHaveLength(2)
})

test('a stop waits for the run in progress, even one that fails, and no other begins', async () => {
  const { loop, ends, errors, pass } = held()
  loop.start()
  await pass(100)
  let stopped = false
  const stopping = loop.stop().then(() => {
    stopped = true
  })
  await pass(1000)
  expect(stopped).toBe(false)
  ends[0]?.reject('late')
  await stopping
  await pass(1000)
  expect([ends.length, errors]).toEqual([1, ['late']])
})
