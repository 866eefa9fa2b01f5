/**
 * The runtime's view of the agent's process (2.11): the health item `Process`, and the state if the agent does
 * not run.
 */
import type { HealthItem, Level, State } from '@svc/protocol'
import { timeText, wholeSeconds } from '../machine/base/time.ts'
import type { Halt } from '../machine/process/identity.ts'
import { howEnded } from '../machine/process/listed.ts'
import type { ProcessState } from './process-note.ts'

/** The number of consecutive crashes from which the health item `Process` is bad. */
const tooMany = 3
const clockText = (ms: number): string => timeText(wholeSeconds(ms))

/**
 * The health item `Process`. If `halt` is set, the process is suspended or a zombie, so the item does not say that it
 * runs (D65).
 */
export function processHealth(state: ProcessState, halt?: Halt): HealthItem {
  return { name: 'Process', level: levelOf(state, halt), detail: processStateSentence(state, halt) }
}

function levelOf(state: ProcessState, halt?: Halt): Level {
  switch (state.is) {
    case 'running':
      if ((halt !== undefined || state.background) && state.crashes < tooMany) return 'warn'
      return state.crashes >= tooMany ? 'bad' : state.crashes > 0 ? 'warn' : 'ok'
    case 'stopping':
      return state.because === 'ended' ? 'warn' : 'info'
    case 'waiting':
      return state.exit === undefined
        ? 'info'
        : state.exit.error !== undefined || state.crashes >= tooMany
          ? 'bad'
          : 'warn'
    case 'stopped':
      return state.because !== 'ended' || state.exit?.code === 0 ? 'info' : 'bad'
  }
}

/** Describes the state of the agent's process in one sentence. */
export function processStateSentence(state: ProcessState, halt?: Halt): string {
  switch (state.is) {
    case 'running': {
      if (halt) return halts[halt](state.pid)
      if (state.background) return inBackground(state.pid)
      const after = state.crashes > 0 ? `, after ${timesText(state.crashes)} that did not last` : ''
      const taken = state.adopted ? ', taken over from an earlier runtime' : ''
      return `Running since ${clockText(state.since)}, process ${state.pid}${taken}${after}.`
    }
    case 'stopping':
      return state.because === 'ended' && state.exit
        ? `It ${howEnded(state.exit)}; what it left running is being ended.`
        : `Process ${state.pid} is being ended; it has until ${clockText(state.killAt)}.`
    case 'waiting':
      return state.exit
        ? `It ${howEnded(state.exit)} at ${clockText(state.exit.at)}, ${timesText(state.crashes)} in a row; it starts again at ${clockText(state.startAt)}.`
        : 'It is about to start.'
    case 'stopped':
      if (state.because === 'paused') return 'Ended because the agent is paused.'
      if (state.because === 'asked') return 'Ended because svc was stopped on this machine.'
      return state.exit
        ? `It ${howEnded(state.exit)} at ${clockText(state.exit.at)}; its restart policy starts it no more.`
        : 'It has ended.'
  }
}

/** Says that the agent's program left its first process, and what a person can do about it. */
const inBackground = (pid: number): string =>
  `It put itself into the background: process ${pid} runs, but the process that svc started has ended with code 0. Run it in the foreground, for example with --no-daemon.`

const halts: Readonly<Record<Halt, (pid: number) => string>> = {
  T: (pid) => `Process ${pid} is stopped by a signal (state T): it does nothing until it is sent SIGCONT.`,
  Z: (pid) => `Process ${pid} has ended, and nobody has read how (state Z, a zombie).`,
}

/**
 * The state for a report if the agent's process does not run. It replaces the state that the agent wrote while it still
 * ran. Undefined while the process runs, and while a running process is being stopped.
 */
export function notRunning(state: ProcessState): State | undefined {
  if (state.is === 'running' || (state.is === 'stopping' && state.because !== 'ended')) return undefined
  const level = levelOf(state)
  return { level: level === 'ok' ? 'info' : level, label: 'Not running', detail: processStateSentence(state) }
}

const timesText = (n: number): string => (n === 1 ? 'once' : `${n} times`)
