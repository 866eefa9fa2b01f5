import { expect, test } from 'vitest'
import { HashingBusy, HashQueue } from './hashing.ts'

/**
 * Makes a queue whose tasks run until the test ends them with `drain`. `done` lists the callers whose tasks were
 * started, in order.
 */
function queueOf(limits: { atOnce: number; maxWaiting: number }) {
  const queue = new HashQueue(limits)
  const done: string[] = []
  const ends: (() => void)[] = []
  const ask = (who: string, known = false, caller = who) =>
    queue
      .run({ known, caller }, async () => {
        done.push(who)
        await new Promise<void>((resolve) => ends.push(resolve))
      })
      .then(
        () => 'served' as const,
        (error) => {
          if (error instanceof HashingBusy) return 'refused' as const
          throw error
        },
      )
  /** Ends running tasks one after another until none is left. */
  const drain = async () => {
    for (let end = ends.shift(); end; end = ends.shift()) {
      end()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { queue, done, ask, drain }
}

test('as many as allowed are hashed at once, the others in order of arrival', async () => {
  const { queue, done, ask, drain } = queueOf({ atOnce: 2, maxWaiting: 10 })
  const all = ['a', 'b', 'c', 'd'].map((who) => ask(who))
  expect(done).toEqual(['a', 'b'])
  expect(queue.waiting).toBe(2)
  await drain()
  expect(await Promise.all(all)).toEqual(['served', 'served', 'served', 'served'])
  expect(done).toEqual(['a', 'b', 'c', 'd'])
})

test('a browser that signed in before goes first', async () => {
  const { done, ask, drain } = queueOf({ atOnce: 1, maxWaiting: 10 })
  const all = [ask('running'), ask('stranger'), ask('known', true)]
  await drain()
  await Promise.all(all)
  expect(done).toEqual(['running', 'known', 'stranger'])
})

test('tries beyond the limit are refused, and strangers take no room from known browsers', async () => {
  const { queue, ask, drain } = queueOf({ atOnce: 1, maxWaiting: 2 })
  const all = ['a', 'b', 'c', 'd'].map((who) => ask(who))
  expect(await all[3]).toBe('refused')
  const known = ['e', 'f', 'g'].map((who) => ask(who, true))
  expect(await known[2]).toBe('refused')
  expect(queue.waiting).toBe(4)
  await drain()
  expect(await Promise.all([...all, ...known])).toEqual([
    'served',
    'served',
    'served',
    'refused',
    'served',
    'served',
    'refused',
  ])
})

test.each([true, false])('an address with many tries gives way to an address with none (known: %s)', async (known) => {
  const { done, ask, drain } = queueOf({ atOnce: 1, maxWaiting: 3 })
  const flood = [1, 2, 3, 4].map((i) => ask(`flood ${i}`, known, 'flood'))
  const other = ask('other', known)
  expect(await flood[3]).toBe('refused')
  await drain()
  expect(await other).toBe('served')
  expect(done).toEqual(['flood 1', 'flood 2', 'other', 'flood 3'])
})

test('of many tries from one address, only the first goes before the try of another address', async () => {
  const { done, ask, drain } = queueOf({ atOnce: 1, maxWaiting: 10 })
  const all = [1, 2, 3, 4].map((i) => ask(`flood ${i}`, false, 'flood'))
  all.push(ask('other'), ask('third'), ask('other again', false, 'other'))
  await drain()
  await Promise.all(all)
  expect(done).toEqual(['flood 1', 'flood 2', 'other', 'third', 'flood 3', 'other again', 'flood 4'])
})

test('a hash that fails makes room for the next', async () => {
  const queue = new HashQueue({ atOnce: 1, maxWaiting: 1 })
  const turn = { known: false, caller: 'a' }
  const failing = queue.run(turn, async () => {
    throw new Error('out of memory')
  })
  const next = queue.run(turn, async () => 'hashed')
  await expect(failing).rejects.toThrow('out of memory')
  expect(await next).toBe('hashed')
})
