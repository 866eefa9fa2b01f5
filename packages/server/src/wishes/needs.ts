/** The svc that a blueprint version needs on the machine, and which agents report an older one. */
import { isTooOld, type Manifest, type NeededSvc, neededSvc } from '@svc/blueprint'
import type { AgentRow } from '../db/tables.ts'
import { attemptsIn } from './kept.ts'

/** The svc that a version needs, read from its manifest stored as JSON. */
export const neededSvcOf = (manifest: string): NeededSvc | undefined => neededSvc(JSON.parse(manifest) as Manifest)

/** The reason why an agent cannot run a version; undefined when its runtime is new enough, or unknown. */
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
