/**
 * The state machine of the supervisor (supervisor.ts), as pure functions. moves.ts has the states of the agent's
 * process; this file adds pending starts, a requested end, and what is noted and logged.
 */
import { howEnded } from '../machine/process/listed.ts'
import type { ProcessState } from '../state/process-note.ts'
import { nextMark } from './clock.ts'
import {
  askLeftProcesses,
  backgroundedEvent,
  clearLeftProcesses,
  isWaitOver,
  killableLeftovers,
  lastKilledOf,
  noteUnkillable,
} from './leftovers.ts'
import { move, type ProcessEvent } from './moves.ts'
import type {
  ProcessSnapshot,
  StartOrder,
  StartOrderAnswer,
  Supervision,
  SupervisionAct,
  SupervisionEvent,
  SupervisionRules,
} from './supervised.ts'
import type { FoundState } from './take-over.ts'

export type {
  ProcessSnapshot,
  StartOrder,
  StartOrderAnswer,
  Supervision,
  SupervisionAct,
  SupervisionEvent,
  SupervisionRules,
}

interface SupervisionStep {
  readonly state: Supervision
  readonly acts: readonly SupervisionAct[]
}

export const initialSupervision = ({ unnoted: _, ...found }: FoundState): Supervision => ({
  ...found,
  life: 'on',
  start: 'none',
  child: false,
  unanswered: false,
  rotated: 0,
})

/** The state of the agent's process as others see it, including the version and the mark of the last start. */
export const shownState = ({ state, version, started }: Supervision): ProcessState => ({
  ...state,
  ...(version !== undefined && { version }),
  ...(started !== undefined && { started }),
})

export function step(
  current: Supervision,
  event: SupervisionEvent,
  rules: SupervisionRules,
  at: number,
): SupervisionStep {
  switch (event.is) {
    case 'begun': {
      const { state } = current
      const left: SupervisionAct[] =
        state.is === 'stopping' ? [{ do: 'signal', pid: state.pid, signal: 'SIGTERM' }] : []
      const noted: SupervisionAct[] = event.unnoted ? [{ do: 'note' }] : []
      return {
        state: current,
        acts: [...left, ...noted, ...sayActs(undefined, state, at), { do: 'tell' }, { do: 'ask', first: true }],
      }
    }
    case 'check':
      return current.life === 'over'
        ? { state: current, acts: [] }
        : noted(check(current, event.seen, rules, at), event.seen, at)
    case 'stop':
      return { state: { ...current, life: 'ending' }, acts: [{ do: 'check' }] }
    case 'answered':
      return afterAnswer(current, event, rules, at)
    case 'started': {
      const { pid, start, output } = event
      const wanted = current.order?.output
      const elsewhere: SupervisionAct[] =
        output === wanted ? [] : [say(`the agent's output cannot go to ${wanted}, so it goes to ${rules.output}`)]
      const fresh = { ...current, child: true, output, start: 'none', clean: false, spent: [] } as const
      const moved = apply(fresh, { is: 'started', pid, start }, rules, at)
      return { state: moved.state, acts: [...elsewhere, ...moved.acts, ...endingCheck(current)] }
    }
    case 'unstartable': {
      const exit = { error: event.error, at }
      const moved = apply({ ...current, start: 'none' }, { is: 'unstartable', exit }, rules, at)
      return { state: moved.state, acts: [...moved.acts, ...endingCheck(current)] }
    }
    case 'exit': {
      const { pid, how, remains, left = [] } = event
      if (!('pid' in current.state) || current.state.pid !== pid) return { state: current, acts: [] }
      const copy = how.code === 0 && !remains ? backgroundedEvent(current, left) : undefined
      const exit = { is: 'exit', exit: { at, ...how }, remains: remains || left.length > 0 } as const
      const moved = apply({ ...current, child: false }, copy ?? exit, rules, at)
      return { state: moved.state, acts: [...moved.acts, ...wait(moved.state, rules)] }
    }
  }
}

/** Notes the processes that are left at this check if they have been killed. */
function noted({ state, acts }: SupervisionStep, snapshot: ProcessSnapshot, at: number): SupervisionStep {
  const killed = state.clearing?.killed ?? (state.state.is === 'stopping' && state.state.killed)
  return {
    state: { ...state, lastKilled: killed ? lastKilledOf(state, killableLeftovers(state, snapshot), at) : undefined },
    acts,
  }
}

