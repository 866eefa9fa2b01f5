/**
 * The state machine of the host (host.ts), as pure functions. It decides which worker is the current one, when a worker
 * counts as hung, and when the next one starts.
 */
import type { StoppedBy } from '@svc/protocol'
import type { FromWorker } from './contract.ts'
import type { StartOrder } from './supervision.ts'

interface HostedWorker {
  readonly id: number
  /** When the worker was started, by the monotonic clock. */
  readonly startedAt: number
  readonly spoke: boolean
  /**
   * The number of checks, one for each ping, since the worker's last message. Checks are counted instead of time: while
   * the machine sleeps, time passes, but the worker cannot send anything.
   */
  readonly quiet: number
  readonly pings: boolean
  /**
   * True if the launcher has asked the worker to end. From then on the launcher handles only the worker's log lines,
   * its answers about a start of the agent, and its hints that a file has changed.
   */
  readonly ending: boolean
  readonly fault?: string
}
/** The state of the host: the worker that runs, and what happened to earlier ones. */
export interface Hosting {
  /** The current worker. A worker that was given up is no longer here, even if its thread still exists. */
  readonly worker?: HostedWorker | undefined
  /** The number of workers started so far. */
  readonly started: number
  /**
   * The number of consecutive workers that ended unexpectedly. If a worker ran for more than `lasted` milliseconds
   * before it ended, the count starts again at 1.
   */
  readonly failures: number
  /** True once the whole runtime was asked to end. No worker is started after that. */
  readonly over: boolean
  /** The ids of workers that could not be ended, because they are in a system call. */
  readonly left: readonly number[]
}
/**
 * The step that follows after a worker was ended: the host has stopped (`stop`), the next worker starts (`begin`), or
 * the next worker starts and the count of failures is reset (`replace`).
 */
type NextAct = 'stop' | 'begin' | 'replace'

export type HostingEvent =
  | { readonly is: 'begin' }
  | { readonly is: 'message'; readonly id: number; readonly message: FromWorker }
  | { readonly is: 'error'; readonly id: number; readonly why: string }
  | { readonly is: 'exit'; readonly id: number; readonly code: number }
  | { readonly is: 'pulse' }
  | { readonly is: 'replace'; readonly seconds: number }
  | { readonly is: 'stop'; readonly seconds: number; readonly by?: StoppedBy | undefined }
  // The host sends the following events while it carries out acts:
  /** The worker did not end by itself in the given time. */
  | { readonly is: 'late'; readonly id: number }
  | { readonly is: 'left'; readonly id: number }
  | { readonly is: 'ended'; readonly follows: NextAct }

export type HostingAct =
  | { readonly do: 'start'; readonly id: number }
  | { readonly do: 'say'; readonly line: string }
  | { readonly do: 'hear'; readonly message: FromWorker }
  /** Passes the worker's answer to the part of the launcher that asked how the agent must be started. */
  | { readonly do: 'answer'; readonly question: number; readonly order: StartOrder | undefined }
  /**
   * Tells the keeper that the worker ended unexpectedly. The host sends the event `begin` after `seconds`, or after the
   * time that the keeper names, and the next worker starts.
   */
  | { readonly do: 'again'; readonly how: string; readonly seconds: number }
  | { readonly do: 'hung'; readonly how: string }
  | { readonly do: 'ping' }
  | { readonly do: 'pulse later' }
  /**
   * Gives a worker this many seconds to end by itself, and then ends it. The events that follow are `late` if the
   * worker did not end by itself, `left` if it could not be ended at all, and in any case `ended`.
   */
  | {
      readonly do: 'end'
      readonly id: number
      readonly seconds: number
      readonly by?: StoppedBy | undefined
      readonly follows: NextAct
    }
  /** Reports that all workers which can be ended have ended. */
  | { readonly do: 'stopped' }

interface HostingRules {
  /**
   * A worker that answers pings counts as hung after more than `unanswered` checks without a message. A worker that
   * does not answer pings counts as hung only if it has sent no message at all in more than `silent` checks.
   */
  readonly unanswered: number
  readonly silent: number
  /** A worker that ran for more than this many milliseconds does not count earlier failures: `failures` becomes 1. */
  readonly lasted: number
}
interface HostingStep {
  readonly state: Hosting
  readonly acts: readonly HostingAct[]
}

/** The state of the host before the first worker is started. */
export const noWorker: Hosting = { started: 0, failures: 0, over: false, left: [] }

