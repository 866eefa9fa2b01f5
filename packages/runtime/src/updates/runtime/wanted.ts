/**
 * Decides whether this runtime wants the version that the service wishes (3.5, 1): the conditions of the contract, one
 * per line.
 */
import { runtimeVersion } from '@svc/protocol'
import type { RuntimeHold } from '../../state/versions/runtime-note.ts'

/** The facts that decide about a wish for another version of the runtime. */
export interface WishedFacts {
  readonly running: string
  readonly pinned?: string | undefined
  readonly hold?: RuntimeHold | undefined
  /** The checksum of the file that is in place. */
  readonly sha256?: string | undefined
}
type WantedVerdict = 'wanted' | 'malformed' | 'running' | 'held' | 'pinned'

export function judgeWanted(wish: string, { running, pinned, hold, sha256 }: WishedFacts): WantedVerdict {
  if (!runtimeVersion.test(wish)) return 'malformed'
  if (wish === running) return 'running'
  if (pinned !== undefined && pinned !== wish) return 'pinned'
  return hold?.version === wish && !isFileReplaced(hold, sha256) ? 'held' : 'wanted'
}

/**
 * True if a wish ends the hold: it names another version than the one on hold, or the runtime's file on this machine
 * was replaced since the hold began.
 */
export const liftsHold = (wish: string, { hold, sha256 }: Pick<WishedFacts, 'hold' | 'sha256'>): boolean =>
  hold !== undefined && runtimeVersion.test(wish) && (hold.version !== wish || isFileReplaced(hold, sha256))

/** True if the file in place is not the one that was there when the hold began. */
export const isFileReplaced = (hold: RuntimeHold, sha256: string | undefined): boolean =>
  sha256 !== undefined && hold.running !== '' && hold.running !== sha256
