/**
 * Decides when an attempt to update the runtime itself starts and what follows its end, as a state machine of pure
 * functions. wanted.ts has the conditions of the contract, and moves.ts the states of one attempt.
 */
import { type AppliedUpdate, isAhead, type ServedRuntime } from '@svc/protocol'
import type { Moment } from '../../machine/base/time.ts'
import type { RuntimeHold, RuntimeNote } from '../../state/versions/runtime-note.ts'
import { attemptOf } from '../../state/versions/version-ref.ts'
import type { EndedAttempt } from './attempt.ts'
import type { AttemptNote } from './journal.ts'
import { endOutcomes } from './moves.ts'
import { judgeWanted, liftsHold } from './wanted.ts'

/** The facts about wishes for its own version that the runtime remembers between two answers. */
export interface UpdatingState {
  /** The last answer of the service; undefined before the first. */
  readonly answer?: RuntimeAnswer
  /** True if the wish in the last answer is new and was not judged yet. Only then is a refusal reported or logged. */
  readonly unjudged: boolean
  /** True if the wish is newer than the last attempt, so that it need not wait for `UpdatingRules.retry`. */
  readonly fresh: boolean
  /** True once the act `close` was carried out for the version on hold. */
  readonly closed: boolean
  /** True while an attempt is in progress. */
  readonly trying: boolean
  /** When the last attempt started, in milliseconds of the monotonic clock. */
  readonly last: number
}
interface RuntimeAnswer {
  readonly wish?: string | undefined
  readonly served?: ServedRuntime | undefined
}
/** The state of the files at the time of an answer. */
export interface RuntimeFiles {
  /** The launcher's note about the runtime's own file. */
  readonly note: RuntimeNote
  readonly attempt?: AttemptNote | undefined
  /** The checksum of the runtime's file in place; read only if a version is on hold. */
  readonly sha256?: string | undefined
  readonly pinned?: string | undefined
  /**
   * True while no swap may take place (D31): a version of the agent is neither kept nor rolled back, or a new runtime
   * is on trial.
   */
  readonly busy: boolean
}
export type UpdatingEvent =
  /** The runtime has started. `attempt` is the note about the last attempt, which may be unfinished. */
  | { readonly is: 'begun'; readonly attempt?: AttemptNote | undefined }
  | { readonly is: 'answer'; readonly answer: RuntimeAnswer; readonly seen: RuntimeFiles }
  /** The act `close` was carried out. */
  | { readonly is: 'closed' }
  /** An attempt ended. `sha256` is the checksum of the runtime's file that is in place afterwards. */
  | { readonly is: 'ended'; readonly wish: string; readonly how: EndedAttempt; readonly sha256?: string | undefined }

export type UpdatingAct =
  | { readonly do: 'say'; readonly line: string }
  /** Removes the files that an attempt left. */
  | { readonly do: 'sweep' }
  /** Writes the note about an attempt. If the disk refuses, the note is kept in memory and written later. */
  | { readonly do: 'note'; readonly attempt: AttemptNote }
  /** Notes that the service no longer wishes the version on hold. The event `closed` follows. */
  | { readonly do: 'close'; readonly attempt: AttemptNote | undefined }
  | {
      readonly do: 'tell'
      readonly message:
        | { readonly is: 'lifted' }
        | { readonly is: 'attempted'; readonly applied: AppliedUpdate; readonly hold?: RuntimeHold }
    }
  /** Makes an attempt. The event `ended` follows. */
  | { readonly do: 'try'; readonly wish: string; readonly served: ServedRuntime | undefined }

export interface UpdatingRules {
  /** The version of the running runtime. */
  readonly version: string
  /**
   * The milliseconds before an attempt is repeated for the same wish, after a failure that was not the file's fault
   * (D35).
   */
  readonly retry: number
  /** The minimum milliseconds between the starts of two attempts, whatever versions the service names. */
  readonly minApart: number
}
interface UpdatingStep {
  readonly state: UpdatingState
  readonly acts: readonly UpdatingAct[]
}

export const initialUpdating: UpdatingState = {
  unjudged: false,
  fresh: false,
  closed: false,
  trying: false,
  last: Number.NEGATIVE_INFINITY,
}

export function step(current: UpdatingState, event: UpdatingEvent, rules: UpdatingRules, at: Moment): UpdatingStep {
  switch (event.is) {
    case 'begun': {
      // An attempt in the state `swapping` ends here. If its swap happened, runtime.json names the trial; otherwise
      // nothing has changed (docs/decisions/kills.md).
      const { attempt } = event
      const over = attempt?.is === 'swapping' ? [note({ ...attempt, is: 'ended', at: 0, begun: 0 })] : []
      return { state: current, acts: [{ do: 'sweep' }, ...over] }
    }
    case 'answer':
      return afterAnswer(heard(current, event.answer, event.seen), event.answer, event.seen, { rules, at })
    case 'closed':
      return { state: { ...current, closed: true }, acts: [] }
    case 'ended':
      return ended({ ...current, trying: false }, event, rules, at)
  }
}

