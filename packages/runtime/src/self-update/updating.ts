/**
 * What the runtime knows of the wishes for its own version, and what each event makes of it, as the acts that follow. Pure: wanted.ts
 * has the contract's conditions, moves.ts the states of one attempt; here stand when an attempt begins, and what its end leaves.
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
  /** What the last answer said; undefined before the first one. */
  readonly answer?: RuntimeAnswer
  /** A wish that nothing was made of yet. */
  readonly unjudged: boolean
  /** A wish that came since the last attempt: it need not wait for ten minutes. */
  readonly fresh: boolean
  /** It is noted already that the service ended the wish for the version on hold. */
  readonly closed: boolean
  /** An attempt is under way. */
  readonly trying: boolean
  /** When the last attempt began, by the clock that does not jump. */
  readonly last: number
}
interface RuntimeAnswer {
  readonly wish?: string | undefined
  readonly served?: ServedRuntime | undefined
}
/** What the files say at the moment of an answer. */
export interface RuntimeSeen {
  /** As the launcher has it. */
  readonly note: RuntimeNote
  readonly attempt?: AttemptNote | undefined
  /** Of the file in place. */
  readonly sha256?: string | undefined
  readonly pinned?: string | undefined
  /** Another update is under way (D31). */
  readonly busy: boolean
}
export type UpdatingEvent =
  /** This runtime begins; an earlier one may have left an attempt. */
  | { readonly is: 'begun'; readonly attempt?: AttemptNote | undefined }
  | { readonly is: 'answer'; readonly answer: RuntimeAnswer; readonly seen: RuntimeSeen }
  /** It is noted that the wish for the version on hold has ended. */
  | { readonly is: 'closed' }
  /** An attempt ended; `sha256`: of the file in place then. */
  | { readonly is: 'ended'; readonly wish: string; readonly how: Ended; readonly sha256?: string | undefined }

export type UpdatingAct =
  | { readonly do: 'say'; readonly line: string }
  /** Removes what an attempt left. */
  | { readonly do: 'sweep' }
  /** What cannot be written ends the runtime: an attempt of which nobody knows is not made. */
  | { readonly do: 'note'; readonly attempt: AttemptNote }
  /** Notes that the wish for the version on hold has ended, and answers `closed`; what cannot be written is noted after the next answer. */
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
  /** The version of the runtime that runs. */
  readonly version: string
  /** D35: while the wish stands, after what was not the file's fault. In ms. */
  readonly retry: number
  /** Between any two attempts, whatever the service names in between. In ms. */
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
      // what an attempt left that was broken off: nothing has happened (docs/decisions/kills.md)
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

/** A wish is new when the answer before had another; the first answer has a new one where the service had ended it meanwhile (3.4). */
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

/** The wish for a version on hold has ended: what is heard of it from now on, also after a restart, was pressed anew (3.4). */
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

/** An attempt that was swapped in ends this runtime: the launcher knows what came of it. */
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

/** So many attempts in a row that took the runtime down are one that failed. */
export const maxBegun = 3

/** What is noted before an attempt; undefined when it was begun too often without an end. */
export function beginning(wish: string, before: AttemptNote | undefined, wall: number): AttemptNote | undefined {
  const begun = before?.is === 'trying' && before.wish === wish ? before.begun + 1 : 1
  return begun > maxBegun ? undefined : { is: 'trying', wish, at: wall, begun }
}

const note = (attempt: AttemptNote): UpdatingAct => ({ do: 'note', attempt })
const say = (line: string): UpdatingAct => ({ do: 'say', line })
