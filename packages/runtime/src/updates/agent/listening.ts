/**
 * Decides when an update that the service wishes starts and when it is aborted, as a state machine of pure functions.
 * moves.ts and change.ts describe the update itself.
 */
import type { ReceivedAnswer } from '@svc/protocol'
import type { Moment } from '../../machine/base/time.ts'
import { plainHint } from '../../machine/hint.ts'
import type { ProcessState } from '../../state/process-note.ts'
import type { VersionRef } from '../../state/versions/version-ref.ts'
import type { UpdateStepResult } from './change.ts'
import type { Update } from './journal.ts'
import { judgeBlueprintWish, liftsHold, type WishVerdict } from './wish.ts'

/** The facts about wishes that the runtime remembers between two answers of the service. */
export interface ListeningState {
  /** The state of the update as the journal has it. */
  readonly update: Update
  /** The version that the last answer of the service wished. */
  readonly desired?: ReceivedAnswer['desired'] | undefined
  /** The verdict on the service's wish at the last check. A verdict is logged only if it differs from the last one. */
  readonly lastVerdict: WishVerdict
  /** When the last update that the service wished was started, in milliseconds of the monotonic clock. */
  readonly began: number
  /** The version of the last update that the service wished and the runtime started. */
  readonly aim?: string
  /**
   * `deaths` counts the crashes of the agent's process since this runtime started. `exit` is the time of the last crash
   * in Unix milliseconds; that crash may have happened before this runtime started.
   */
  readonly deaths: number
  readonly exit?: number | undefined
}
export type ListeningEvent =
  | { readonly is: 'answer'; readonly desired: ReceivedAnswer['desired'] }
  | { readonly is: 'process'; readonly state: ProcessState }
  /** No update is in progress, although a version may be watched, so an update can be started. */
  | { readonly is: 'idle' }
  /**
   * The answer to the act `check disk`. `busy`: the runtime is being updated. `here`: the previous version is on the
   * disk.
   */
  | { readonly is: 'seen'; readonly busy: boolean; readonly here: boolean }
  | { readonly is: 'changed'; readonly update: Update }
  | { readonly is: 'unsaved'; readonly why: string }

export type ListeningAct =
  | { readonly do: 'say'; readonly line: string }
  /** Writes the journal. The event `unsaved` follows if the disk refuses. */
  | { readonly do: 'save' }
  /** Writes the journal again after a pause. */
  | { readonly do: 'save later' }
  /** Checks on the disk whether an update can start. The event `seen` follows. */
  | { readonly do: 'check disk'; readonly previous: VersionRef | undefined }
  | { readonly do: 'begin'; readonly came: UpdateStepResult }
  /** Aborts the update in progress. After the swap, and if no update is in progress, this has no effect. */
  | { readonly do: 'abort' }

export interface ListeningRules {
  readonly blueprint: string
  /** The minimum milliseconds between the starts of two updates that the service wishes, even to different versions. */
  readonly minApart: number
  /** The factor (SVC_TIME_SCALE) by which stored waits and the day of D29 are shortened. */
  readonly scale: number
  /** Why this process cannot restart the agent with another version; undefined if it can. */
  readonly cannot?: string | undefined
}
interface ListeningStep {
  readonly state: ListeningState
  readonly acts: readonly ListeningAct[]
}

export const initialListening = (update: Update, process: ProcessState): ListeningState => ({
  update,
  lastVerdict: 'none',
  began: Number.NEGATIVE_INFINITY,
  deaths: 0,
  exit: exitAt(process),
})

export function step(current: ListeningState, event: ListeningEvent, rules: ListeningRules, at: Moment): ListeningStep {
  switch (event.is) {
    case 'answer':
      return afterAnswer({ ...current, desired: event.desired }, rules)
    case 'process': {
      const exit = exitAt(event.state)
      const died = exit !== undefined && exit !== current.exit
      return { state: { ...current, deaths: current.deaths + (died ? 1 : 0), exit: exit ?? current.exit }, acts: [] }
    }
    case 'idle':
      return whileIdle(current, rules, at)
    case 'seen':
      return seen(current, event, rules, at)
    case 'changed':
      return { state: { ...current, update: event.update }, acts: [{ do: 'save' }] }
    case 'unsaved':
      return { state: current, acts: [say(event.why), { do: 'save later' }] }
  }
}

