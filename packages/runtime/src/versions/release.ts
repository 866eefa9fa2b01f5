/** The words that updates of an agent and of the runtime share: a version, what holds it, and what came of an attempt. */
import { type Applied, cut, limits, type Outcome } from '@svc/protocol'
import { type Field, object, oneOf } from '@svc/protocol/fields'
import { filled, type Noted, words } from '../files/note.ts'

/** `sha256`: of an agent's version that of its bundle, by which its folder is named (of the present one perhaps only its beginning). */
export const release = object({ version: words, sha256: words }, 'version', 'sha256')
export type Release = Noted<typeof release>

/** A version that is not applied until the service names another one (D25; 3.5, 1). */
export const hold = filled(object({ version: words, reason: words }, 'version'), { reason: '' })

const outcomes = ['ok', 'rolled_back', 'failed'] as const satisfies readonly Outcome[]
/** 2.5, 2.6: the last attempt. */
export const applied: Field<Applied> = filled(
  object({ version: words, outcome: oneOf(outcomes), message: words }, 'outcome'),
  { version: '', message: '' },
)

type VersionOf = Pick<Release, 'version'>

/** What came of an attempt. D32, D34: the message names both versions and the moment, so that no two attempts have the same. */
export function attemptOf({
  outcome,
  works,
  from,
  to,
  at,
  reason,
}: {
  readonly outcome: Outcome
  /** The version that works after it. */
  readonly works: VersionOf
  readonly from: VersionOf
  readonly to: VersionOf
  /** Unix ms. */
  readonly at: number
  readonly reason: string
}): Applied {
  const message = cut(
    `${from.version} -> ${to.version}, ${new Date(at).toISOString()}: ${reason}`,
    limits.appliedMessage,
  )
  return { version: works.version, outcome, message }
}
