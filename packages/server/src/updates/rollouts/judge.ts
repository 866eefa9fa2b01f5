/**
 * Judges the agents of a rollout, and the rollout itself, from the agents' rows. Pure. A rollout proceeds while every
 * attempt ends well and otherwise halts; an attempt that failed because the service was down does not count.
 */
import type { RolloutAgentState, RolloutKind } from '@svc/api'
import { diskSpace, type Level, levelRank, missingSecrets, type Report, worstLevel } from '@svc/protocol'
import { minuteText } from '../../platform/limits/units.ts'
import { type Outage, outageBetween } from '../wishes/away.ts'
import type { HoldNote, UpdateAttempts, Wishes } from '../wishes/kept.ts'

/** The minimum milliseconds for which an agent reports a worse level before it counts as worse (D28). */
const worseMs = 10_000

/** An agent of a rollout, as its row is stored. */
export interface RolloutMember {
  agentId: string
  name: string
  wave: number
  state: RolloutAgentState
  reason: string | null
  levelBefore: Level | null
  wishedAt: number | null
  worseAt: number | null
  forgiven: boolean
}

/** The current facts about an agent, from its rows. */
export interface MemberFacts {
  wishes: Wishes
  attempts: UpdateAttempts
  /** The blueprint version that the agent runs. */
  running: string | null
  /**
   * The level in the agent's last report: null if the report has no level, undefined if the report is too old to count.
   */
  level: Level | null | undefined
  receivedAt: number | null
  silentAt: number | null
}

type JudgedMember = Pick<RolloutMember, 'state' | 'reason' | 'worseAt'>

/** True for an agent whose state in the rollout may change with its next report. */
export const isMemberMoving = ({ state }: Pick<RolloutMember, 'state'>): boolean =>
  state === 'wished' || state === 'kept'

/** Computes the state of an agent for which the version was wished. */
export function judgeMember(
  member: RolloutMember,
  { kind, version }: { kind: RolloutKind; version: string },
  facts: MemberFacts,
  away: readonly Outage[],
): JudgedMember {
  if (!isMemberMoving(member)) return member
  const outcome =
    kind === 'blueprint' ? judgeBlueprint(member, version, facts, away) : judgeRuntime(member, version, facts, away)
  if (outcome.state !== 'kept') return { worseAt: null, ...outcome }
  return withLevel(member, facts)
}

type MemberOutcome = Pick<RolloutMember, 'state' | 'reason'>
const wished: MemberOutcome = { state: 'wished', reason: null }
const kept: MemberOutcome = { state: 'kept', reason: null }
const withdrawn: MemberOutcome = { state: 'withdrawn', reason: 'Another version was requested meanwhile.' }

/**
 * Judges an attempt to update the blueprint version. If it failed while the service was down, only the download failed
 * and the agent retries it, so the attempt has not ended.
 */
function judgeBlueprint(
  member: RolloutMember,
  version: string,
  { wishes, running }: MemberFacts,
  away: readonly Outage[],
): MemberOutcome {
  const { blueprint: wish, blueprintHold: hold } = wishes
  if (running === version) return kept
  if (hold?.version === version && hold.at >= (member.wishedAt ?? 0)) {
    const spoilt = hold.outcome === 'failed' && outageBetween(away, member.wishedAt ?? 0, hold.at)
    return spoilt
      ? { ...wished, reason: 'The service was away when it tried to download the version. It will retry.' }
      : outcomeOfHold(hold)
  }
  if (member.state === 'kept') return { state: 'rolled_back', reason: `It runs ${running ?? 'another version'} again.` }
  return wish?.version === version ? wished : withdrawn
}

function judgeRuntime(
  member: RolloutMember,
  version: string,
  facts: MemberFacts,
  away: readonly Outage[],
): MemberOutcome {
  const { wishes, attempts } = facts
  const { runtime: wish, runtimeHold: hold } = wishes
  if (wish?.version === version) return wished
  if (attempts.runtime?.version === version) return kept
  if (hold?.version === version && hold.at >= (member.wishedAt ?? 0)) {
    const spoilt = outageBetween(away, hold.since ?? member.wishedAt ?? 0, hold.at)
    return spoilt ? { state: 'excused', reason: awaySays(spoilt) } : outcomeOfHold(hold)
  }
  if (member.state === 'kept') {
    return { state: 'rolled_back', reason: attempts.runtime?.applied?.message ?? 'It runs another version again.' }
  }
  return withdrawn
}

const outcomeOfHold = ({ outcome, message }: HoldNote): MemberOutcome => ({ state: outcome, reason: message })
const awaySays = ({ from, to }: Outage): string =>
  `The service was away from ${minuteText(from)} to ${minuteText(to)}, during the test.`

