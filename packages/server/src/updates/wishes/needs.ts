/** Reads which version of svc a blueprint version needs on the machine, and finds agents whose runtime is older. */
import { isTooOld, type Manifest, type NeededSvc, neededSvc } from '@svc/blueprint'
import type { AgentRow } from '../../platform/db/tables.ts'
import { attemptsIn } from './kept.ts'

/** The version of svc that a blueprint version needs, from its manifest stored as JSON. */
export const neededSvcOf = (manifest: string): NeededSvc | undefined => neededSvc(JSON.parse(manifest) as Manifest)

/**
 * The reason why an agent's runtime is too old for a blueprint version; undefined when it is new enough, or unknown.
 */
export function tooOld(
  agent: Pick<AgentRow, 'attempts'>,
  version: string,
  needed: NeededSvc,
): { code: 'svc_too_old'; message: string } | undefined {
  const runs = attemptsIn(agent.attempts).runtime?.version
  if (!isTooOld(runs, needed)) return undefined
  return {
    code: 'svc_too_old',
    message: `${version} needs svc ${needed.version} or newer, and its machine has ${runs}: update its runtime first.`,
  }
}
