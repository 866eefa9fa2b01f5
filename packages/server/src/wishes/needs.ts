/** The svc that a version of a blueprint needs on the machine, and which agents have an older one by their reports. */
import { isTooOld, type Manifest, type NeededSvc, neededSvc } from '@svc/blueprint'
import type { AgentRow } from '../db/tables.ts'
import { attemptsIn } from './kept.ts'

/** From the manifest as it is stored. */
export const neededSvcOf = (manifest: string): NeededSvc | undefined => neededSvc(JSON.parse(manifest) as Manifest)

/** Why a version must not be named for an agent; undefined where its runtime is new enough, or not known. */
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