/**
 * Stores an answer of the service, and whether its wish is new. The previous answer decides that or, after a start, the
 * note of the last attempt: the wish is new if the service had stopped wishing that version (3.4).
 */
function heard(current: UpdatingState, answer: RuntimeAnswer, { attempt }: RuntimeFiles): UpdatingState {
  const { wish } = answer
  const isNew = current.answer !== undefined && wish !== current.answer.wish
  const pressedMeanwhile = current.answer === undefined && wasEnded(attempt, wish) && attempt?.closed === true
  return { ...current, answer, fresh: current.fresh || isNew, unjudged: current.unjudged || isNew || pressedMeanwhile }
}

function afterAnswer(
  current: UpdatingState,
  { wish, served }: RuntimeAnswer,
  files: RuntimeFiles,
  { rules, at }: { readonly rules: UpdatingRules; readonly at: Moment },
): UpdatingStep {
  const { note: launched, attempt, sha256, pinned } = files
  if (current.trying || launched.trial) return { state: current, acts: [] }
  const { hold } = launched
  const close: UpdatingAct[] = hold && hold.version !== wish && !current.closed ? [closing(hold.version, attempt)] : []
  if (wish === undefined) return { state: current, acts: close }
  const lifted: UpdatingAct[] = liftsHold(wish, { hold, sha256 }) ? [{ do: 'tell', message: { is: 'lifted' } }] : []
  const verdict = judgeWanted(wish, { running: rules.version, pinned, hold, sha256 })
  const acts = [...close, ...lifted]
  const judged = { ...current, unjudged: false }
  if (verdict === 'pinned' && current.unjudged)
    return {
      state: judged,
      acts: [...acts, say(`runtime ${wish} is wished, and another one is pinned on this machine`)],
    }
  if (verdict === 'held' && current.unjudged) {
    const why = `it is on hold on this machine until another version is wished or its file is put in place there: ${hold?.reason}`
    const { state, acts: more } = ended(judged, { wish, how: { event: 'unable', why }, sha256 }, rules, at)
    return { state, acts: [...acts, ...more] }
  }
  if (verdict !== 'wanted' || files.busy || !isDue(current, wish, attempt, { rules, at }))
    return { state: judged, acts }
  return {
    state: { ...judged, trying: true, fresh: false, last: at.mono },
    acts: [...acts, { do: 'try', wish, served }],
  }
}

/**
 * Notes that the service no longer wishes the version on hold. If it wishes that version later, even after a restart, a
 * person has asked again (3.4).
 */
const closing = (held: string, attempt: AttemptNote | undefined): UpdatingAct => ({
  do: 'close',
  attempt: attempt && wasEnded(attempt, held) && !attempt.closed ? { ...attempt, closed: true } : undefined,
})

const wasEnded = (attempt: AttemptNote | undefined, wish: string | undefined): boolean =>
  attempt?.is === 'ended' && attempt.wish === wish

function isDue(
  { fresh, last }: UpdatingState,
  wish: string,
  before: AttemptNote | undefined,
  { rules, at }: { readonly rules: UpdatingRules; readonly at: Moment },
): boolean {
  if (at.mono - last < rules.minApart) return false
  if (fresh || !before || !wasEnded(before, wish)) return true
  return !isAhead(before.at + rules.retry, at.wall, rules.retry)
}

/**
 * Handles the end of an attempt. After a successful swap nothing is left to do here: the launcher ends this worker and
 * notes the outcome.
 */
function ended(
  current: UpdatingState,
  { wish, how: { event, why }, sha256 }: Omit<Extract<UpdatingEvent, { is: 'ended' }>, 'is'>,
  { version }: UpdatingRules,
  { wall }: Moment,
): UpdatingStep {
  if (event === 'done') return { state: current, acts: [] }
  const ending = event in endOutcomes ? endOutcomes[event as keyof typeof endOutcomes] : undefined
  const left: UpdatingAct[] = [{ do: 'sweep' }, note({ is: 'ended', wish, at: ending ? wall : 0, begun: 0 })]
  const state = { ...current, closed: false }
  if (!ending) return { state, acts: left }
  const { outcome, holds } = ending
  const works = { version }
  const applied = attemptOf({ outcome, works, from: works, to: { version: wish }, at: wall, reason: why })
  const hold = holds ? { hold: { version: wish, reason: why, running: sha256 ?? '' } } : {}
  return { state, acts: [{ do: 'tell', message: { is: 'attempted', applied, ...hold } }, ...left] }
}

/** The maximum number of consecutive starts of an attempt that reach no end. After them the update counts as failed. */
export const maxStarted = 3

/** The note to write before an attempt; undefined if too many attempts in a row did not reach an end. */
export function noteBeforeAttempt(
  wish: string,
  before: AttemptNote | undefined,
  wall: number,
): AttemptNote | undefined {
  const started = before?.is === 'trying' && before.wish === wish ? before.begun + 1 : 1
  return started > maxStarted ? undefined : { is: 'trying', wish, at: wall, begun: started }
}

const note = (attempt: AttemptNote): UpdatingAct => ({ do: 'note', attempt })
const say = (line: string): UpdatingAct => ({ do: 'say', line })
