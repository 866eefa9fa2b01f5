/** Finds agents whose runtime is too old for a blueprint version, or for the field `now` in answers. */
import type { PressVerdict } from '@svc/api'
import { isTooOld, type Manifest, type NeededSvc, neededSvc } from '@svc/blueprint'
import type { AgentRow } from '../../platform/db/tables.ts'
import { readAttempts } from './kept.ts'

/** The version of svc that a blueprint version needs, from its manifest stored as JSON. */
export const neededSvcOf = (manifest: string): NeededSvc | undefined => neededSvc(JSON.parse(manifest) as Manifest)

/**
 * The reason why an agent's runtime is too old for a blueprint version; undefined when it is new enough, or unknown.
 */
export function whySvcTooOld(
  agent: Pick<AgentRow, 'attempts'>,
  version: string,
  needed: NeededSvc,
): { code: 'svc_too_old'; message: string } | undefined {
  const runs = readAttempts(agent.attempts).runtime?.version
  if (!isTooOld(runs, needed)) return undefined
  return {
    code: 'svc_too_old',
    message: `${version} needs svc ${needed.version} or newer, and its machine has ${runs}: update its runtime first.`,
  }
}

/** The first version of svc whose runtime understands `now` in a wish (2.7). */
const minVersionForNow = '0.2.0'

/**
 * The reason why an agent's runtime would ignore `now` in a wish; undefined if the runtime understands it. An agent
 * whose reports name no runtime counts as too old.
 */
export function whyTooOldForNow(
  agent: Pick<AgentRow, 'attempts'>,
): Extract<PressVerdict<'svc_too_old'>, { ok: false }> | undefined {
  const runs = readAttempts(agent.attempts).runtime?.version
  if (runs !== undefined && !isTooOld(runs, { version: minVersionForNow })) return undefined
  const has = runs === undefined ? 'its reports name none' : `its machine has ${runs}`
  const message = `Only a runtime of svc ${minVersionForNow} or newer can end a watch, and ${has}: the update has to wait.`
  return { ok: false, code: 'svc_too_old', message }
}
