/**
 * Runs one attempt to update the runtime through its states (moves.ts). A step returns what happened, and the table
 * picks the next state.
 */
import { join } from 'node:path'
import type { ServedRuntime } from '@svc/protocol'
import { scaledMs, wait } from '../../machine/base/time.ts'
import { checkDownload, type FetchedRelease, fetchRelease, type StepResult } from './fetch.ts'
import { move, type SelfUpdateEvent, type SelfUpdateState } from './moves.ts'
import { proveRuntimeFile } from './probe.ts'
import { verifyRelease } from './verify.ts'

interface AttemptContext {
  readonly wish: string
  readonly served: ServedRuntime | undefined
  readonly origin: string
  /** The agent's folder. */
  readonly root: string
  /** A folder for the downloaded files that only its owner can access. */
  readonly folder: string
  readonly keys: readonly string[]
  readonly signal: AbortSignal
  /**
   * True while the service still wishes this version (D31), no other version is pinned on this machine, and the runtime
   * is not being stopped.
   */
  readonly stands: () => boolean
  /**
   * Asks the launcher to put the new file in place. If the launcher refuses, returns why. Otherwise the launcher ends
   * this thread.
   */
  readonly swap: (staged: string, sha256: string) => Promise<StepResult>
}
export interface EndedAttempt {
  readonly event: SelfUpdateEvent
  readonly why: string
}

type AttemptState = Exclude<SelfUpdateState, 'idle'>

/**
 * The pause in seconds before the file and its signature are fetched once more, if the checksum or the version was not
 * the expected one. The two may have come from nodes with different builds (D37).
 */
const againSeconds = 60

export async function attemptRuntimeUpdate(a: AttemptContext): Promise<EndedAttempt> {
  let state: AttemptState = 'fetching'
  let fetched: FetchedRelease = { sha256: '' }
  let again = false
  for (;;) {
    if (!a.stands()) return { event: 'dropped', why: 'the wish was taken back' }
    const step = await runStep(state, a, fetched)
    if (state === 'fetching' && step.is === 'done') fetched = step.value as FetchedRelease
    if (step.is === 'differs' && !again) {
      again = true
      if (!(await wait(scaledMs(againSeconds), a.signal))) return { event: 'dropped', why: 'the runtime was stopped' }
      state = 'fetching'
      continue
    }
    const next: SelfUpdateState = step.is === 'differs' ? 'idle' : move(state, step.is)
    if (next === 'idle') return { event: step.is, why: step.is === 'done' ? '' : step.why }
    state = next
  }
}

async function runStep(state: AttemptState, a: AttemptContext, fetched: FetchedRelease): Promise<StepResult> {
  const staged = join(a.folder, 'svc.pyz')
  switch (state) {
    case 'fetching':
      return fetchRelease(a.origin, a.folder, a.signal)
    case 'checking':
      return checkDownload(a.folder, a.wish, fetched, a.served)
    case 'verifying': {
      const verified = await verifyRelease(a.folder, a.keys, a.signal)
      return verified.is === 'good' ? { is: 'done', value: undefined } : verified
    }
    case 'proving':
      return proveRuntimeFile(staged, a.root, a.wish, a.signal)
    default:
      return a.swap(staged, fetched.sha256)
  }
}
