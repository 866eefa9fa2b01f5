/**
 * Worker threads for work that must not affect the thread that answers reports. A thread starts with the first
 * question, answers questions one after another, and ends after some time without a question.
 */
import { once } from 'node:events'
import { basename } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { isCode } from './errors.ts'

interface ThreadLimits {
  /** The maximum heap of the thread, in MB. */
  heapMb: number
  /** The milliseconds without a question after which the thread ends. */
  idleMs: number
  /** The milliseconds that one answer may take. A thread that takes longer is ended. */
  answerMs: number
}

/** The number of questions that may wait for one thread. */
const maxWaiting = 64

/**
 * The error of a question that a thread could not answer, for example because too many waited or the answer took too
 * long. The same question may be answered in some seconds.
 */
export class ThreadUnavailable extends Error {
  static readonly retryAfter = 5
  static readonly words = 'The service is busy. Try again in a few seconds.'
}

/**
 * Returns a function that asks the thread of this program. A question fails with `ThreadUnavailable` if too many wait,
 * if the answer takes too long, or if the thread ends or needs too much memory; an error that the program throws is
 * passed on. After a failed answer, the next question starts another thread.
 */
export function threadOnDemand<Question, Answer>(
  program: URL,
  { heapMb, idleMs, answerMs }: ThreadLimits,
): (question: Question) => Promise<Answer> {
  const name = basename(program.pathname)
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  return async (question) => {
    if (waiting >= maxWaiting) throw new ThreadUnavailable(`Too many questions wait for the thread ${name}.`)
    waiting++
    const answered = last.then(() => ask(question)).finally(() => waiting--)
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
        throw new ThreadUnavailable(`The thread ${name} ended before it answered.`)
      })
      asked.postMessage(question)
      const [given] = await Promise.race([answer, exit, tooLong(ended.signal)])
      return given
    } catch (error) {
      end(asked)
      if (!isOutOfMemory(error)) throw error
      throw new ThreadUnavailable(`The thread ${name} needs more than ${heapMb} MB.`, { cause: error })
    } finally {
      ended.abort()
      asked.unref()
      idle = setTimeout(end, idleMs, asked).unref()
    }
  }

  async function tooLong(signal: AbortSignal): Promise<never> {
    await wait(answerMs, undefined, { signal })
    throw new ThreadUnavailable(`The thread ${name} took longer than ${answerMs} ms.`)
  }

  /** Starts a thread. A thread that has ended by itself, also between two questions, is not asked again. */
  function started(): Worker {
    const thread = new Worker(program, {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    })
    // A pending question gets the error in `ask`. Between two questions, an error without a listener would end the
    // process.
    return thread.on('error', () => {}).on('exit', () => forget(thread))
  }

  function forget(thread: Worker): void {
    if (worker === thread) worker = undefined
  }

  function end(thread: Worker): void {
    forget(thread)
    thread.terminate().catch(() => {})
  }
}

/** True for the error of a thread that needs more memory than its limit. */
export const isOutOfMemory = (error: unknown): boolean => isCode(error, 'ERR_WORKER_OUT_OF_MEMORY')
