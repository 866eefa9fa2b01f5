/**
 * The state machine of the self-update, as pure functions: what the runtime knows of the wishes for its own version,
 * and the acts that follow each event. wanted.ts has the contract's conditions, moves.ts the states of one attempt;
 * this file decides when an attempt starts, and what follows its end.
 */
import type { Applied, ServedRuntime } from '@svc/protocol'
import type { Moment } from '../time.ts'
import { attemptOf } from '../versions/release.ts'
import type { RuntimeHold, RuntimeNote } from '../versions/runtime-note.ts'
import type { Ended } from './attempt.ts'
import type { AttemptNote } from './journal.ts'
import { ends } from './moves.ts'
import { lifts, wanted } from './wanted.ts'

export interface Updating {
  /** The last answer; undefined before the first. */
  readonly answer?: RuntimeAnswer
  /** True for a wish that was not yet judged. */
  readonly unjudged: boolean
  /** True for a wish that came since the last attempt, which need not wait for ten minutes. */
  readonly fresh: boolean
  /** True once it is noted that the service ended the wish for the held version. */
  readonly closed: boolean
  /** True while an attempt is in progress. */
  readonly trying: boolean
  /** When the last attempt started, by the monotonic clock. */
  readonly last: number
}
interface RuntimeAnswer {
  readonly wish?: string | undefined
  readonly served?: ServedRuntime | undefined
}
/** The state of the files at the time of an answer. */
export interface RuntimeSeen {
  /** The note, from the launcher. */
  readonly note: RuntimeNote
  readonly attempt?: AttemptNote | undefined
  /** The checksum of the file in place. */
  readonly sha256?: string | undefined
  readonly pinned?: string | undefined
  /** True while another update is in progress (D31). */
  readonly busy: boolean
}
export type UpdatingEvent =
  /** This runtime has started; an earlier one may have left an attempt. */
  | { readonly is: 'begun'; readonly attempt?: AttemptNote | undefined }
  | { readonly is: 'answer'; readonly answer: RuntimeAnswer; readonly seen: RuntimeSeen }
  /** The end of the wish for the held version has been noted. */
  | { readonly is: 'closed' }
  /** An attempt ended. `sha256` is that of the file in place at that time. */
  | { readonly is: 'ended'; readonly wish: string; readonly how: Ended; readonly sha256?: string | undefined }

export type UpdatingAct =
  | { readonly do: 'say'; readonly line: string }
  /** Removes what an attempt left. */
  | { readonly do: 'sweep' }
  /** Writes the note. If that fails the runtime ends, since an attempt must not be made unrecorded. */
  | { readonly do: 'note'; readonly attempt: AttemptNote }
  /**
   * Notes that the wish for the held version has ended, and answers `closed`. If that fails it is noted after the next
   * answer.
   */
  | { readonly do: 'close'; readonly attempt: AttemptNote | undefined }
  | {
      readonly do: 'tell'
      readonly message:
        | { readonly is: 'lifted' }
        | { readonly is: 'attempted'; readonly applied: Applied; readonly hold?: RuntimeHold }
    }
  /** Makes an attempt, which answers `ended`. */
  | { readonly do: 'try'; readonly wish: string; readonly served: ServedRuntime | undefined }

export interface UpdatingRules {
  /** The version of the running runtime. */
  readonly version: string
  /** The wait in ms before a retry while the wish is in force, after a failure that was not the file's fault (D35). */
  readonly retry: number
  /** The minimum time in ms between any two attempts, whatever versions the service names. */
  readonly minApart: number
}
interface UpdatingStep {
  readonly state: Updating
  readonly acts: readonly UpdatingAct[]
}

export const begin: Updating = {
  unjudged: false,
  fresh: false,
  closed: false,
  trying: false,
  last: Number.NEGATIVE_INFINITY,
}

export function step(now: Updating, event: UpdatingEvent, rules: UpdatingRules, at: Moment): UpdatingStep {
  switch (event.is) {
    case 'begun': {
      // An attempt that was interrupted has changed nothing (docs/decisions/kills.md).
      const { attempt } = event
      const over = attempt?.is === 'swapping' ? [note({ ...attempt, is: 'ended', at: 0, begun: 0 })] : []
      return { state: now, acts: [{ do: 'sweep' }, ...over] }
    }
    case 'answer':
      return answered(heard(now, event.answer, event.seen), event.answer, event.seen, { rules, at })
    case 'closed':
      return { state: { ...now, closed: true }, acts: [] }
    case 'ended':
      return ended({ ...now, trying: false }, event, rules, at)
  }
}

/**
 * Takes an answer. A wish is new if the previous answer had another; in the first answer it is new if the service had
 * ended it meanwhile (3.4).
 */
