/** Types for the updates of both agents and the runtime: a version, a hold, and the outcome of an attempt. */
import { type AppliedUpdate, cut, limits, type Outcome } from '@svc/protocol'
import { type Field, object, oneOf } from '@svc/protocol/fields'
import { anyText, type NoteValue, withDefaults } from '../../machine/files/note.ts'

/**
 * A version and the checksum of its file; for an agent, of its bundle. If only the name of the version's folder is
 * known, `sha256` is that name, the first 32 characters of the checksum.
 */
export const versionRef = object({ version: anyText, sha256: anyText }, 'version', 'sha256')
export type VersionRef = NoteValue<typeof versionRef>

/** A version that is not tried again until the service wishes another one or a person lifts the hold (D25; 3.5, 1). */
export const hold = withDefaults(object({ version: anyText, reason: anyText }, 'version'), { reason: '' })

const outcomes = ['ok', 'rolled_back', 'failed'] as const satisfies readonly Outcome[]
/** The outcome of the last attempt to update an agent or the runtime (2.5, 2.6). */
export const applied: Field<AppliedUpdate> = withDefaults(
  object({ version: anyText, outcome: oneOf(outcomes), message: anyText }, 'outcome'),
  { version: '', message: '' },
)

type VersionOf = Pick<VersionRef, 'version'>

/**
 * Returns the outcome of an attempt to update. Its message names both versions and the time, so that no two attempts
 * have the same message (D32, D34).
 */
export function attemptOf({
  outcome,
  works,
  from,
  to,
  at,
  reason,
}: {
  readonly outcome: Outcome
  /** The version that is in use after the attempt. */
  readonly works: VersionOf
  readonly from: VersionOf
  readonly to: VersionOf
  /** The time of the attempt, in Unix milliseconds. */
  readonly at: number
  readonly reason: string
}): AppliedUpdate {
  const message = cut(
    `${from.version} -> ${to.version}, ${new Date(at).toISOString()}: ${reason}`,
    limits.appliedMessage,
  )
  return { version: works.version, outcome, message }
}
