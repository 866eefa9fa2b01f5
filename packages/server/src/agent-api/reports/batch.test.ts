import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CommitUnknown, type ReportStore, type Submission } from '../report-store/rows.ts'
import { createBatcher } from './batch.ts'
import { createMetrics } from './metrics.ts'

/** The timers with which the batcher waits are fake, but the event loop runs as usual. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const batcherOver = (store: ReportStore, parallel = 1) =>
  createBatcher({
    store,
    metrics: createMetrics(),
    now: () => 0,
    age: () => undefined,
    committed: () => {},
    failed: () => {},
    parallel,
  })

/** A batcher over a store that refuses every report at once, and the sizes of the batches that the store received. */
function batching(parallel = 1, until: Promise<unknown> = Promise.resolve()) {
  const sizes: number[] = []
  const store: ReportStore = async (batch) => {
    sizes.push(batch.length)
    await until
    return batch.map(() => ({ ok: false, code: 'token_unknown' }))
  }
  const batcher = batcherOver(store, parallel)
  let agents = 0
  const come = (count: number, from: Parameters<typeof batcher.submit>[1] = {}) => {
    const report = { protocol: 1 }
    for (let i = 0; i < count; i++)
      void batcher.submit({ agentId: `${agents++}`, report } as unknown as Submission, from)
  }
  return { sizes, come, settled: batcher.settled }
}

const pass = async (ms: number) => {
  vi.advanceTimersByTime(ms)
  for (let i = 0; i < 3; i++) await turn()
}

test('on kept connections a batch stops waiting once as many reports have arrived as last time', async () => {
  const { sizes, come } = batching()
  come(3)
  await pass(0)
  expect(sizes).toEqual([])
  await pass(1)
  expect(sizes).toEqual([3])
  come(2)
  await pass(0)
  expect(sizes).toEqual([3])
  come(1)
  await pass(0)
  expect(sizes).toEqual([3, 3])
})

test('when two batches may be stored at once, the second waits for the first, but not long', async () => {
  const first = Promise.withResolvers<void>()
  const { sizes, come, settled } = batching(2, first.promise)
  come(2)
  await pass(1)
  come(3)
  await pass(4)
  expect(sizes).toEqual([2])
  await pass(1)
  expect(sizes).toEqual([2, 3])
  first.resolve()
  await settled()
})

test('a batch is formed by what is known about each report and its connection', async () => {
  const { sizes, come, settled } = batching()
  come(1, { kept: false })
  await pass(1)
  expect(sizes).toEqual([])
  await pass(1)
  expect(sizes).toEqual([1])
  come(3, { bytes: 300 * 1024 })
  come(2, { alone: true })
  come(2)
  await pass(1)
  await settled()
  expect(sizes).toEqual([1, 1, 1, 1, 1, 1, 2])
})

/** Lets two agents report at once, the first of them twice, to a store that fails once with `error`. */
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

test('a batch has one report of an agent; after a failure each report is tried alone', async () => {
  const { batches, codes } = await failing(new Error('a fault'))
  expect(batches).toEqual([['a', 'b'], ['a'], ['b'], ['a']])
  expect(codes).toEqual(['token_unknown', 'token_unknown', 'token_unknown'])
})

test('a batch whose commit may have happened is not retried, since its commands could be delivered twice (D1)', async () => {
  const { batches, codes } = await failing(new CommitUnknown(new Error('a fault')))
  expect(batches).toEqual([['a', 'b'], ['a']])
  expect(codes).toEqual(['unavailable', 'unavailable', 'token_unknown'])
})
