/**
 * Runs the runtime proper in a worker thread, from the file on disk, and starts it again when it ends unasked or hangs. Which file that is
 * says the keeper, each time. The agent is not touched by any of it.
 */
import { Worker } from 'node:worker_threads'
import type { Stop } from '@svc/protocol'
import { messageOf } from '../errors.ts'
import { duration, wait } from '../time.ts'
import type { RuntimeNote } from '../versions/runtime-note.ts'
import { contract, type FromWorker, type Start, type ToWorker } from './contract.ts'
import type { ProcessState } from './moves.ts'
import type { Order } from './supervision.ts'

export interface Host {
  tell(message: ToWorker): void
  /** `silent` when the worker does not answer in time. */
  order(): Promise<Order | 'silent' | undefined>
  /** Lets the worker end by itself for so long and starts the one that is next now. */
  replace(seconds: number): Promise<void>
  /** Lets it end by itself for so long, then ends it. False when one of those that ran is in a system call still. */
  stop(seconds: number, by: Stop | undefined): Promise<boolean>
}
export interface Facts {
  readonly root: string
  readonly process: () => ProcessState
  readonly runtime: () => RuntimeNote
}
export interface Ears {
  /** The file to start a worker from; asked before each start. */
  readonly next: () => string
  readonly heard: (message: FromWorker) => void
  /** It ended unasked: how long until the next start, in seconds; undefined: the usual, longer each time. */
  readonly ended: (how: string) => number | undefined
  /** It hangs or never said anything. */
  readonly hung: (how: string) => void
  readonly say: (line: string) => void
}

/** The file is required, whatever package.json lies above it; from source it is imported. */
const loader = `const { workerData: { file } } = require('node:worker_threads')
file.endsWith('.ts') ? import(require('node:url').pathToFileURL(file).href) : require(file)`

/** Megabytes of objects that a runtime may hold; buffers are not counted. The young ones are few, and a larger place for them is never given back. */
const heap = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 1 }

/** Seconds between looks at the worker; so many looks without an answer, and it hangs; so many without a first word. */
const pulseSeconds = 5
const unansweredLooks = 6
const silentLooks = 12
/** A worker in a system call cannot be ended: after this it is left behind. */
const endSeconds = 5

interface Hosted {
  readonly worker: Worker
  readonly begun: number
  readonly over: Promise<void>
  spoke: boolean
  /** Looks in a row without a word; looks, not time: a machine that slept has not heard a worker that slept with it. */
  quiet: number
  pings: boolean
  /** It was asked to end: what it reports counts for nothing any more. */
  ending: boolean
  fault?: string
}

export function host(facts: Facts, { next, heard, ended, hung, say }: Ears): Host {
  const asking = new Map<number, (order: Order | 'silent' | undefined) => void>()
  const ending = new AbortController()
  const left = new Set<Hosted>()
  let ids = 0
  let failures = 0
  let now: Hosted | undefined

  function begin(): void {
    const file = next()
    const { root, process, runtime } = facts
    const workerData: Start = { svc: 'runtime', contract, file, root, process: process(), runtime: runtime() }
    const worker = new Worker(loader, { eval: true, workerData, execArgv: [], argv: [], resourceLimits: heap })
    const over = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    const mine: Hosted = { worker, begun: performance.now(), over, spoke: false, quiet: 0, pings: false, ending: false }
    now = mine
    worker.on('message', (message: FromWorker) => {
      if (mine === now) listen(mine, message) // else: of one that was given up
    })
    worker.on('error', (error: unknown) => {
      mine.fault = messageOf(error)
      if (mine === now) say(`the runtime failed: ${mine.fault}`)
    })
    worker.once('exit', (code) => {
      if (mine !== now) return
      now = undefined
      if (!mine.ending && !ending.signal.aborted) void again(mine, mine.fault ?? `it ended with code ${code}`)
    })
    for (const id of asking.keys()) worker.postMessage({ is: 'order?', id } satisfies ToWorker)
  }

  function listen(mine: Hosted, message: FromWorker): void {
    mine.spoke = true
    mine.quiet = 0
    if (message.is === 'here') mine.pings = message.contract >= 2
    if (mine.ending && message.is !== 'order' && message.is !== 'say' && message.is !== 'look') return
    if (message.is !== 'order') {
      heard(message)
      return
    }
    if (message.why) say(message.why)
    asking.get(message.id)?.(message.order)
    asking.delete(message.id)
  }

  async function again(mine: Hosted, how: string): Promise<void> {
    const lasted = performance.now() - mine.begun > duration(60)
    failures = lasted ? 1 : failures + 1
    const pause = ended(how) ?? Math.min(2 ** (failures - 1), 60)
    say(`the runtime ended and starts again in ${pause} s; the agent is not touched`)
    if ((await wait(duration(pause), ending.signal)) && !now) begin()
  }

  /** Ends a worker; one that does not go is left behind, and whatever it still says is not heard. */
  async function end(mine: Hosted, seconds: number, by?: Stop): Promise<void> {
    mine.ending = true
    if (seconds > 0) {
      mine.worker.postMessage({ is: 'stop', ...(by && { by }) } satisfies ToWorker)
      if (await within(duration(seconds), mine.over)) return
    }
    if (now === mine) now = undefined
    if (await within(Math.max(duration(endSeconds), 500), mine.worker.terminate())) return
    left.add(mine)
    void mine.over.then(() => left.delete(mine))
    say('the runtime that ran could not be ended, so it is left behind')
  }

  /** Whether the worker still answers. */
  function pulse(): void {
    if (ending.signal.aborted) return
    const mine = now
    if (mine) {
      mine.quiet++
      const how = mine.pings
        ? mine.quiet > unansweredLooks && 'it hung'
        : !mine.spoke && mine.quiet > silentLooks && 'it never said a word'
      if (how) void giveUp(mine, how)
      else if (mine.pings) mine.worker.postMessage({ is: 'ping' } satisfies ToWorker)
    }
    setTimeout(pulse, pulseMs()).unref()
  }

  async function giveUp(mine: Hosted, how: string): Promise<void> {
    say(`the runtime is ended: ${how}`)
    hung(how)
    await end(mine, 0)
    if (!now && !ending.signal.aborted) begin()
  }

  begin()
  setTimeout(pulse, pulseMs()).unref()
  return {
    tell: (message) => now?.worker.postMessage(message),
    order: () =>
      new Promise((resolve) => {
        const id = ++ids
        const timer = setTimeout(() => done('silent'), Math.max(duration(5), 2000))
        const done = (order: Order | 'silent' | undefined) => {
          clearTimeout(timer)
          asking.delete(id)
          resolve(order)
        }
        asking.set(id, done)
        now?.worker.postMessage({ is: 'order?', id } satisfies ToWorker)
      }),
    replace: async (seconds) => {
      if (now) await end(now, seconds)
      failures = 0
      if (!now && !ending.signal.aborted) begin()
    },
    stop: async (seconds, by) => {
      ending.abort()
      if (now) await end(now, seconds, by)
      return left.size === 0
    },
  }
}

/** However short a drill makes time: a hang is seen before the trial's five minutes are over. */
const pulseMs = () => Math.max(duration(pulseSeconds), 500)

/** Whether it comes to its end in so many milliseconds. */
const within = (ms: number, what: Promise<unknown>): Promise<boolean> =>
  Promise.race([what.then(() => true), wait(ms, new AbortController().signal).then(() => false)])