function check(before: Supervision, snapshot: ProcessSnapshot, rules: SupervisionRules, at: number): SupervisionStep {
  const end = endSeen(before, snapshot, rules, at)
  const applied = apply(before, end, rules, at)
  const stuck = noteUnkillable(applied.state, end?.is === 'gone' ? killableLeftovers(before, snapshot) : [])
  const cleared = clearLeftProcesses(stuck.state, snapshot, rules, at)
  const ended = { state: stuck.state, acts: [...applied.acts, ...stuck.acts] }
  if (cleared) return { state: cleared.state, acts: [...ended.acts, ...cleared.acts, { do: 'wait', ms: rules.hurry }] }
  return finishCheck(
    { ...ended, state: { ...ended.state, clearing: undefined, clean: !('pid' in ended.state.state) } },
    snapshot,
    rules,
    at,
  )
}

/** Finishes a check. It is not called while processes of an earlier start are being ended. */
function finishCheck(
  ended: SupervisionStep,
  snapshot: ProcessSnapshot,
  rules: SupervisionRules,
  at: number,
): SupervisionStep {
  const wanted = ended.state.life !== 'on' ? 'asked' : snapshot.paused ? 'paused' : 'run'
  const other = wanted === 'run' ? otherVersion(ended.state, snapshot, rules, at) : undefined
  const turned = other === undefined ? ended.state : { ...ended.state, turned: { to: other, at } }
  const event = { is: 'check', wanted, asked: runAsked(ended.state, snapshot), other: other !== undefined } as const
  const asked = askLeftProcesses(turned, snapshot, rules, at)
  const moved = apply(asked.state, event, rules, at)
  const due = at - moved.state.rotated >= rules.rotate
  const state = due ? { ...moved.state, rotated: at } : moved.state
  return {
    state,
    acts: [
      ...ended.acts,
      ...asked.acts,
      ...moved.acts,
      ...(due ? [{ do: 'rotate' } as const] : []),
      ...wait(state, rules),
    ],
  }
}

/** Notices that a process that is not a child of this runtime is no longer there. */
function endSeen(
  current: Supervision,
  snapshot: ProcessSnapshot,
  rules: SupervisionRules,
  at: number,
): ProcessEvent | undefined {
  const { state, child } = current
  const left = killableLeftovers(current, snapshot)
  if (child || snapshot.lives) return undefined
  if (state.is === 'running') {
    const remains = (state.start !== '' && snapshot.group) || left.length > 0
    return (state.background && backgroundedEvent(current, left)) || { is: 'exit', exit: { at }, remains }
  }
  if (state.is !== 'stopping') return undefined
  const waitIsOver = state.killed && isWaitOver(current, left, { killAt: state.killAt, at, gone: rules.gone })
  const remains = (snapshot.group || left.length > 0) && !waitIsOver
  return remains || snapshot.cleaning ? undefined : { is: 'gone', at }
}

/**
 * The version that `current` leads to, if it is not the one that was last started, so that the agent restarts (3.3).
 * Undefined for a while after a restart that did not lead to that version.
 */
function otherVersion(
  { state, version, turned }: Supervision,
  snapshot: ProcessSnapshot,
  rules: SupervisionRules,
  at: number,
) {
  if (version === undefined || state.is === 'stopping') return undefined
  const to = snapshot.leadsTo
  if (to === undefined || to === version) return undefined
  return turned?.to === to && at - turned.at < rules.again ? undefined : to
}

/**
 * True if somebody asked for a run after the last start. Such a request starts an agent that waits for its next start
 * or has ended.
 */
const runAsked = ({ state, started }: Supervision, { runAsked }: ProcessSnapshot): boolean =>
  (state.is === 'waiting' || state.is === 'stopped') && runAsked !== undefined && runAsked > Number(started ?? 0) * 1000