/** Handles an event and returns the new state with its acts; `at` is in milliseconds by the monotonic clock. */
export function step(current: Hosting, event: HostingEvent, rules: HostingRules, at: number): HostingStep {
  switch (event.is) {
    case 'begin':
      return begin(current, at)
    case 'message':
      return afterMessage(current, event.id, event.message)
    case 'error': {
      const { worker } = current
      if (worker?.id !== event.id) return stay(current)
      return {
        state: { ...current, worker: { ...worker, fault: event.why } },
        acts: [say(`the runtime failed: ${event.why}`)],
      }
    }
    case 'exit':
      return afterExit(current, event.id, event.code, { rules, at })
    case 'pulse':
      return current.over ? stay(current) : pulse(current, rules)
    case 'replace':
      return current.worker
        ? end(current, current.worker, { ...event, follows: 'replace' })
        : begin({ ...current, failures: 0 }, at)
    case 'stop': {
      const state = { ...current, over: true }
      return current.worker
        ? end(state, current.worker, { ...event, follows: 'stop' })
        : { state, acts: [{ do: 'stopped' }] }
    }
    case 'late':
      return stay(current.worker?.id === event.id ? { ...current, worker: undefined } : current)
    case 'left': {
      const line = 'the old runtime could not be ended and is left behind'
      return { state: { ...current, left: [...current.left, event.id] }, acts: [say(line)] }
    }
    case 'ended':
      if (event.follows === 'stop') return { state: current, acts: [{ do: 'stopped' }] }
      return begin(event.follows === 'replace' ? { ...current, failures: 0 } : current, at)
  }
}

function begin(current: Hosting, at: number): HostingStep {
  if (current.worker || current.over) return stay(current)
  const id = current.started + 1
  const worker = { id, startedAt: at, spoke: false, quiet: 0, pings: false, ending: false }
  return { state: { ...current, started: id, worker }, acts: [{ do: 'start', id }] }
}

function afterMessage(current: Hosting, id: number, message: FromWorker): HostingStep {
  const { worker } = current
  if (worker?.id !== id) return stay(current) // the message is from a worker that was given up, so it is ignored
  const pings = message.is === 'here' ? message.contract >= 2 : worker.pings
  const state = { ...current, worker: { ...worker, spoke: true, quiet: 0, pings } }
  if (message.is === 'order') {
    const why = message.why === undefined || message.why === '' ? [] : [say(message.why)]
    return { state, acts: [...why, { do: 'answer', question: message.id, order: message.order }] }
  }
  if (worker.ending && message.is !== 'say' && message.is !== 'look') return stay(state)
  return { state, acts: [{ do: 'hear', message }] }
}

function afterExit(
  current: Hosting,
  id: number,
  code: number,
  { rules, at }: { rules: HostingRules; at: number },
): HostingStep {
  const { worker } = current
  const left = current.left.filter((one) => one !== id)
  if (worker?.id !== id) return stay({ ...current, left })
  const state = { ...current, left, worker: undefined }
  if (worker.ending || current.over) return stay(state)
  const failures = at - worker.startedAt > rules.lasted ? 1 : current.failures + 1
  const how = worker.fault ?? `it ended with code ${code}`
  return { state: { ...state, failures }, acts: [{ do: 'again', how, seconds: Math.min(2 ** (failures - 1), 60) }] }
}

/** Checks that the worker still sends messages. Sends the next ping, or ends a worker that hangs. */
function pulse(current: Hosting, { unanswered, silent }: HostingRules): HostingStep {
  const later: HostingAct = { do: 'pulse later' }
  if (!current.worker) return { state: current, acts: [later] }
  const worker = { ...current.worker, quiet: current.worker.quiet + 1 }
  const how = hangs(worker, unanswered, silent)
  if (how !== undefined) {
    const gone = end(current, worker, { seconds: 0, follows: 'begin' })
    return { state: gone.state, acts: [say(`ending the runtime: ${how}`), { do: 'hung', how }, ...gone.acts, later] }
  }
  return { state: { ...current, worker }, acts: worker.pings ? [{ do: 'ping' }, later] : [later] }
}

function hangs({ pings, spoke, quiet }: HostedWorker, unanswered: number, silent: number): string | undefined {
  if (pings) return quiet > unanswered ? 'it hung' : undefined
  return !spoke && quiet > silent ? 'it never said a word' : undefined
}

function end(
  current: Hosting,
  worker: HostedWorker,
  how: { seconds: number; by?: StoppedBy | undefined; follows: NextAct },
): HostingStep {
  const { seconds, by, follows } = how
  const still = seconds > 0 ? { ...worker, ending: true } : undefined
  return { state: { ...current, worker: still }, acts: [{ do: 'end', id: worker.id, seconds, by, follows }] }
}

const stay = (state: Hosting): HostingStep => ({ state, acts: [] })
const say = (line: string): HostingAct => ({ do: 'say', line })
