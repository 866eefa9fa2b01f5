/**
 * Updates of the simulated fleet: the versions of its blueprint, and how an agent takes a wish for one. It tries the
 * version for a while, and then keeps it or goes back. Pure functions.
 */
import { type AppliedUpdate, isVersion } from '@svc/protocol'
import { share } from '../coder-simulated/work.mts'
import type { Member } from './members.ts'

/** The name of the blueprint of all agents of the fleet whose version is a version of a blueprint. */
export const fleetBlueprint = 'simulated-worker'

/** The version that nearly all agents keep, and the one that many roll back. */
export const goodVersion = '1.5.0'
export const badVersion = '1.6.0'
/** All versions of the blueprint, each with its description. */
export const fleetVersions: Readonly<Record<string, string>> = {
  '1.2.0': 'Simulated. It invents its work.',
  '1.3.9': 'Simulated. It invents its work.',
  '1.4.0': 'Simulated. It invents its work.',
  '1.5.0-rc.1': 'Simulated. To be tried before 1.5.0.',
  [goodVersion]: 'Simulated. Nearly all agents keep it, one of a hundred goes back.',
  [badVersion]: 'Simulated. Three of ten agents go back.',
}
const goingBack: Readonly<Record<string, number>> = { [goodVersion]: 0.01, [badVersion]: 0.3 }

/** The seconds for which an agent tries a version. */
export const trialSeconds = 15

/** The update state of an agent. Times are in Unix seconds. */
export interface UpdateState {
  readonly version: string
  /** Absent for an agent without a blueprint. */
  readonly applied?: AppliedUpdate
  readonly trial?: { readonly version: string; readonly until: number }
  /** The version that was rolled back. It is not tried again until another one is wished (D25). */
  readonly held?: string
}

/** An agent whose version is no semantic version was connected by hand, so it has no blueprint. */
export const hasBlueprint = ({ version }: Pick<Member, 'version'>): boolean => isVersion(version)

export const firstUpdateState = (member: Pick<Member, 'version'>): UpdateState => ({
  version: member.version,
  ...(hasBlueprint(member) && { applied: { version: member.version, outcome: 'ok', message: 'installed' } }),
})

/** True if this version does not work for this agent. */
export const goesBack = ({ seed }: Pick<Member, 'seed'>, version: string): boolean =>
  share(seed, 50) < (goingBack[version] ?? 0)

/** The state after an answer with this wish: a trial begins if the wish names another version that is not held. */
export function takeWish(
  state: UpdateState,
  wish: { readonly blueprint: string; readonly version: string },
  now: number,
): UpdateState {
  const { version, applied, trial, held } = state
  if (applied === undefined || trial !== undefined || wish.blueprint !== fleetBlueprint) return state
  if (wish.version === held) return state
  if (wish.version === version) return { version, applied }
  return { version, applied, trial: { version: wish.version, until: now + trialSeconds } }
}

/** The state when the time of a trial is over. Before that, and without a trial, nothing changes. */
export function endTrial(member: Pick<Member, 'seed'>, state: UpdateState, now: number): UpdateState {
  const { version, trial } = state
  if (trial === undefined || now < trial.until) return state
  const said = (what: string) => `${version} -> ${trial.version}, ${new Date(now * 1000).toISOString()}: ${what}`
  if (goesBack(member, trial.version)) {
    const message = said('simulated: the agent ended with exit code 1 two seconds after its start')
    return { version, applied: { version, outcome: 'rolled_back', message }, held: trial.version }
  }
  return { version: trial.version, applied: { version: trial.version, outcome: 'ok', message: said('updated') } }
}
