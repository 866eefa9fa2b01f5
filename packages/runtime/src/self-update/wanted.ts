/** Whether a wished runtime is wanted here (3.5, 1): the contract's conditions, one a line. */
import { runtimeVersion } from '@svc/protocol'
import type { RuntimeHold } from '../versions/runtime-note.ts'

export interface WishedFacts {
  readonly running: string
  readonly pinned?: string | undefined
  readonly hold?: RuntimeHold | undefined
  /** Of the file in place. */
  readonly sha256?: string | undefined
}
type WantedVerdict = 'wanted' | 'malformed' | 'running' | 'held' | 'pinned'

export function wanted(wish: string, { running, pinned, hold, sha256 }: WishedFacts): WantedVerdict {
  if (!runtimeVersion.test(wish)) return 'malformed'
  if (wish === running) return 'running'
  if (pinned !== undefined && pinned !== wish) return 'pinned'
  return hold?.version === wish && !replaced(hold, sha256) ? 'held' : 'wanted'
}

/** The hold ends when another version is wished, or when the file in place is not the one that held. */
export const lifts = (wish: string, { hold, sha256 }: Pick<WishedFacts, 'hold' | 'sha256'>): boolean =>
  hold !== undefined && runtimeVersion.test(wish) && (hold.version !== wish || replaced(hold, sha256))

/** Whether the file in place is another one than when the hold began. */
export const replaced = (hold: RuntimeHold, sha256: string | undefined): boolean =>
  sha256 !== undefined && hold.running !== '' && hold.running !== sha256
