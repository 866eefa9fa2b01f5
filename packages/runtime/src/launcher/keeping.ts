/**
 * The state machine of the keeper (keeper.ts), as pure functions. trial.ts judges the trial of a new runtime file; this
 * file adds the time limit of the trial, the starts of workers, and changes that the disk refused.
 */
import type { AppliedUpdate } from '@svc/protocol'
import type { Moment } from '../machine/base/time.ts'
import type { RuntimeHold, RuntimeNote, Trial } from '../state/versions/runtime-note.ts'
import type { VersionRef } from '../state/versions/version-ref.ts'
import type { BackRequest } from './back.ts'
import { judgeTrial, type TrialEvent } from './trial.ts'

export interface Keeping {
  readonly note: RuntimeNote
  /** A description of how the last worker ended. It becomes part of the reason of a rollback. */
  readonly last: string
  /** True until this process of the launcher has started a worker. */
  readonly fresh: boolean
  /**
   * `due` is the end of the trial. `retry` is when a change that the disk refused is repeated. Both are in milliseconds
   * of the monotonic clock, and infinite if there is no such time.
   */
  readonly due: number
  readonly retry: number
  /** The time of the last handled request for the previous file, in Unix milliseconds; 0 if there was none. */
  readonly taken: number
  /**
   * True if the previous file could not be put back in place. The runtime is then started from the path of the previous
   * file.
   */
  readonly stuck: boolean
}
export type KeepingEvent =
  /**
   * A new process, such as the launcher after a kill, has found the runtime's file with the checksum `inPlace`; empty
   * if no file is on trial or the file is missing.
   */
  | { readonly is: 'found'; readonly inPlace: string }
  /** A worker is about to be started. `counted` means that `start.cjs` has already noted this start. */
  | { readonly is: 'start'; readonly counted: boolean }
  /** The start was counted, and the worker starts now. */
  | { readonly is: 'started' }
  /** A new file is about to replace the running one. */
  | { readonly is: 'swap'; readonly from: VersionRef; readonly to: VersionRef }
  /** The new file has replaced the old one. `from` and `to` are versions. */
  | { readonly is: 'swapped'; readonly from: string; readonly to: string }
  /**
   * The swap failed, and the old file is still in place. `note` is the runtime's note from before the swap. `noted` is
   * true if a note about the trial was already written to the disk; `note` then replaces it.
   */
  | { readonly is: 'unswapped'; readonly note: RuntimeNote; readonly noted: boolean }
  | { readonly is: 'attempted'; readonly applied: AppliedUpdate; readonly hold?: RuntimeHold }
  | { readonly is: 'lifted' }
  | { readonly is: 'good' }
  | { readonly is: 'ended'; readonly how: string }
  | { readonly is: 'hung'; readonly how: string }
  /** A person asked for the previous file. `inPlace` is the checksum of the file in place; empty if it is missing. */
  | ({ readonly is: 'asked'; readonly inPlace: string } & BackRequest)
  | { readonly is: 'check' }
  /** Time has passed, so the time limit of a trial may be over. */
  | { readonly is: 'time' }
  | { readonly is: 'stopped' }
  // The following events are the results of acts:
  | { readonly is: 'saved' }
  | { readonly is: 'unsaved'; readonly why: string; readonly starting: boolean }
  | { readonly is: 'restored' }
  | { readonly is: 'lost' }
  | { readonly is: 'refused'; readonly why: string }

export type KeepingAct =
  /** Saves the note about the runtime's own file. The event `saved` or `unsaved` follows. */
  | { readonly do: 'save'; readonly starting?: true }
  /** Puts the previous file back in place. The event `restored`, `lost` or `refused` follows. */
  | { readonly do: 'go back'; readonly from: VersionRef }
  | { readonly do: 'say'; readonly line: string }
  /** Sends the changed note to the worker, which includes the note's content in its reports. */
  | { readonly do: 'tell' }
  /** Ends the current worker, because another file must be started. */
  | { readonly do: 'replace' }

/** The durations that the keeper waits, in milliseconds. */
interface KeepingRules {
  /** A new runtime file must report within this time, and must then last for the same time again (3.5, 5). */
  readonly trial: number
  /** The pause before a change that the disk refused is repeated. */
  readonly retry: number
}
interface KeepingStep {
  readonly state: Keeping
  readonly acts: readonly KeepingAct[]
}

const never = Number.POSITIVE_INFINITY
export const initialKeeping = (note: RuntimeNote): Keeping => ({
  note,
  last: '',
  fresh: true,
  due: never,
  retry: never,
  taken: 0,
  stuck: false,
})

/**
 * The note about the runtime's own file as the worker reports it. A rollback that is not yet finished on the disk is
 * shown as finished.
 */
export const shownNote = ({ note }: Keeping): RuntimeNote =>
  note.trial?.is === 'undoing' ? judgeTrial(note, { is: 'restored' }, 0) : note

