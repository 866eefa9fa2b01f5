/** Whether this machine has what an agent needs, before its code is spent: a new enough svc, and the programs that its manifest names. */
import { isTooOld } from '@svc/blueprint/since'
import type { Preview } from '@svc/protocol'
import { missingNeeds, needsText, unmetNeeds } from '../programs/needs.ts'
import { version } from '../version.ts'

type Needing = Pick<Preview, 'blueprint' | 'version' | 'needs' | 'svc'>

/** Why this svc would refuse the bundle; undefined when it understands it. */
export function wrongWithSvc({ blueprint, version: number, svc }: Needing, own = version): string | undefined {
  if (svc === undefined || !isTooOld(own, { version: svc })) return undefined
  return `${blueprint} ${number} needs svc ${svc} or newer, and this is ${own}. Install the newer svc first.`
}

/** For the announcement. No program is run before somebody agreed to the installation. */
export function needsLines({ needs = [] }: Needing): string[] {
  if (needs.length === 0) return []
  return [`It needs these programs: ${needsText(needs)}.`, ...missingNeeds(needs).map((line) => `  ${line}`)]
}

/** What is missing, or too old. */
export const unmet = ({ needs = [] }: Needing): Promise<string[]> => unmetNeeds(needs)
