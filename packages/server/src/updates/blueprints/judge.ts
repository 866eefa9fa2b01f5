/**
 * Judges bundles in a worker thread, one after another: a bundle of 20 MB may take seconds of CPU time and 200 MB of
 * memory, which must not affect the thread that answers reports. The worker ends after some time without work.
 */
import type { BundleFinding } from '@svc/blueprint'
import { threadFile } from '../../platform/installed.ts'
import { isOutOfMemory, ThreadUnavailable, threadOnDemand } from '../../platform/threads.ts'
import type { ArrivedBundle } from './uploads.ts'

/** The facts about a valid bundle, or the findings for which it is refused. */
export type Judgement =
  | { readonly ok: true; readonly value: AcceptedBundle }
  | { readonly ok: false; readonly message: string; readonly findings: readonly BundleFinding[] }

/**
 * The facts about a valid bundle as they are stored. The JSON texts are made in the worker thread, because that takes
 * long for a large bundle.
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

/** Asks the worker thread. Its heap can be small, because the bundle and its unpacked parts are outside the heap. */
const ask = threadOnDemand<Uint8Array | ArrivedBundle, Judgement>(threadFile('judge'), {
  ...{ heapMb: 128, idleMs: 10_000, answerMs: 300_000 },
})

/**
 * Judges a bundle, given as bytes or as an open file, by the same rules as the tools and the runtime. A bundle that
 * takes too much memory to read is refused, too.
 */
export const judgeBundle = (bundle: Uint8Array | ArrivedBundle): Promise<Judgement> =>
  ask(bundle).catch((error: unknown) => {
    if (error instanceof ThreadUnavailable && isOutOfMemory(error.cause)) return tooMuch
    throw error
  })

const tooMuchMemoryText = 'takes too much memory to read'
const tooMuch: Judgement = {
  ok: false,
  message: `The bundle ${tooMuchMemoryText}`,
  findings: [{ file: '', message: tooMuchMemoryText }],
}
