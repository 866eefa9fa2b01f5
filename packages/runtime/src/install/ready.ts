/**
 * Checks before a code is spent that this machine has what the agent needs: a new enough svc, and the programs that its
 * manifest names.
 */
import { isTooOld } from '@svc/blueprint/since'
import type { InstallPreview } from '@svc/protocol'
import { ownVersion } from '../machine/base/version.ts'
import { missingNeeds, needsText, unmetNeeds } from '../machine/programs/needs.ts'

type NeededPrograms = Pick<InstallPreview, 'blueprint' | 'version' | 'needs' | 'svc'>

/** Why this svc would refuse the bundle; undefined if this svc is new enough. */
export function wrongWithSvc(
  { blueprint, version: number, svc }: NeededPrograms,
  own = ownVersion,
): string | undefined {
  if (svc === undefined || !isTooOld(own, { version: svc })) return undefined
  return `${blueprint} ${number} needs svc ${svc} or newer, and this is ${own}. Install the newer svc first.`
}

/**
 * Lines about the needed programs for the text that is printed before the person agrees to the installation. No program
 * is run at this point, so versions are not checked.
 */
export function needsLines({ needs = [] }: NeededPrograms): string[] {
  if (needs.length === 0) return []
  return [`It needs these programs: ${needsText(needs)}.`, ...missingNeeds(needs).map((line) => `  ${line}`)]
}

/** Sentences about the needed programs that are missing or too old. */
export const findUnmetNeeds = ({ needs = [] }: NeededPrograms): Promise<string[]> => unmetNeeds(needs)
