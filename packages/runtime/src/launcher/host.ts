/** Runs the runtime proper in a worker thread, from the file on disk, and starts it again when it ends unasked. The agent is not touched by that. */
import { Worker } from 'node:worker_threads'
import { duration, wait } from '../time.ts'
import { contract, type FromWorker, type Start, type ToWorker } from './contract.ts'
import type { ProcessState } from './moves.ts'
import type { Order } from './supervisor.ts'

export interface Host {
  tell(message: ToWorker): void
  order(): Promise<Order | undefined>
  /** Lets it end by itself for so long, then ends it. */
  stop(seconds: number): Promise<void>
}

/** The file is required, whatever package.json lies above it; from source it is imported. */
const loader = `const { workerData: { file } } = require('node:worker_threads')
file.endsWith('.ts') ? import(require('node:url').pathToFileURL(file).href) : require(file)`

/** Megabytes of objects that a runtime may hold; buffers are not counted. The young ones are few, and a larger place for them is never given back. */
const heap = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 1 }

export function host(
  file: string,
  root: string,
  process: () => ProcessState,
  { heard, say }: { heard: (message: FromWorker) => void; say: (line: string) => void },
): Host {
  const asking = new Map<number, (order: Order | undefined) => void>()
  const ending = new AbortController()
  let ids = 0
  let worker: Worker | undefined
  let failures = 0
  let over: Promise<void> = Promise.resolve()

  function begin(): void {
    const workerData: Start = { svc: 'runtime', contract, file, root, process: process() }
    const mine = new Worker(loader, { eval: true, workerData, execArgv: [], argv: [], resourceLimits: heap })
    const begun = performance.now()
    worker = mine
    mine.on('message', (message: FromWorker) => {
      if (mine !== worker) return // of one that was given up
      if (message.is === 'order') {
        if (message.why) say(message.why)
        asking.get(message.id)?.(message.order)
        asking.delete(message.id)
      } else heard(message)
    })
    mine.on('error', (error: unknown) =>
      say(`the runtime failed: ${error instanceof Error ? error.message : String(error)}`),
    )
    over = new Promise((resolve) =>
      mine.once('exit', () => {
        if (mine === worker) worker = undefined
        resolve()
        if (!ending.signal.aborted) void again(performance.now() - begun)
      }),
    )
  }

  async function again(ran: number): Promise<void> {
    failures = ran > duration(60) ? 1 : failures + 1
    const pause = Math.min(2 ** (failures - 1), 60)
    say(`the runtime ended and starts again in ${pause} s; the agent is not touched`)
    if (await wait(duration(pause), ending.signal)) begin()
  }

  begin()
  return {
    tell: (message) => worker?.postMessage(message),
    order: () =>
      new Promise((resolve) => {
        const id = ++ids
        const timer = setTimeout(() => done(undefined), Math.max(duration(5), 2000))
        const done = (order: Order | undefined) => {
          clearTimeout(timer)
          asking.delete(id)
          resolve(order)
        }
        asking.set(id, done)
        worker?.postMessage({ is: 'order?', id } satisfies ToWorker)
      }),
    stop: async (seconds) => {
      ending.abort()
      const mine = worker
      if (!mine) return
      mine.postMessage({ is: 'stop' } satisfies ToWorker)
      if (
        await Promise.race([
          over.then(() => true),
          wait(duration(seconds), new AbortController().signal).then(() => false),
        ])
      )
        return
      await Promise.race([mine.terminate(), wait(2000, new AbortController().signal)]) // one that hangs in a system call is left behind
    },
  }
}