export function step(current: Keeping, event: KeepingEvent, rules: KeepingRules, at: Moment): KeepingStep {
  const { note } = current
  const { trial } = note
  switch (event.is) {
    case 'found':
      return withWayBack(trial ? apply(current, event, at) : stay(current))
    case 'start':
      return start(current, event.counted, at)
    case 'started':
      return stay(withTimes({ ...current, fresh: false }, rules, at))
    case 'swap':
      return stay({ ...current, note: judgeTrial(note, event, at.wall) })
    case 'swapped':
      return {
        state: { ...current, last: '' },
        acts: [say(`runtime ${event.from} -> ${event.to}: testing`)],
      }
    case 'unswapped':
      return { state: { ...current, note: event.note }, acts: event.noted ? [{ do: 'save' }] : [] }
    case 'attempted': {
      const { applied, hold } = event
      const state = { ...current, note: { ...note, applied, ...(hold && { hold }) } }
      return { state, acts: [{ do: 'save' }, say(`runtime ${applied.message}`), { do: 'tell' }] }
    }
    case 'lifted': {
      const { hold, ...rest } = note
      if (!hold) return stay(current)
      const state = { ...current, note: rest }
      return { state, acts: [{ do: 'save' }, say(`runtime ${hold.version} is no longer on hold`), { do: 'tell' }] }
    }
    case 'good': {
      if (trial?.is !== 'trying') return stay(current)
      const { state, acts } = apply(current, event, at)
      return { state: withTimes(state, rules, at), acts }
    }
    case 'ended':
      return stay({ ...current, last: event.how })
    case 'hung':
      return undo({ ...current, last: event.how }, { is: 'hung', reason: event.how }, at)
    case 'asked':
      return event.at === current.taken ? stay(current) : undo({ ...current, taken: event.at }, event, at)
    case 'check': {
      if (at.mono < current.retry) return stay(current)
      return { state: current, acts: [...(current.stuck ? wayBack(current) : []), { do: 'save' }] }
    }
    case 'time':
      return at.mono < current.due ? stay(current) : undo({ ...current, due: never }, { is: 'over' }, at)
    case 'stopped':
      return trial ? apply(current, event, at) : stay(current)
    default:
      return afterOutcome(current, event, rules, at)
  }
}

type KeepingOutcome = Extract<KeepingEvent, { is: 'saved' | 'unsaved' | 'restored' | 'lost' | 'refused' }>

function afterOutcome(current: Keeping, event: KeepingOutcome, rules: KeepingRules, at: Moment): KeepingStep {
  const later = { ...current, retry: at.mono + rules.retry }
  switch (event.is) {
    case 'saved':
      return stay(current.stuck ? current : { ...current, retry: never })
    case 'unsaved': {
      const line = say(`the note about the runtime's own file could not be written: ${event.why}`)
      // If the start of a file that has not reported yet cannot be noted, the file is not started: after a kill nobody
      // would know of the start.
      const back =
        event.starting && current.note.trial?.is === 'trying'
          ? undo(later, { is: 'hung', reason: 'a start of it could not be noted' }, at)
          : stay(later)
      return { state: back.state, acts: [line, ...back.acts] }
    }
    case 'restored':
      return apply({ ...current, stuck: false }, event, at)
    case 'lost':
      return apply(current, event, at)
    case 'refused': {
      const line = `the previous runtime could not be put back and runs from its own place: ${event.why}`
      return { state: { ...later, stuck: true }, acts: current.stuck ? [] : [say(line)] }
    }
  }
}

/** Counts a start of a file on trial, before the start is made. */
function start(current: Keeping, counted: boolean, at: Moment): KeepingStep {
  const { trial } = current.note
  if (!trial || trial.is === 'undoing') return stay(current)
  const { state, acts } = apply(current, { is: 'start', process: current.fresh, counted: current.fresh && counted }, at)
  const noted = acts.map((act): KeepingAct => (act.do === 'save' ? { ...act, starting: true } : act))
  return withWayBack({ state, acts: noted })
}

function apply(current: Keeping, event: TrialEvent, at: Moment): KeepingStep {
  const note = judgeTrial(current.note, event, at.wall, current.last)
  if (note === current.note) return stay(current)
  return {
    state: { ...current, note },
    acts: [{ do: 'save' }, ...linesOf(current.note, note).map(say), { do: 'tell' }],
  }
}

function undo(current: Keeping, event: TrialEvent, at: Moment): KeepingStep {
  const { state, acts } = apply(current, event, at)
  return state.note.trial?.is === 'undoing'
    ? { state, acts: [...acts, ...wayBack(state), { do: 'replace' }] }
    : { state, acts }
}

const withWayBack = ({ state, acts }: KeepingStep): KeepingStep => ({ state, acts: [...acts, ...wayBack(state)] })
const wayBack = ({ note: { trial } }: Keeping): KeepingAct[] =>
  trial?.is === 'undoing' ? [{ do: 'go back', from: trial.from }] : []

/**
 * Sets the end of the trial, by the monotonic clock. The end is set once for a file that has not reported. For a file
 * that has reported, it is set at the first report and again at each start.
 */
function withTimes(current: Keeping, rules: KeepingRules, at: Moment): Keeping {
  const { trial } = current.note
  if (trial?.is === 'trying' && current.due < never) return current
  return { ...current, due: trial && trial.is !== 'undoing' ? at.mono + remaining(trial, rules, at.wall) : never }
}

/** The time that is left of the five minutes of a trial. For a file that has reported, all five minutes are left. */
function remaining(trial: Exclude<Trial, { is: 'undoing' }>, rules: KeepingRules, wall: number): number {
  if (trial.is === 'kept') return rules.trial
  return Math.min(rules.trial, Math.max(0, trial.began + rules.trial - wall))
}

function linesOf(was: RuntimeNote, now: RuntimeNote): string[] {
  const { trial, applied } = now
  const back =
    trial?.is === 'undoing' && was.trial?.is !== 'undoing'
      ? [`runtime ${trial.to.version} goes back to ${trial.from.version}: ${trial.reason}`]
      : []
  return applied && applied !== was.applied ? [...back, `runtime ${applied.message}`] : back
}

const stay = (state: Keeping): KeepingStep => ({ state, acts: [] })
const say = (line: string): KeepingAct => ({ do: 'say', line })
