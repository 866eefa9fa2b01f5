/** Describes the current versions of the agent, for each report (2.5) and for people. */
import type { AppliedUpdate, Desired, Level } from '@svc/protocol'
import { withStop } from '../../machine/base/sentence.ts'
import { attemptText, timeText, wholeSeconds } from '../../machine/base/time.ts'
import { commandHint } from '../../machine/hint.ts'
import type { Update } from './journal.ts'
import type { UpdateState } from './moves.ts'
import { secondsToWatch } from './watching.ts'
import { isRetryAhead, judgeBlueprintWish, loopingVersions, maxRollbacks, type WishFacts } from './wish.ts'

/**
 * The part `applied` of a report (2.5). Its `version` is the version that is in use, even after a failed update. Before
 * the first update its message is `installed`.
 */
export const appliedOf = ({ running, applied }: Pick<Update, 'running' | 'applied'>): AppliedUpdate =>
  applied ? { ...applied, version: running.version } : { version: running.version, outcome: 'ok', message: 'installed' }

/**
 * Sentences about the agent's versions for `svc why` and `svc status`, most important first. `at` is in Unix
 * milliseconds; `scale` is SVC_TIME_SCALE.
 */
export function updateSentences(update: Update, at: number, scale = 1): string[] {
  const { applied, hold, retry, previous } = update
  return [
    ...underWay(update),
    ...(applied ? [withStop(`The last update: ${applied.outcome}, ${attemptText(applied.message)}`)] : []),
    ...(retry && isRetryAhead(retry, at, scale)
      ? [`${retry.version} will be retried after ${timeText(wholeSeconds(retry.at))} if it is still requested.`]
      : []),
    ...(hold
      ? [
          `${withStop(`${hold.version} is on hold: ${hold.reason}`)} To try it again, request another version first, or run "${commandHint('unhold')}".`,
        ]
      : []),
    ...loopingVersions(update, scale).map(
      (version) =>
        `${version} went back ${maxRollbacks} times in a day: only "${commandHint('unhold')}" lets it be tried again.`,
    ),
    ...(previous
      ? [
          `${previous.version} is kept as the previous version; "${commandHint('rollback')}" goes back to it, without the service.`,
        ]
      : []),
  ]
}

/** A sentence about the last wish of the service, unless another sentence already says what happens to it. */
export function wishSentences(desired: Desired | undefined, facts: WishFacts): string[] {
  const { blueprint, now } = facts
  const { blueprint: whose, version } = desired ?? {}
  const wishes = `${version} is requested`
  switch (judgeBlueprintWish(desired, facts)) {
    case 'foreign':
      return [`${wishes}, but of the blueprint ${whose}. This agent is ${blueprint}, so the request is ignored.`]
    case 'invalid':
      return [`${wishes}, but it is not a semantic version, so the request is ignored.`]
    case 'later':
      if (version === (now.to ?? now.running).version) return []
      return now.state === 'watching'
        ? [
            `${wishes}; it starts when the watch of ${now.running.version} ends, after ${moreMinutes(secondsToWatch(now))} of running. "${commandHint('unwatch')}" ends the watch now.`,
          ]
        : [`${wishes}; it starts when the current update has ended.`]
    case 'wanted':
    case 'present':
      return [`${wishes}; it has not started yet.`]
    default:
      return []
  }
}

/**
 * A summary of the agent's versions for `svc status` and `svc doctor`: the step of an update in progress, the last
 * update if it failed or was rolled back, and the version on hold.
 */
export function versionSummary(update: Update, at: number): string[] {
  const { applied, hold, retry } = update
  const waits = retry && isRetryAhead(retry, at) ? `, retried after ${timeText(wholeSeconds(retry.at))}` : ''
  return [
    ...underWay(update),
    ...(applied && applied.outcome !== 'ok' ? [`${applied.outcome}, ${attemptText(applied.message)}${waits}`] : []),
    ...(hold ? [`${hold.version} is on hold`] : []),
  ]
}

function underWay(update: Update): string[] {
  const { state, running, to, away } = update
  const line = sentenceOf[state]
  return line === undefined
    ? []
    : [
        line({
          running: running.version,
          to: to?.version ?? '',
          away: away?.version ?? '',
          more: moreMinutes(secondsToWatch(update)),
          baseline: update.window?.baseline ?? 'ok',
        }),
      ]
}

const moreMinutes = (seconds: number): string =>
  seconds <= 60 ? 'one more minute' : `${Math.ceil(seconds / 60)} more minutes`

interface UpdateNow {
  readonly running: string
  readonly to: string
  readonly away: string
  /** The time for which the version is still watched, in words, such as `24 more minutes`. */
  readonly more: string
  readonly baseline: Level
}
type SentenceOf = (known: UpdateNow) => string
const sentenceOf: Readonly<Record<UpdateState, SentenceOf | undefined>> = {
  idle: undefined,
  fetching: ({ running, to }) => `Updating ${running} -> ${to}: downloading the bundle.`,
  staging: ({ running, to }) => `Updating ${running} -> ${to}: unpacking the bundle.`,
  swapping: ({ running, to }) => `Updating ${running} -> ${to}: putting it in place.`,
  proving: ({ running, to }) =>
    `${to} is being tested: it must report a level that is not bad, or ${running} comes back. The test waits while the agent is paused or stopped.`,
  watching: ({ running, more, baseline }) =>
    `${running} is kept and watched for ${more} of running: it is rolled back if it gets worse than ${baseline}.`,
  undoing: ({ running, away }) => `Rolling back from ${away} to ${running}.`,
}