/** Checks whether an agent that kept the version is worse than it was when the version was wished. */
function withLevel(member: RolloutMember, { level, receivedAt }: MemberFacts): JudgedMember {
  const { levelBefore, worseAt } = member
  if (level === undefined || receivedAt === null) return { ...kept, worseAt: member.state === 'kept' ? worseAt : null }
  if (level === null || levelBefore === null || levelRank[level] <= levelRank[levelBefore])
    return { ...kept, worseAt: null }
  if (worseAt === null) return { ...kept, worseAt: receivedAt }
  if (receivedAt - worseAt < worseMs) return { ...kept, worseAt }
  return { state: 'worse', reason: `Its own level changed from ${levelBefore} to ${level}.`, worseAt }
}

/**
 * The worst level that the agent itself reports (D27). Items that the runtime adds for bindings, missing secrets and
 * the room on the disk do not count.
 */
export function ownLevel({ state, health }: Pick<Report, 'state' | 'health'>): Level | null {
  const own = (health ?? []).filter(
    ({ name }) => name !== missingSecrets && name !== diskSpace && !/^Binding [a-z][a-z0-9_]*$/.test(name ?? ''),
  )
  const levels = [state?.level, ...own.map(({ level }) => level)].filter((level) => level !== undefined)
  return levels.length === 0 ? null : worstLevel(levels)
}

/** The next step of a running rollout. */
export type RolloutStep =
  /**
   * The rollout waits. `keptAt` is the time since which the wave is watched, or null. Watching begins when at least one
   * agent has kept the version and the rollout waits for no agent any longer.
   */
  | { is: 'wait'; keptAt: number | null; for: 'agents' | 'proof' | 'watch' }
  | { is: 'halt'; why: string }
  | { is: 'next' }
  /** The rollout waits until a person starts the next wave. */
  | { is: 'ask'; why: string | null }
  | { is: 'done' }

const bad: readonly RolloutAgentState[] = ['rolled_back', 'failed', 'worse']

/** The stored facts about a rollout that decide its next step. */
export interface RolloutCourse {
  version: string
  wave: number
  waves: number
  byHand: boolean
  watchMs: number
  /** The stored time since which the wave is watched; null if it is not watched yet. */
  keptAt: number | null
}

/** The next step of a running rollout. */
export function judgeRollout(
  course: RolloutCourse,
  members: readonly RolloutMember[],
  waitsFor: readonly RolloutMember[],
  now: number,
): RolloutStep {
  const broken = members
    .filter(({ state, forgiven }) => bad.includes(state) && !forgiven)
    .sort((a, b) => a.wave - b.wave || (a.name < b.name ? -1 : 1))
  if (broken.length > 0) return { is: 'halt', why: haltedBy(course.version, broken) }
  if (waitsFor.length > 0) return { is: 'wait', keptAt: null, for: 'agents' }
  if (!members.some(({ state }) => state === 'kept')) {
    const open = members.some(({ state, wave }) => state === 'wished' && wave <= course.wave)
    if (open) return { is: 'wait', keptAt: null, for: 'proof' }
    return course.wave === course.waves ? { is: 'done' } : { is: 'ask', why: 'No agent of this wave kept the version.' }
  }
  const keptAt = course.keptAt ?? now
  if (now < keptAt + course.watchMs) return { is: 'wait', keptAt, for: 'watch' }
  if (course.wave === course.waves) return { is: 'done' }
  return course.byHand ? { is: 'ask', why: null } : { is: 'next' }
}

/**
 * True for an agent that the wave waits for: its attempt has not ended. An agent that is offline and was not offered
 * the version yet does not block the wave; it is offered the version when it reports again.
 */
export const isWaitedFor = (
  { state }: RolloutMember,
  kind: RolloutKind,
  { wishes, silentAt }: MemberFacts,
  now: number,
): boolean => {
  if (state !== 'wished') return false
  const offered = (kind === 'blueprint' ? wishes.blueprint : wishes.runtime)?.offeredAt !== undefined
  return offered || (silentAt !== null && silentAt > now)
}

function haltedBy(version: string, [first, ...more]: readonly RolloutMember[]): string {
  const what = { rolled_back: 'was rolled back', failed: 'failed', worse: 'made it worse' } as const
  const state = first?.state === 'failed' || first?.state === 'worse' ? first.state : 'rolled_back'
  const words = `On ${first?.name} ${version} ${what[state]}${first?.reason ? `: ${first.reason}` : ''}`
  return more.length === 0 ? words : `${words} (and ${more.length} more)`
}