function afterAnswer(
  current: Supervision,
  { answer, wall, first }: Extract<SupervisionEvent, { is: 'answered' }>,
  rules: SupervisionRules,
  at: number,
): SupervisionStep {
  const answered = answer === 'silent' ? undefined : answer
  if (first) return { state: { ...current, order: current.order ?? answered }, acts: [{ do: 'check' }] }
  const order = answered ?? current.order
  const idle: Supervision = { ...current, order, start: 'none' }
  if (current.life !== 'on' || current.state.is !== 'waiting') return { state: idle, acts: endingCheck(current) }
  // The worker is slow or hangs. That says nothing about the agent, so the supervisor asks again at its next
  // check.
  if (!order && answer === 'silent')
    return {
      state: { ...idle, unanswered: true },
      acts: current.unanswered ? [] : [say('the runtime has not said yet how to start the agent; asking again')],
    }
  if (!order) {
    const exit = { error: 'the runtime could not say how to start it', at }
    return apply(idle, { is: 'unstartable', exit }, rules, at)
  }
  const started = nextMark(current.started, wall)
  const { version, output } = order
  return {
    state: { ...idle, start: 'starting', started, version, output },
    acts: [
      { do: 'note', starting: true },
      { do: 'start', order, started },
    ],
  }
}

/**
 * Applies one event to the state of the agent's process. Returns the new state and the acts that follow, such as
 * signals and log lines.
 */
function apply(
  current: Supervision,
  event: ProcessEvent | undefined,
  rules: SupervisionRules,
  at: number,
): SupervisionStep {
  if (!event) return { state: current, acts: [] }
  const { minWait, maxWait, counts } = rules
  const { restart = 'always', stopSeconds = 10 } = current.order ?? {}
  const { state, act } = move(
    current.state,
    event,
    { restart, minWait, maxWait, counts, stop: rules.stop(stopSeconds) },
    at,
  )
  const news: SupervisionAct[] =
    state === current.state ? [] : [{ do: 'note' }, ...sayActs(current.state, state, at), { do: 'tell' }]
  const asks = act === 'start' && current.start === 'none'
  const over = state.is === 'stopped' && current.life === 'ending'
  const ends = 'pid' in state && (act === 'end' || act === 'kill') ? signalActs(current, state.pid, act) : []
  return {
    state: {
      ...current,
      state,
      ...(act === 'end' && { asked: current.state.is === 'running' && current.state.background === true }),
      ...(asks && { start: 'asking' }),
      ...(over && { life: 'over' }),
    },
    acts: [...news, ...(asks ? [{ do: 'ask' } as const] : []), ...ends, ...(over ? [{ do: 'end' } as const] : [])],
  }
}

function signalActs({ state, order, started }: Supervision, pid: number, act: 'end' | 'kill'): SupervisionAct[] {
  const signal = act === 'end' ? 'SIGTERM' : 'SIGKILL'
  const all = act === 'kill' || (state.is === 'running' && state.background)
  const cleans = act === 'kill' && order?.cleanup
  return [
    { do: 'signal', pid, signal },
    ...(all ? [{ do: 'signal left', signal } as const] : []),
    ...(cleans ? [{ do: 'clean up', order, started: started ?? '' } as const] : []),
  ]
}

/** Checks the process again at once if its end was requested while its start was in progress. */
const endingCheck = ({ life }: Supervision): SupervisionAct[] => (life === 'ending' ? [{ do: 'check' }] : [])

const wait = ({ life, state }: Supervision, { interval, hurry }: SupervisionRules): SupervisionAct[] =>
  life === 'over' ? [] : [{ do: 'wait', ms: state.is === 'stopping' ? Math.min(interval, hurry) : interval }]

const say = (line: string): SupervisionAct => ({ do: 'say', line })

function sayActs(was: ProcessState | undefined, now: ProcessState, at: number): SupervisionAct[] {
  return linesOf(was, now, at).map(say)
}

function linesOf(was: ProcessState | undefined, now: ProcessState, at: number): string[] {
  switch (now.is) {
    case 'running':
      if (was?.is === 'running')
        return now.background && !was.background
          ? [`the agent ended with code 0 and left process ${now.pid} in the background; run it in the foreground`]
          : []
      return [now.adopted ? `took over the agent: process ${now.pid}` : `started the agent: process ${now.pid}`]
    case 'stopping':
      return [
        ...(was?.is === 'stopping' ? [] : [`stopping the agent: process ${now.pid}`]),
        ...(now.killed ? [`killing the agent: process ${now.pid} did not end in time`] : []),
      ]
    case 'waiting': {
      const seconds = Math.max(0, Math.round((now.startAt - at) / 100) / 10)
      return now.exit && was ? [`the agent ${howEnded(now.exit)}; it starts again in ${seconds} s`] : []
    }
    case 'stopped':
      if (was?.is === 'stopped') return []
      return [now.because === 'ended' && now.exit ? `the agent ${howEnded(now.exit)}` : 'the agent is stopped']
  }
}
