/**
 * Decides about processes of the agent that are not in its process group, as pure functions: when they are asked to
 * end, when they are killed, and when a program counts as one that went into the background.
 */
import type { ProcessIdentity } from '../machine/process/identity.ts'
import { type AgentProcess, oldestProcess, processNames } from '../machine/process/listed.ts'
import type { ProcessEvent } from './moves.ts'
import type { ProcessSnapshot, Supervision, SupervisionAct, SupervisionRules } from './supervised.ts'

interface LeftoverStep {
  readonly state: Supervision
  readonly acts: readonly SupervisionAct[]
}

const say = (line: string): SupervisionAct => ({ do: 'say', line })
const stopOf = ({ order }: Supervision, rules: SupervisionRules): number => rules.stop(order?.stopSeconds ?? 10)

/** The processes that are left, except those that even a kill did not end. */
export const killableLeftovers = (
  { spent = [] }: Supervision,
  { left = [] }: ProcessSnapshot,
): readonly AgentProcess[] =>
  left.filter(({ pid, start }) => !spent.some((each) => each.pid === pid && each.start === start))

/**
 * True if the time that killed processes get to end is over. A process that appears only after a kill is killed at the
 * next check and gets the same time, but the whole wait is limited.
 */
export function isWaitOver(
  current: Supervision,
  left: readonly ProcessIdentity[],
  { killAt, at, gone }: { killAt: number; at: number; gone: number },
): boolean {
  if (at > killAt + freshFactor * gone) return true
  return !hasFresh(current, left) && at > Math.max(killAt, current.lastKilled?.since ?? killAt) + gone
}

/** Returns the processes that are left at a check that kills them, and when the newest of them was first seen. */
export const lastKilledOf = (
  current: Supervision,
  left: readonly ProcessIdentity[],
  at: number,
): Supervision['lastKilled'] => ({
  all: left,
  since: current.lastKilled && !hasFresh(current, left) ? current.lastKilled.since : at,
})

/** True if one of the processes was not there at the last check, so it has not been killed yet. */
const hasFresh = ({ lastKilled }: Supervision, left: readonly ProcessIdentity[]): boolean =>
  left.some(({ pid, start }) => !lastKilled?.all.some((each) => each.pid === pid && each.start === start))

/** The limit of the whole wait, as a multiple of `gone`, the time that a killed process gets to end. */
const freshFactor = 10

/**
 * The event for a program that put itself into the background: its first process is gone, and another process of the
 * same start goes on. Undefined if no such process is left.
 */
export function backgroundedEvent(
  { state, life, started }: Supervision,
  left: readonly AgentProcess[],
): ProcessEvent | undefined {
  if (state.is !== 'running' || life !== 'on') return undefined
  const copy = oldestProcess(left.filter((each) => each.started === started))
  return copy && { is: 'backgrounded', pid: copy.pid, start: copy.start }
}

/**
 * Asks the processes outside of the group to end once the group is gone, or after half of the stop time: until then the
 * agent may need them for its own end. After a kill of the group, kills them.
 */
export function askLeftProcesses(
  current: Supervision,
  snapshot: ProcessSnapshot,
  rules: SupervisionRules,
  at: number,
): LeftoverStep {
  const { state } = current
  if (state.is !== 'stopping') return { state: current, acts: [] }
  const alone = !current.child && !snapshot.lives && !snapshot.group && killableLeftovers(current, snapshot).length > 0
  if (state.killed) return { state: current, acts: alone ? [{ do: 'signal left', signal: 'SIGKILL' }] : [] }
  if (current.asked || !(alone || at >= state.killAt - stopOf(current, rules) / 2)) return { state: current, acts: [] }
  return { state: { ...current, asked: true }, acts: [{ do: 'signal left', signal: 'SIGTERM' }] }
}

/** Notes the processes that even a kill did not end, so that the runtime no longer waits for them. */
export function noteUnkillable(current: Supervision, left: readonly AgentProcess[]): LeftoverStep {
  if (left.length === 0) return { state: current, acts: [] }
  return {
    state: { ...current, spent: [...(current.spent ?? []), ...left] },
    acts: [say(`the agent left something that could not be ended: ${processNames(left)}`)],
  }
}

/**
 * Ends the processes that an earlier start left. Undefined if none is left, so that the agent may be started, or if the
 * state names a process of the agent.
 */
export function clearLeftProcesses(
  current: Supervision,
  snapshot: ProcessSnapshot,
  rules: SupervisionRules,
  at: number,
): LeftoverStep | undefined {
  const left = killableLeftovers(current, snapshot)
  const { clearing } = current
  if (left.length === 0 || 'pid' in current.state) return undefined
  if (!clearing) {
    const line = say(`ending what an earlier start left running: ${processNames(left)}`)
    return {
      state: { ...current, clearing: { killAt: at + stopOf(current, rules) } },
      acts: [line, { do: 'signal left', signal: 'SIGTERM' }],
    }
  }
  if (at < clearing.killAt) return { state: current, acts: [] }
  if (clearing.killed && isWaitOver(current, left, { killAt: clearing.killAt, at, gone: rules.gone }))
    return noteUnkillable({ ...current, clearing: undefined }, left)
  return {
    state: { ...current, clearing: { ...clearing, killed: true } },
    acts: [{ do: 'signal left', signal: 'SIGKILL' }],
  }
}
