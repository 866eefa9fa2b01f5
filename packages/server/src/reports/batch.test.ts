import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { newBatcher } from './batch.ts'
import { CommitUnknown, type ReportStore } from './committing.ts'
import { newMetrics } from './metrics.ts'
import type { Submission } from './rows.ts'

/** Only what waiting is counted with stands still; the event loop turns as always. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const batcherOver = (store: ReportStore, parallel = 1) =>
  newBatcher({
    store,
    metrics: newMetrics(),
    now: () => 0,
    age: () => undefined,
    committed: () => {},
    failed: () => {},
    parallel,
  })

/** A batcher over a store that refuses everything at once, and the sizes of the batches that it was given. */
function batching(parallel = 1, until: Promise<unknown> = Promise.resolve()) {
  const sizes: number[] = []
  const store: ReportStore = async (batch) => {
    sizes.push(batch.length)
    await until
    return batch.map(() => ({ ok: false, code: 'token_unknown' }))
  }
  const batcher = batcherOver(store, parallel)
  let agents = 0
  const come = (count: number, kept: boolean, { runs = 0, bytes = 0, alone = false } = {}) => {
    const report = { protocol: 1, runs: Array.from({ length: runs }, (_, i) => ({ id: `${i}` })) }
    for (let i = 0; i < count; i++)
      void batcher.submit({ agentId: `${agents++}`, report } as unknown as Submission, { kept, bytes, alone })
  }
  return { sizes, come, settled: batcher.settled }
}

const pass = async (ms: number) => {
  vi.advanceTimersByTime(ms)
  for (let i = 0; i < 3; i++) await turn()
}

test('on kept connections a batch waits no longer once as many have come as last time', async () => {
  const { sizes, come } = batching()
  come(3, true)
  await pass(0)
  expect(sizes).toEqual([])
  await pass(1)
  expect(sizes).toEqual([3])
  come(2, true)
  await pass(0)
  expect(sizes).toEqual([3])
  come(1, true)
  await pass(0)
  expect(sizes).toEqual([3, 3])
})

test('where two batches may be stored at once, the second waits for the first, but not long', async () => {
  const first = Promise.withResolvers<void>()
  const { sizes, come, settled } = batching(2, first.promise)
  come(2, true)
  await pass(1)
  come(3, true)
  await pass(4)
  expect(sizes).toEqual([2])
  await pass(1)
  expect(sizes).toEqual([2, 3])
  first.resolve()
  await settled()
})

test('a batch that waited for the one before begins when that one has ended', async () => {
  const first = Promise.withResolvers<void>()
  const { sizes, come } = batching(2, first.promise)
  come(2, true)
  await pass(1)
  come(3, true)
  await pass(1)
  first.resolve()
  await pass(0)
  expect(sizes).toEqual([2, 3])
})

test('on connections of their own it waits its whole time, so that it can grow', async () => {
  const { sizes, come, settled } = batching()
  come(2, false)
  await pass(2)
  come(2, false)
  await pass(0)
  come(1, true)
  await pass(1)
  expect(sizes).toEqual([2])
  come(1, false)
  await pass(1)
  expect(sizes).toEqual([2, 4])
  await settled()
})

test.each([
  ['128 reports', 300, {}, [128, 128, 44]],
  ['512 KB', 5, { bytes: 200 * 1024 }, [2, 2, 1]],
  ['1,000 runs', 7, { runs: 400 }, [2, 2, 2, 1]],
])('a batch ends at %s', async (_, count, each, expected) => {
  const { sizes, come, settled } = batching()
  come(count, true, each)
  await pass(1)
  await pass(1)
  await settled()
  expect(sizes).toEqual(expected)
})

test('a report that is larger than a batch may be is stored alone, and those behind it do not wait for company', async () => {
  const { sizes, come, settled } = batching()
  come(1, true, { runs: 2000 })
  come(1, true, { runs: 2000, bytes: 256 * 1024 })
  come(3, true)
  await pass(1)
  await settled()
  expect(sizes).toEqual([1, 1, 3])
})

test('a report full of new names is a batch of its own', async () => {
  const { sizes, come, settled } = batching()
  come(2, true)
  come(2, true, { alone: true })
  come(2, true)
  await pass(1)
  await settled()
  expect(sizes).toEqual([2, 1, 1, 2])
})

/** Two agents report at once, and the first of them twice, to a store that fails like this, once. */
async function failing(error: unknown) {
  const batches: string[][] = []
  const store: ReportStore = async (batch) => {
    batches.push(batch.map(({ agentId }) => agentId))
    if (batches.length === 1) throw error
    return batch.map(() => ({ ok: false, code: 'token_unknown' }))
  }
  const report = { protocol: 1 }
  const batcher = batcherOver(store)
  const answers = ['a', 'b', 'a'].map((agentId) => batcher.submit({ agentId, report } as unknown as Submission))
  for (let i = 0; i < 3; i++) await pass(2)
  return { batches, codes: (await Promise.all(answers)).map((answer) => !answer.ok && answer.code) }
}

test('a batch has one report of an agent; each is tried alone when it fails', async () => {
  const { batches, codes } = await failing(new Error('a fault'))
  expect(batches).toEqual([['a', 'b'], ['a'], ['b'], ['a']])
  expect(codes).toEqual(['token_unknown', 'token_unknown', 'token_unknown'])
})

test('a batch whose commit may have happened is not tried again, since its commands could go out twice (D1)', async () => {
  const { batches, codes } = await failing(new CommitUnknown(new Error('a fault')))
  expect(batches).toEqual([['a', 'b'], ['a']])
  expect(codes).toEqual(['unavailable', 'unavailable', 'token_unknown'])
})
