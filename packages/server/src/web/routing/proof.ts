/**
 * The guard of dangerous operations: the person must have signed in, or proved who they are, in the last ten minutes.
 * The descriptions of operations in packages/api say which of them need this proof.
 */
import type { Operation } from '@svc/api'
import { createMiddleware } from 'hono/factory'
import { isEvidenceFull, maxEvidence } from '../../people/audit/fold.ts'
import { type ProvingSession, proofMissing } from '../../people/factors/store.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Deps } from './deps.ts'
import type { Guard } from './guards.ts'

interface ProofRequest {
  person: { id: string }
  session: ProvingSession
  /** The workspace in which the operation is; missing for an operation on the person's own account. */
  workspace?: { id: string }
}

/** True if this use of an operation needs a proof. */
export const needsProof = (
  { proof }: Operation,
  input: unknown,
  facts: { params: Readonly<Record<string, string>>; membership: string | undefined },
): boolean => (typeof proof === 'function' ? proof(input, facts) : proof === true)

/** The name of an operation in the question for a proof: `proof.says`, or else `says` up to the first semicolon. */
export const actText = ({ says, proof }: Pick<Operation, 'says' | 'proof'>): string =>
  (typeof proof === 'function' && proof.says) || says.replace(/;.*/s, '')

const reasons = {
  old: undefined,
  'no factor': 'Prove who you are first: this session has shown no second factor. Use your app or a passkey.',
} as const

const tooManyActsText = `You have done this ${maxEvidence.toLocaleString('en-US')} times in 24 hours: wait, or ask another admin.`

/**
 * Throws if the session has no proof. In a workspace it also throws if the person has carried out the operation
 * `maxEvidence` times within a day. Operations on the person's own account have no such limit, so that nobody can lock
 * the owner out.
 */
export async function demandProof(
  { config, store, now }: Deps,
  { person, session, workspace }: ProofRequest,
  operation: Operation,
): Promise<void> {
  const missing = await proofMissing(store.db, config, person.id, session, now())
  if (missing) throw Object.assign(new Refusal('proof_required', reasons[missing]), { act: actText(operation) })
  if (workspace && (await isEvidenceFull(store.db, person.id, linesOf(operation), { now: now() })))
    throw new Refusal('rate_limited', tooManyActsText)
}

/** The kinds of lines that an operation writes to the activity. */
const linesOf = ({ change }: Operation): readonly string[] =>
  change === undefined || 'none' in change.audit ? [] : change.audit

/** The guard for a route that is written by hand. Its operation needs a proof whatever its input is. */
export function proofGuard(deps: Deps, operation: Operation): Guard {
  const { route, proof } = operation
  if (proof !== true) throw new Error(`${route} does not always need a proof.`)
  return createMiddleware(async function proofGuard(c, next) {
    await demandProof(deps, c.var, operation)
    await next()
  })
}
