/** What is true of the agent's versions: for each report (2.5), and for people. */
import type { Applied, Desired, Level } from '@svc/protocol'
import { hint } from '../hint.ts'
import { attemptText, moment } from '../time.ts'
import type { Update } from './journal.ts'
import type { UpdateState } from './moves.ts'
import { leftOf } from './watching.ts'
import { judgeWish, loops, maxRollbacks, type WishFacts } from './wish.ts'

/** 2.5: `version` is the one that works; before any update it reads `installed`. */
export const appliedOf = ({ running, applied }: Pick<Update, 'running' | 'applied'>): Applied =>
  applied ? { ...applied, version: running.version } : { version: running.version, outcome: 'ok', message: 'installed' }

/** Sentences for `svc why` and `svc status`, the weightiest first. `at` in Unix ms; `scale` as the runtime's. */
export function sentences(update: Update, at: number, scale = 1): string[] {
  const { applied, hold, retry, previous, rollbacks } = update
  const looping = [...new Set(rollbacks.map((r) => r.version))].filter((version) => loops(update, version, at, scale))
  return [
    ...underWay(update),
    ...(applied ? [stopped(`The last update: ${applied.outcome}, ${attemptText(applied.message)}`)] : []),
    ...(retry && retry.at > at
      ? [`${retry.version} is tried again after ${moment(Math.floor(retry.at / 1000))}, if it is still wished.`]
      : []),
    ...(hold
      ? [
          `${stopped(`${hold.version} is on hold: ${hold.reason}`)} It is applied again when the service names another version in between, or after "${hint('unhold')}".`,
        ]
      : []),
    ...looping.map(
      (version) =>
        `${version} went back ${maxRollbacks} times in a day: only "${hint('unhold')}" lets it be tried again.`,
    ),
    ...(previous
      ? [`${previous.version} lies beside it; "${hint('rollback')}" goes back to it, without the service.`]
      : []),
  ]
}

/** What the service wished in its last answer, where nothing else says what becomes of it. */
export function wishSentences(desired: Desired | undefined, facts: WishFacts): string[] {
  const { blueprint, now } = facts
  const { blueprint: whose, version } = desired ?? {}
  const wishes = `The service wishes ${version}`
  switch (judgeWish(desired, facts)) {
    case 'foreign':
      return [`${wishes} of ${whose}. This is ${blueprint}, so nothing comes of it.`]
    case 'invalid':
      return [`${wishes}, which is no semantic version, so nothing comes of it.`]
    case 'later':
      if (version === (now.to ?? now.running).version) return []
      return now.state === 'watching'
        ? [`${wishes}; that is begun when ${now.running.version} is watched no more.`]
        : [`${wishes}; that is begun when what is under way has ended.`]
    case 'wanted':
    case 'present':
      return [`${wishes}; that has not been begun yet.`]
    default:
      return []
  }
}

/** With one full stop, also where a reason was cut or was noted by an older runtime. */
const stopped = (sentence: string): string =>
  /[…!?]$/.test(sentence) ? sentence : `${sentence.replace(/[\s.]+$/, '')}.`

/** For `svc status`: what is under way, and what does not come by itself. */
export function glance(update: Update, at: number): string[] {
  const { applied, hold, retry } = update
  const waits = retry && retry.at > at ? `, tried again after ${moment(Math.floor(retry.at / 1000))}` : ''
  return [
    ...underWay(update),
    ...(applied && applied.outcome !== 'ok' ? [`${applied.outcome}, ${attemptText(applied.message)}${waits}`] : []),
    ...(hold ? [`${hold.version} is on hold`] : []),
  ]
}

function underWay(update: Update): string[] {
  const { state, running, to, away } = update
  const line = sentenceOf[state]
  const minutes = Math.ceil(leftOf(update) / 60)
  return line === undefined
    ? []
    : [
        line({
          running: running.version,
          to: to?.version ?? '',
          away: away?.version ?? '',
          minutes,
          baseline: update.window?.baseline ?? 'ok',
        }),
      ]
}

interface UpdateNow {
  readonly running: string
  readonly to: string
  readonly away: string
  /** Until it is watched no more. */
  readonly minutes: number
  readonly baseline: Level
}
type Line = (known: UpdateNow) => string
const sentenceOf: Readonly<Record<UpdateState, Line | undefined>> = {
  idle: undefined,
  fetching: ({ running, to }) => `An update ${running} -> ${to} is under way: its bundle is fetched.`,
  staging: ({ running, to }) => `An update ${running} -> ${to} is under way: it is unpacked beside.`,
  swapping: ({ running, to }) => `An update ${running} -> ${to} is under way: it is put in place.`,
  proving: ({ running, to }) =>
    `${to} is on proof: it has to say how it is, and must not be bad; else ${running} comes back. While the agent is paused or stopped the proof waits.`,
  watching: ({ running, minutes, baseline }) =>
    `${running} is kept and watched for ${minutes} more minutes of running: it goes back if it gets worse than ${baseline}.`,
  undoing: ({ running, away }) => `${away} goes back to ${running}.`,
}