function heard(now: Updating, answer: RuntimeAnswer, { attempt }: RuntimeSeen): Updating {
  const { wish } = answer
  const isNew = now.answer !== undefined && wish !== now.answer.wish
  const pressedMeanwhile = now.answer === undefined && wasEnded(attempt, wish) && attempt?.closed === true
  return { ...now, answer, fresh: now.fresh || isNew, unjudged: now.unjudged || isNew || pressedMeanwhile }
}

function answered(
  now: Updating,
  { wish, served }: RuntimeAnswer,
  seen: RuntimeSeen,
  { rules, at }: { readonly rules: UpdatingRules; readonly at: Moment },
): UpdatingStep {
  const { note: launched, attempt, sha256, pinned } = seen
  if (now.trying || launched.trial) return { state: now, acts: [] }
  const { hold } = launched
  const close: UpdatingAct[] = hold && hold.version !== wish && !now.closed ? [closing(hold.version, attempt)] : []
  if (wish === undefined) return { state: now, acts: close }
  const lifted: UpdatingAct[] = lifts(wish, { hold, sha256 }) ? [{ do: 'tell', message: { is: 'lifted' } }] : []
  const verdict = wanted(wish, { running: rules.version, pinned, hold, sha256 })
  const acts = [...close, ...lifted]
  const judged = { ...now, unjudged: false }
  if (verdict === 'pinned' && now.unjudged)
    return {
      state: judged,
      acts: [...acts, say(`runtime ${wish} is wished, and another one is pinned on this machine`)],
    }
  if (verdict === 'held' && now.unjudged) {
    const why = `it is on hold on this machine until another version is wished or its file is put in place there: ${hold?.reason}`
    const { state, acts: more } = ended(judged, { wish, how: { event: 'unable', why }, sha256 }, rules, at)
    return { state, acts: [...acts, ...more] }
  }
  if (verdict !== 'wanted' || seen.busy || !isDue(now, wish, attempt, { rules, at })) return { state: judged, acts }
  return {
    state: { ...judged, trying: true, fresh: false, last: at.mono },
    acts: [...acts, { do: 'try', wish, served }],
  }
}

/** Notes that the wish for a held version has ended: a later wish, even after a restart, is then a new press (3.4). */
const closing = (held: string, attempt: AttemptNote | undefined): UpdatingAct => ({
  do: 'close',
  attempt: attempt && wasEnded(attempt, held) && !attempt.closed ? { ...attempt, closed: true } : undefined,
})

const wasEnded = (attempt: AttemptNote | undefined, wish: string | undefined): boolean =>
  attempt?.is === 'ended' && attempt.wish === wish

function isDue(
  { fresh, last }: Updating,
  wish: string,
  before: AttemptNote | undefined,
  { rules, at }: { readonly rules: UpdatingRules; readonly at: Moment },
): boolean {
  if (at.mono - last < rules.minApart) return false
  if (fresh || !before || !wasEnded(before, wish)) return true
  return Math.abs(at.wall - before.at) >= rules.retry
}

/** Handles the end of an attempt. One that was swapped in ends this runtime, and the launcher knows its outcome. */
function ended(
  now: Updating,
  { wish, how: { event, why }, sha256 }: Omit<Extract<UpdatingEvent, { is: 'ended' }>, 'is'>,
  { version }: UpdatingRules,
  { wall }: Moment,
): UpdatingStep {
  if (event === 'done') return { state: now, acts: [] }
  const ending = event in ends ? ends[event as keyof typeof ends] : undefined
  const left: UpdatingAct[] = [{ do: 'sweep' }, note({ is: 'ended', wish, at: ending ? wall : 0, begun: 0 })]
  const state = { ...now, closed: false }
  if (!ending) return { state, acts: left }
  const { outcome, holds } = ending
  const works = { version }
  const applied = attemptOf({ outcome, works, from: works, to: { version: wish }, at: wall, reason: why })
  const hold = holds ? { hold: { version: wish, reason: why, running: sha256 ?? '' } } : {}
  return { state, acts: [{ do: 'tell', message: { is: 'attempted', applied, ...hold } }, ...left] }
}

/** After this many consecutive attempts that took the runtime down, the attempt counts as failed. */
export const maxBegun = 3

/** The note to write before an attempt; undefined if it was started too often without an end. */
export function beginning(wish: string, before: AttemptNote | undefined, wall: number): AttemptNote | undefined {
  const begun = before?.is === 'trying' && before.wish === wish ? before.begun + 1 : 1
  return begun > maxBegun ? undefined : { is: 'trying', wish, at: wall, begun }
}

const note = (attempt: AttemptNote): UpdatingAct => ({ do: 'note', attempt })
const say = (line: string): UpdatingAct => ({ do: 'say', line })
