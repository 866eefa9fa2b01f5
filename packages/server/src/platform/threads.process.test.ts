import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { ThreadUnavailable, threadOnDemand } from './threads.ts'

/**
 * A thread that answers each question with the same text. Before or after that it carries out the questions that are
 * named here.
 */
const program = `
  import { parentPort } from 'node:worker_threads'
  parentPort.on('message', (question) => {
    if (question === 'hang') while (true) {}
    if (question === 'end') process.exit(0)
    if (question === 'take memory') { const kept = []; while (true) kept.push(new Array(1e5).fill(0.5)) }
    if (question === 'fail') throw new Error('It failed.')
    parentPort.postMessage(question)
    if (question === 'answer, then end') setTimeout(() => process.exit(0), 10)
  })
`
const thread = (answerMs = 20_000) =>
  threadOnDemand<string, string>(new URL(`data:text/javascript,${encodeURIComponent(program)}`), {
    ...{ heapMb: 32, idleMs: 5000, answerMs },
  })

test.each(['hang', 'end', 'take memory'])(
  'a thread that is asked to %s is not available for that question, and the next one is answered',
  async (what) => {
    const ask = thread(what === 'hang' ? 2000 : undefined)
    const [failed, next] = await Promise.allSettled([ask(what), ask('hello')])
    expect(failed).toMatchObject({ status: 'rejected', reason: expect.any(ThreadUnavailable) })
    expect(next).toEqual({ status: 'fulfilled', value: 'hello' })
  },
)

test('an error that a thread throws fails its question as what it is, and the next one is answered', async () => {
  const ask = thread()
  const [failed, next] = await Promise.allSettled([ask('fail'), ask('hello')])
  expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'It failed.' } })
  expect(failed).not.toMatchObject({ reason: expect.any(ThreadUnavailable) })
  expect(next).toEqual({ status: 'fulfilled', value: 'hello' })
})

test('a thread that ends while nothing is asked is replaced', async () => {
  const ask = thread()
  const started = once(process, 'worker') as Promise<[Worker]>
  const answered = ask('answer, then end')
  const [worker] = await started
  const ended = once(worker, 'exit')
  expect(await answered).toBe('answer, then end')
  await ended
  expect(await ask('hello')).toBe('hello')
})

test('at most 64 questions wait, and further ones are refused at once', async () => {
  const ask = thread()
  const all = await Promise.allSettled(Array.from({ length: 70 }, (_, i) => ask(`${i}`)))
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(64)
  expect(all.at(-1)).toMatchObject({ status: 'rejected', reason: expect.any(ThreadUnavailable) })
  expect(await ask('hello')).toBe('hello')
})
