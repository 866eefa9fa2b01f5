/** Decides whether a wished runtime is wanted here (3.5, 1): the contract's conditions, one per line. */
import { runtimeVersion } from '@svc/protocol'
import type { RuntimeHold } from '../versions/runtime-note.ts'

export interface WishedFacts {
  readonly running: string
  readonly pinned?: string | undefined
  readonly hold?: RuntimeHold | undefined
  /** The checksum of the file in place. */
  readonly sha256?: string | undefined
}
type WantedVerdict = 'wanted' | 'malformed' | 'running' | 'held' | 'pinned'

export function wanted(wish: string, { running, pinned, hold, sha256 }: WishedFacts): WantedVerdict {
  if (!runtimeVersion.test(wish)) return 'malformed'
  if (wish === running) return 'running'
  if (pinned !== undefined && pinned !== wish) return 'pinned'
  return hold?.version === wish && !replaced(hold, sha256) ? 'held' : 'wanted'
}

/** True if the hold ends: another version is wished, or the file in place is not the one from when the hold began. */
export const lifts = (wish: string, { hold, sha256 }: Pick<WishedFacts, 'hold' | 'sha256'>): boolean =>
  hold !== undefined && runtimeVersion.test(wish) && (hold.version !== wish || replaced(hold, sha256))

/** True if the file in place is not the one from when the hold began. */
export const replaced = (hold: RuntimeHold, sha256: string | undefined): boolean =>
  sha256 !== undefined && hold.running !== '' && hold.running !== sha256
