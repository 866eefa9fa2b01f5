/**
 * The states of the agent's process as a table (3.6), from state and event to the next state; the supervisor carries
 * out the acts. `running`: the process exists. `stopping`: it was asked to end, and is killed when its time is over.
 * `waiting`: it ended and starts again at a set time. `stopped`: nothing starts it until something changes.
 */
import type { Restart } from '@svc/blueprint'
import type { ProcessExit, ProcessState, RunningProcess, StopCause } from '../state/process-note.ts'

export type ProcessEvent =
  /**
   * `wanted: 'asked'`: the runtime was asked to end. `asked`: somebody asked for a run since the last start. `other`:
   * another version than the last started one should run.
   */
  | {
      readonly is: 'check'
      readonly wanted: 'run' | 'paused' | 'asked'
      readonly asked: boolean
      readonly other?: boolean
    }
  | {
      readonly is: 'started'
      readonly pid: number
      readonly start: string
      readonly adopted?: boolean
      readonly since?: number
    }
  | { readonly is: 'unstartable'; readonly exit: ProcessExit }
  /**
   * The program put itself into the background: its first process ended with code 0, and the process `pid` goes on
   * outside of the process group.
   */
  | { readonly is: 'backgrounded'; readonly pid: number; readonly start: string }
  /** The leader of the process group ended. `remains`: other processes of the agent still live. */
  | { readonly is: 'exit'; readonly exit: ProcessExit; readonly remains: boolean }
  /** No process of the agent is left. */
  | { readonly is: 'gone'; readonly at: number }

/** The restart policy and the durations that decide about the agent's process. */
export interface ProcessRules {
  readonly restart: Restart
  /**
   * Durations in milliseconds: the shortest and the longest wait before a start, the time after which a start counts as
   * successful, and the time that a process gets to end by itself.
   */
  readonly minWait: number
  readonly maxWait: number
  readonly counts: number
  readonly stop: number
}
interface ProcessStep {
  readonly state: ProcessState
  readonly act?: 'start' | 'end' | 'kill'
}

export function move(state: ProcessState, event: ProcessEvent, rules: ProcessRules, now: number): ProcessStep {
  switch (event.is) {
    case 'check':
      return checks[state.is](state as never, event, rules, now)
    case 'started': {
      const { pid, start, adopted = false, since = now } = event
      const crashes = state.is === 'waiting' || state.is === 'running' ? state.crashes : 0
      return { state: { is: 'running', pid, start, since, crashes, adopted } }
    }
    case 'unstartable':
      return { state: again(state, { ...event, ran: 0 }, rules, now) }
    case 'backgrounded': {
      const { pid, start } = event
      return { state: state.is === 'running' ? { ...state, pid, start, background: true } : state }
    }
    case 'exit':
      if (event.remains && state.is === 'running')
        return { state: stoppingState(state, 'ended', now + rules.stop, event.exit), act: 'end' }
      if (event.remains && state.is === 'stopping') return { state: { ...state, exit: event.exit } }
      return { state: settled(state, event.exit, rules, now) }
    case 'gone':
      return {
        state: state.is === 'stopping' ? settled(state, state.exit ?? { at: event.at }, rules, now) : state,
      }
  }
}

type StateOf<K extends ProcessState['is']> = Extract<ProcessState, { is: K }>
type CheckEvent = Extract<ProcessEvent, { is: 'check' }>
const checks: {
  [K in ProcessState['is']]: (state: StateOf<K>, check: CheckEvent, rules: ProcessRules, now: number) => ProcessStep
} = {
  running: (state, { wanted, other }, rules, now) => {
    if (wanted !== 'run') return { state: stoppingState(state, wanted, now + rules.stop), act: 'end' }
    if (other) return { state: stoppingState(state, 'replaced', now + rules.stop), act: 'end' }
    return { state: state.crashes > 0 && now - state.since >= rules.counts ? { ...state, crashes: 0 } : state }
  },
  stopping: (state, { wanted }, _rules, now) => {
    const because = wanted === 'run' || state.because === 'ended' ? state.because : wanted
    if (state.killed || now < state.killAt) return { state: because === state.because ? state : { ...state, because } }
    return { state: { ...state, because, killed: true }, act: 'kill' }
  },
  waiting: (state, { wanted, asked, other }, _rules, now) => {
    const { exit } = state
    if (wanted !== 'run') return { state: { is: 'stopped', because: wanted, ...(exit && { exit }) } }
    if (other) return { state: { is: 'waiting', crashes: 0, startAt: now }, act: 'start' }
    return asked || now >= state.startAt ? { state, act: 'start' } : { state }
  },
  stopped: (state, { wanted, asked, other }, _rules, now) => {
    const { exit } = state
    if (wanted !== 'run')
      return { state: wanted === state.because || state.because === 'ended' ? state : { ...state, because: wanted } }
    if (state.because === 'ended' && !asked && !other) return { state }
    return { state: { is: 'waiting', crashes: 0, startAt: now, ...(exit && { exit }) }, act: 'start' }
  },
}

function stoppingState(
  { pid, start, since, crashes, adopted }: RunningProcess,
  because: StopCause,
  killAt: number,
  exit?: ProcessExit,
): ProcessState {
  return {
    is: 'stopping',
    pid,
    start,
    since,
    crashes,
    adopted,
    because,
    killAt,
    ...(exit && { exit }),
  }
}

/**
 * The state after a process has ended: it starts again at once if it was ended for another version, and stays stopped
 * if the agent was paused or the runtime was stopped. Otherwise the restart policy of the manifest decides.
 */
function settled(state: ProcessState, exit: ProcessExit, rules: ProcessRules, now: number): ProcessState {
  if (state.is === 'stopping' && state.because === 'replaced') return { is: 'waiting', crashes: 0, startAt: now }
  if (state.is === 'stopping' && state.because !== 'ended') return { is: 'stopped', because: state.because, exit }
  return again(state, { exit, ran: 'since' in state ? exit.at - state.since : 0 }, rules, now)
}

/**
 * Applies the restart policy after a process that ran for `ran` milliseconds. For the policy `on-failure`, an end with
 * an unknown exit code is a failure.
 */
function again(
  state: ProcessState,
  { exit, ran }: { readonly exit: ProcessExit; readonly ran: number },
  { restart, minWait, maxWait, counts }: ProcessRules,
  now: number,
): ProcessState {
  const wanted = restart === 'always' || (restart === 'on-failure' && exit.code !== 0)
  if (!wanted) return { is: 'stopped', because: 'ended', exit }
  const before = 'crashes' in state && ran < counts ? state.crashes : 0
  return { is: 'waiting', crashes: before + 1, startAt: now + Math.min(minWait * 2 ** before, maxWait), exit }
}
