/**
 * Worker threads for work that must not affect the thread that answers reports. A thread starts with the first
 * question, answers one after another, and ends after some time without one.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { threadFile } from './installed.ts'

interface ThreadLimits {
  /** The maximum heap of the thread, in MB. */
  heapMb: number
  /** The milliseconds without a question after which the thread ends. */
  idleMs: number
}

/**
 * Returns the function that asks this thread. A question fails if the thread ends before it answers; the next one
 * starts another thread.
 */
export function threadOnDemand<Question, Answer>(
  program: Parameters<typeof threadFile>[0],
  { heapMb, idleMs }: ThreadLimits,
): (question: Question) => Promise<Answer> {
  let last: Promise<unknown> = Promise.resolve()
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  return (question) => {
    const answered = last.then(() => ask(question))
    last = answered.catch(() => {})
    return answered
  }

  async function ask(question: Question): Promise<Answer> {
    clearTimeout(idle)
    worker ??= started()
    const asked = worker
    const ended = new AbortController()
    asked.ref()
    try {
      const answer = once(asked, 'message', { signal: ended.signal }) as Promise<[Answer]>
      const exit = once(asked, 'exit', { signal: ended.signal }).then(() => {
        throw new Error(`The thread ${program} has ended.`)
      })
      asked.postMessage(question)
      const [given] = await Promise.race([answer, exit])
      return given
    } catch (error) {
      if (worker === asked) worker = undefined
      throw error
    } finally {
      ended.abort()
      asked.unref()
      idle = setTimeout(end, idleMs).unref()
    }
  }

  function started(): Worker {
    const thread = new Worker(threadFile(program), {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    })
    return thread.on('error', () => {}) // The thread's event `exit`, which follows, rejects the pending question.
  }

  function end(): void {
    worker?.terminate().catch(() => {})
    worker = undefined
  }
}