function afterAnswer(current: ListeningState, { blueprint }: ListeningRules): ListeningStep {
  const { update, desired, aim } = current
  // If the service has withdrawn its wish, the update is aborted; after the swap, the abort is ignored (D31).
  const stands = desired?.blueprint === blueprint && desired.version === aim
  const abort: ListeningAct[] = stands ? [] : [{ do: 'abort' }]
  if (!liftsHold(desired, blueprint, update)) return { state: current, acts: abort }
  const { hold, ...rest } = update
  const line = `update to ${hold?.version} is no longer on hold`
  return { state: { ...current, update: rest }, acts: [say(line), { do: 'save' }, ...abort] }
}

const verdictOf = (
  { desired, update }: ListeningState,
  { blueprint, scale }: ListeningRules,
  { wall }: Moment,
): WishVerdict => judgeBlueprintWish(desired, { blueprint, now: update, at: wall, scale })

function whileIdle(current: ListeningState, rules: ListeningRules, at: Moment): ListeningStep {
  const verdict = verdictOf(current, rules, at)
  const state = { ...current, lastVerdict: verdict }
  const words = verdict === current.lastVerdict ? [] : wordsFor(verdict, current, rules).map(say)
  const begins = (verdict === 'wanted' || verdict === 'present') && rules.cannot === undefined
  if (!begins || at.mono - current.began < rules.minApart) return { state, acts: words }
  return { state, acts: [...words, { do: 'check disk', previous: current.update.previous }] }
}

/**
 * Starts an update to the version that the last answer named. While a version is being watched and the wish does not
 * say `now`, only a return to the previous version is started, and only if that version is on this machine (D30).
 */
function seen(
  current: ListeningState,
  { busy, here }: Extract<ListeningEvent, { is: 'seen' }>,
  rules: ListeningRules,
  at: Moment,
): ListeningStep {
  const { update, desired } = current
  const { previous, state } = update
  const version = desired?.version
  const isBack = verdictOf(current, rules, at) === 'present'
  const mayFetch = state === 'idle' || desired?.now === true
  if (busy || version === undefined || (isBack && !here && !mayFetch)) return { state: current, acts: [] }
  const result: UpdateStepResult =
    isBack && here && previous ? { event: 'present', to: previous } : { event: 'wanted', to: { version, sha256: '' } }
  return { state: { ...current, began: at.mono, aim: version }, acts: [{ do: 'begin', came: result }] }
}

function wordsFor(
  verdict: WishVerdict,
  { desired, update }: ListeningState,
  { blueprint, cannot }: ListeningRules,
): string[] {
  const wished = `update to ${desired?.version}`
  switch (verdict) {
    case 'foreign':
      return [`${wished} is of ${desired?.blueprint}, and this is ${blueprint}: ignored`]
    case 'held':
      return [`${wished} is requested, but on hold here: ${update.hold?.reason}`]
    case 'looping':
      return [`${wished} was rolled back three times in a day; "${plainHint('unhold')}" allows another try`]
    case 'wanted':
    case 'present':
      return cannot === undefined ? [] : [`${wished} is requested, but ${cannot}`]
    default:
      return []
  }
}

/** True while an update in progress has changed nothing, so that its wish can still be withdrawn. */
export const isUnsettled = ({ state }: Update): boolean => state === 'fetching' || state === 'staging'

/** The time of a crash of the agent's process; undefined if its end was requested or its exit code is 0. */
function exitAt(state: ProcessState): number | undefined {
  if (!('exit' in state) || !state.exit || state.exit.code === 0) return undefined
  const own = state.is === 'waiting' || state.because === 'ended'
  return own ? state.exit.at : undefined
}

const say = (line: string): ListeningAct => ({ do: 'say', line })
