/**
 * What the runtime knows of the wishes for the agent's version beside the journal, and what each event makes of it, as the acts that
 * follow. Pure: moves.ts and change.ts have the update itself; here stand when one begins, and when it is broken off.
 */
import type { ReceivedAnswer } from '@svc/protocol'
import { plainHint } from '../hint.ts'
import type { ProcessState } from '../launcher/moves.ts'
import type { Moment } from '../time.ts'
import type { Release } from '../versions/release.ts'
import type { Came } from './change.ts'
import type { Update } from './journal.ts'
import { judgeWish, lifts, type WishVerdict } from './wish.ts'

export interface Listening {
  /** As it is noted. */
  readonly update: Update
  /** What the service wishes, by its last answer. */
  readonly desired?: ReceivedAnswer['desired'] | undefined
  /** What was said of it last. */
  readonly said: WishVerdict
  /** When the last attempt began, by the clock that does not jump. */
  readonly began: number
  /** The version that it is about. */
  readonly aim?: string
  /** How often the process died by itself since this runtime began, and when it did last, Unix ms. */
  readonly deaths: number
  readonly exit?: number | undefined
}
export type ListeningEvent =
  | { readonly is: 'answer'; readonly desired: ReceivedAnswer['desired'] }
  | { readonly is: 'process'; readonly state: ProcessState }
  /** A step has time for a wish of the service. */
  | { readonly is: 'idle' }
  /** What the disk says of a wish that could be begun. `here`: the version before lies on it. */
  | { readonly is: 'seen'; readonly busy: boolean; readonly here: boolean }
  | { readonly is: 'changed'; readonly update: Update }
  | { readonly is: 'unsaved'; readonly why: string }

export type ListeningAct =
  | { readonly do: 'say'; readonly line: string }
  /** Writes the journal; what the disk does not take answers `unsaved`. */
  | { readonly do: 'save' }
  /** Writes it again after a while. */
  | { readonly do: 'save later' }
  /** Looks at the disk, and answers `seen`. */
  | { readonly do: 'look'; readonly previous: Release | undefined }
  | { readonly do: 'begin'; readonly came: Came }
  /** What is under way is broken off, if it has changed nothing yet. */
  | { readonly do: 'abort' }

export interface ListeningRules {
  readonly blueprint: string
  /** Between any two attempts, whatever the service names in between, in ms. */
  readonly minApart: number
  /** Shortens days and waits that are noted (SVC_TIME_SCALE). */
  readonly scale: number
  /** Why this process cannot restart the agent on another version; undefined when it can. */
  readonly cannot?: string | undefined
}
interface ListeningStep {
  readonly state: Listening
  readonly acts: readonly ListeningAct[]
}

export const begin = (update: Update, process: ProcessState): Listening => ({
  update,
  said: 'none',
  began: Number.NEGATIVE_INFINITY,
  deaths: 0,
  exit: exitAt(process),
})

export function step(now: Listening, event: ListeningEvent, rules: ListeningRules, at: Moment): ListeningStep {
  switch (event.is) {
    case 'answer':
      return answered({ ...now, desired: event.desired }, rules)
    case 'process': {
      const exit = exitAt(event.state)
      const died = exit !== undefined && exit !== now.exit
      return { state: { ...now, deaths: now.deaths + (died ? 1 : 0), exit: exit ?? now.exit }, acts: [] }
    }
    case 'idle':
      return idle(now, rules, at)
    case 'seen':
      return seen(now, event, rules, at)
    case 'changed':
      return { state: { ...now, update: event.update }, acts: [{ do: 'save' }] }
    case 'unsaved':
      return { state: now, acts: [say(event.why), { do: 'save later' }] }
  }
}

function answered(now: Listening, { blueprint }: ListeningRules): ListeningStep {
  const { update, desired, aim } = now
  // D31: taken back before the swap; after it nobody looks at that
  const stands = desired?.blueprint === blueprint && desired.version === aim
  const abort: ListeningAct[] = stands ? [] : [{ do: 'abort' }]
  if (!lifts(desired, blueprint, update)) return { state: now, acts: abort }
  const { hold, ...rest } = update
  const line = `update to ${hold?.version} is no longer on hold`
  return { state: { ...now, update: rest }, acts: [say(line), { do: 'save' }, ...abort] }
}

const verdictOf = (
  { desired, update }: Listening,
  { blueprint, scale }: ListeningRules,
  { wall }: Moment,
): WishVerdict => judgeWish(desired, { blueprint, now: update, at: wall, scale })

function idle(now: Listening, rules: ListeningRules, at: Moment): ListeningStep {
  const verdict = verdictOf(now, rules, at)
  const state = { ...now, told: verdict }
  const words = verdict === now.said ? [] : wordsFor(verdict, now, rules).map(say)
  const begins = (verdict === 'wanted' || verdict === 'present') && rules.cannot === undefined
  if (!begins || at.mono - now.began < rules.minApart) return { state, acts: words }
  return { state, acts: [...words, { do: 'look', previous: now.update.previous }] }
}

/** Begins what the service wishes. While a version is watched only the one before may come, and it must lie here (D30). */
function seen(
  now: Listening,
  { busy, here }: Extract<ListeningEvent, { is: 'seen' }>,
  rules: ListeningRules,
  at: Moment,
): ListeningStep {
  const { update, desired } = now
  const { previous, state } = update
  const version = desired?.version
  const isBack = verdictOf(now, rules, at) === 'present'
  if (busy || version === undefined || (isBack && !here && state !== 'idle')) return { state: now, acts: [] }
  const came: Came =
    isBack && here && previous ? { event: 'present', to: previous } : { event: 'wanted', to: { version, sha256: '' } }
  return { state: { ...now, began: at.mono, aim: version }, acts: [{ do: 'begin', came }] }
}

function wordsFor(
  verdict: WishVerdict,
  { desired, update }: Listening,
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

/** Nothing is changed yet: a wish can still be taken back. */
export const isUnsettled = ({ state }: Update): boolean => state === 'fetching' || state === 'staging'

/** When the process died by itself; an end that was asked for, and one with code 0, is no death. */
function exitAt(state: ProcessState): number | undefined {
  if (!('exit' in state) || !state.exit || state.exit.code === 0) return undefined
  const own = state.is === 'waiting' || state.because === 'ended'
  return own ? state.exit.at : undefined
}

const say = (line: string): ListeningAct => ({ do: 'say', line })
