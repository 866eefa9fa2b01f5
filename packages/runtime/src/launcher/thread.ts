/** A worker thread that runs the runtime proper from a file. */
import { Worker } from 'node:worker_threads'
import type { Stop } from '@svc/protocol'
import { messageOf } from '../machine/base/errors.ts'
import { duration, wait } from '../machine/base/time.ts'
import type { FromWorker, Start, ToWorker } from './contract.ts'

export interface Thread {
  post(message: ToWorker): void
  /** Gives the worker this many seconds to end by itself. Resolves to false if it did not. */
  leave(seconds: number, by: Stop | undefined): Promise<boolean>
  /** Ends the worker. Resolves to false if it is still in a system call. */
  terminate(): Promise<boolean>
}
interface ThreadListener {
  readonly message: (message: FromWorker) => void
  readonly error: (why: string) => void
  readonly exit: (code: number) => void
}

/**
 * The code that a worker starts with. It loads a built file with `require`, which works whatever a package.json in a
 * parent folder says, and a source file with `import`.
 */
const loader = `const { workerData: { file } } = require('node:worker_threads')
file.endsWith('.ts') ? import(require('node:url').pathToFileURL(file).href) : require(file)`

/**
 * The limits of the runtime's heap in MB, without buffers. The space for young objects is small: the runtime has few of
 * them, and V8 would never give back a larger space.
 */
const heap = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 1 }

/** The seconds after which a worker that cannot be ended, because it is in a system call, is left running. */
const endSeconds = 5

export function startThread(start: Start, { message, error, exit }: ThreadListener): Thread {
  const worker = new Worker(loader, { eval: true, workerData: start, execArgv: [], argv: [], resourceLimits: heap })
  const over = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  worker.on('message', message)
  worker.on('error', (why: unknown) => error(messageOf(why)))
  worker.once('exit', exit)
  const post = (message: ToWorker): void => worker.postMessage(message)
  return {
    post,
    leave: (seconds, by) => {
      post({ is: 'stop', ...(by && { by }) })
      return within(duration(seconds), over)
    },
    terminate: () => within(Math.max(duration(endSeconds), 500), worker.terminate()),
  }
}

/** Resolves to true if the promise is fulfilled within this many milliseconds, and otherwise to false. */
const within = (ms: number, what: Promise<unknown>): Promise<boolean> =>
  Promise.race([what.then(() => true), wait(ms, new AbortController().signal).then(() => false)])
