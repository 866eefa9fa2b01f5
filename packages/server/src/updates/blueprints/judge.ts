/**
 * Judges bundles in a worker thread, one after another: a bundle of 20 MB may take seconds of CPU time and 200 MB of
 * memory, which must not affect the thread that answers reports. The worker ends after some time without work.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { BundleFinding } from '@svc/blueprint'
import { threadFile } from '../../platform/installed.ts'
import type { ArrivedBundle } from './uploads.ts'

export type Judgement =
  | { readonly ok: true; readonly value: AcceptedBundle }
  | { readonly ok: false; readonly message: string; readonly findings: readonly BundleFinding[] }

/**
 * The facts about a valid bundle as they are stored. The worker makes the JSON texts, since making them takes long for
 * a large bundle.
 */
interface AcceptedBundle {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly sha256: string
  /** The range of svc versions that can run the bundle, in words; missing if every version can. */
  readonly neededSvc?: string
  /** A sentence about something in the bundle that is allowed and probably a mistake. */
  readonly note?: string
  /** The manifest of the bundle as JSON. */
  readonly manifest: string
  /** The list of the bundle's files as JSON. */
  readonly files: string
  readonly bytes: Uint8Array
}

/** The maximum heap of the worker, in MB. The bundle and its unpacked parts are outside the heap. */
const heapMb = 128
const idleMs = 10_000

let last: Promise<unknown> = Promise.resolve()
let worker: Worker | undefined
let idle: NodeJS.Timeout | undefined

/**
 * Judges a bundle, given as bytes or as an open file, by the same rules as the tools and the runtime. A bundle that
 * takes too much memory to read is refused, too.
 */
export function judgeBundle(bundle: Uint8Array | ArrivedBundle): Promise<Judgement> {
  const judged = last.then(() => ask(bundle))
  last = judged.catch(() => {})
  return judged
}

async function ask(bundle: Uint8Array | ArrivedBundle): Promise<Judgement> {
  clearTimeout(idle)
  worker ??= started()
  const asked = worker
  const ended = new AbortController()
  asked.ref()
  try {
    const answer = once(asked, 'message', { signal: ended.signal }) as Promise<[Judgement]>
    const exit = once(asked, 'exit', { signal: ended.signal }).then(() => {
      throw new Error('The thread that judges bundles has ended.')
    })
    asked.postMessage(bundle)
    const [judgement] = await Promise.race([answer, exit])
    return judgement
  } catch (error) {
    if (worker === asked) worker = undefined
    if (isOutOfMemory(error)) return tooMuch
    throw error
  } finally {
    ended.abort()
    asked.unref()
    idle = setTimeout(end, idleMs).unref()
  }
}

function started(): Worker {
  const thread = new Worker(threadFile('judge'), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  })
  return thread.on('error', () => {}) // The worker's event `exit`, which follows, rejects the pending judgement.
}

function end(): void {
  worker?.terminate().catch(() => {})
  worker = undefined
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'

const says = 'takes too much memory to read'
const tooMuch: Judgement = { ok: false, message: `The bundle ${says}`, findings: [{ file: '', message: says }] }
