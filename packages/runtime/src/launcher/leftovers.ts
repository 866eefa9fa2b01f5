/**
 * Decides about processes of the agent that are not in its process group, as pure functions: when they are asked to end,
 * when they are killed, and when a program counts as one that went into the background.
 */
import type { Identity } from '../machine/process/identity.ts'
import { type AgentProcess, listed, oldest } from '../machine/process/listed.ts'
import type { ProcessEvent } from './moves.ts'
import type { ProcessSeen, Supervision, SupervisionAct, SupervisionRules } from './supervised.ts'

interface LeftoverStep {
  readonly state: Supervision
  readonly acts: readonly SupervisionAct[]
}

const say = (line: string): SupervisionAct => ({ do: 'say', line })
const stopOf = ({ order }: Supervision, rules: SupervisionRules): number => rules.stop(order?.stopSeconds ?? 10)

/** The processes that are left, without those that could not be killed. */
export const leftIn = ({ spent = [] }: Supervision, { left = [] }: ProcessSeen): readonly AgentProcess[] =>
  left.filter(({ pid, start }) => !spent.some((each) => each.pid === pid && each.start === start))

/**
 * True after a kill if nobody waits for what is left any longer. A process that starts others may have started one just
 * before its end. Such a fresh one is killed, too, and gets the same time to end, but not without a limit.
 */
export function isVain(
  now: Supervision,
  left: readonly Identity[],
  { killAt, at, gone }: { killAt: number; at: number; gone: number },
): boolean {
  if (at > killAt + freshFactor * gone) return true
  return !hasFresh(now, left) && at > Math.max(killAt, now.struck?.since ?? killAt) + gone
}

/** Notes which processes are left at a check that kills them. */
export const strike = (now: Supervision, left: readonly Identity[], at: number): Supervision['struck'] => ({
  all: left,
  since: now.struck && !hasFresh(now, left) ? now.struck.since : at,
})

/** True if one of the processes was not there at the last check, so it has not been killed yet. */
const hasFresh = ({ struck }: Supervision, left: readonly Identity[]): boolean =>
  left.some(({ pid, start }) => !struck?.all.some((each) => each.pid === pid && each.start === start))

/** The factor by which `gone` is multiplied for the limit of fresh processes. */
const freshFactor = 10

/**
 * The event for a program whose first process is gone while another process of the same start goes on: it put itself into
 * the background. Undefined if no such process is left.
 */
export function backgrounded(
  { state, life, started }: Supervision,
  left: readonly AgentProcess[],
): ProcessEvent | undefined {
  if (state.is !== 'running' || life !== 'on') return undefined
  const copy = oldest(left.filter((each) => each.started === started))
  return copy && { is: 'backgrounded', pid: copy.pid, start: copy.start }
}

/**
 * Asks the processes outside of the group to end once the group is gone, since an agent may need them for its own end. If
 * the group takes longer than half of its time, they are asked then.
 */
export function asksLeft(now: Supervision, seen: ProcessSeen, rules: SupervisionRules, at: number): LeftoverStep {
  const { state } = now
  if (state.is !== 'stopping') return { state: now, acts: [] }
  const alone = !now.child && !seen.lives && !seen.group && leftIn(now, seen).length > 0
  if (state.killed) return { state: now, acts: alone ? [{ do: 'signal left', signal: 'SIGKILL' }] : [] }
  if (now.asked || !(alone || at >= state.killAt - stopOf(now, rules) / 2)) return { state: now, acts: [] }
  return { state: { ...now, asked: true }, acts: [{ do: 'signal left', signal: 'SIGTERM' }] }
}

/** Notes which processes even a kill did not end, so that nobody waits for them any longer. */
export function givesUp(now: Supervision, left: readonly AgentProcess[]): LeftoverStep {
  if (left.length === 0) return { state: now, acts: [] }
  return {
    state: { ...now, spent: [...(now.spent ?? []), ...left] },
    acts: [say(`the agent left something that could not be ended: ${listed(left)}`)],
  }
}

/**
 * Ends what an earlier start left, while no process of the agent is supposed to run. Undefined if nothing is left, so that
 * the agent may be started.
 */
export function clears(
  now: Supervision,
  seen: ProcessSeen,
  rules: SupervisionRules,
  at: number,
): LeftoverStep | undefined {
  const left = leftIn(now, seen)
  const { clearing } = now
  if (left.length === 0 || 'pid' in now.state) return undefined
  if (!clearing) {
    const line = say(`ending what an earlier start left running: ${listed(left)}`)
    return {
      state: { ...now, clearing: { killAt: at + stopOf(now, rules) } },
      acts: [line, { do: 'signal left', signal: 'SIGTERM' }],
    }
  }
  if (at < clearing.killAt) return { state: now, acts: [] }
  if (clearing.killed && isVain(now, left, { killAt: clearing.killAt, at, gone: rules.gone }))
    return givesUp({ ...now, clearing: undefined }, left)
  return {
    state: { ...now, clearing: { ...clearing, killed: true } },
    acts: [{ do: 'signal left', signal: 'SIGKILL' }],
  }
}
