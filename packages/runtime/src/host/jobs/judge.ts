/** Judges one job: its state as a level and in words. The functions are pure; all times are Unix seconds. */
import type { Level } from '@svc/protocol'
import { spanText } from '../../machine/base/time.ts'
import { digestOf, endOfRun } from './digest.ts'
import type { JobFacts } from './facts.ts'
import { dueRun, isOverdue, nextStart } from './overdue.ts'
import type { ShownRun } from './reader.ts'
import { clockText } from './zone.ts'

/** The facts about the machine by which jobs are judged. Times are in Unix seconds. */
export interface JobJudgeContext {
  readonly now: number
  /** When the machine last started or woke up. */
  readonly woke?: number | undefined
  /** When the machine was last seen awake before that start or wake-up. */
  readonly slept?: number | undefined
  /** The zone by whose clocks people read times. */
  readonly zone: string
}

/** A job with its level and the words for it. */
export interface JudgedJob extends JobFacts {
  readonly level: Level
  /** The state of the job in a few words, for a label. */
  readonly short: string
  /** Returns the state of the job in a sentence. It is a function because most jobs of a long list are never shown. */
  detail(): string
  /** The newest run. */
  readonly last?: ShownRun | undefined
  /** The last failure after which no good run has started. If there is no such failure, the run that ended last. */
  readonly ended?: ShownRun | undefined
  readonly running: readonly ShownRun[]
  readonly isOverdue: boolean
  /** The usual duration of a run in seconds. */
  readonly usual?: number | undefined
  readonly due?: number | undefined
  readonly next?: number | undefined
  /** True if the job no longer needs to be reported. */
  readonly isOver: boolean
}

export function judgeJob(facts: JobFacts, context: JobJudgeContext): JudgedJob {
  const { now, woke, slept } = context
  const { began, running, ended, usual, last: newest, streak, mayLive, bad } = digestOf(facts.runs)
  const unrecorded = facts.unrecorded.filter(({ at }) => at <= now).at(-1)
  const wasUnrecorded = unrecorded !== undefined && unrecorded.at > began
  const start = wasUnrecorded ? unrecorded.at : began
  const last = Number.isFinite(start) ? start : undefined
  const due = dueRun(facts.plans, {
    last,
    lives: running.length > 0,
    oldest: running.at(-1)?.started,
    mayLive,
    ...(woke !== undefined && woke <= now && { woke, slept }),
  })
  const next = nextStart(facts.plans, last, now)
  const late = wasUnrecorded || due === undefined ? undefined : facts.late
  // If the clock was set back, `due` is counted from that moment, and `late` is since when the job was overdue before.
  const overdue = due !== undefined && isOverdue(due, now) ? Math.min(due.shown, late ?? due.shown) : late
  const pilesUp = running.length >= manyCopies && mayLive === undefined
  const words = {
    ...{ ...context, unclear: facts.unclear, overdue, bad, ended, streak, running, pilesUp, last, next },
    ...(wasUnrecorded && { unrecorded }),
  }
  const [level, short] = verdictOf(words)
  return {
    ...facts,
    level,
    short,
    detail: () => detailOf(words),
    last: newest,
    ended: bad ?? ended[0],
    running,
    isOverdue: overdue !== undefined,
    usual,
    due: overdue ?? due?.shown,
    next,
    isOver:
      facts.schedule === undefined &&
      running.length === 0 &&
      bad === undefined &&
      last !== undefined &&
      (ended[0]?.ended ?? last) < now - weekSeconds,
  }
}

/** The level of a job and its label, which both come from its worst problem. */
function verdictOf({
  now,
  overdue,
  bad,
  unclear,
  pilesUp,
  running,
  unrecorded,
  last,
}: DescribedJob): [level: Level, short: string] {
  if (overdue !== undefined) return ['bad', `overdue by ${spanText(now - overdue)}`]
  if (bad) return ['bad', endWords(bad)]
  if (unclear !== undefined) return ['warn', unclear]
  if (pilesUp) return ['warn', `${running.length} copies running`]
  if (unrecorded) return ['warn', 'not recorded']
  return last === undefined ? ['info', 'never ran'] : ['ok', 'ok']
}

/**
 * For this many seconds, a job without a schedule is still reported after a good last run, and so is an unrecorded run
 * whose job is not known.
 */
export const weekSeconds = 7 * 86_400

/** From this number on, copies of a job that run at the same time cause a warning. */
const manyCopies = 3
/** The number of copies after the first whose starts are shown. */
const namedCopies = 3

interface DescribedJob extends JobJudgeContext {
  readonly unclear: string | undefined
  readonly overdue: number | undefined
  readonly bad: ShownRun | undefined
  readonly ended: readonly ShownRun[]
  readonly streak: number
  readonly running: readonly ShownRun[]
  readonly pilesUp: boolean
  readonly last: number | undefined
  readonly next: number | undefined
  readonly unrecorded?: { readonly at: number; readonly reason: string }
}

function detailOf({
  now,
  zone,
  unclear,
  overdue,
  bad,
  ended,
  streak,
  running,
  pilesUp,
  last,
  next,
  unrecorded,
}: DescribedJob): string {
  const at = (time: number) => clockText(time, now, zone)
  const runs = copies(running, at)
  const notRecorded = ({ at: ran, reason }: NonNullable<DescribedJob['unrecorded']>) =>
    `ran ${at(ran)}, but was not recorded: ${reason}`
  const nextText = next === undefined ? undefined : `next ${at(next)}`
  const failed =
    bad && `${endWords(bad)}${bad.ended === undefined ? `, began ${at(bad.started)}` : ` ${at(bad.ended)}`}`
  const all = (...parts: (string | undefined)[]) => parts.filter((part) => part !== undefined).join('; ')
  if (overdue !== undefined) {
    const why = runs ? `still ${runs}` : last === undefined ? 'never ran' : `last began ${at(last)}`
    return all(`overdue by ${spanText(now - overdue)}, ${why}`, failed)
  }
  if (failed) {
    return all(streak > 1 ? `${failed}, ${streak} times in a row` : failed, runs)
  }
  const [good] = ended
  const fine =
    good && `ok ${at(endOfRun(good))}${good.ended === undefined ? '' : `, took ${spanText(good.ended - good.started)}`}`
  if (unclear !== undefined) return all(unclear, runs ?? fine)
  if (pilesUp) return all(runs, unrecorded ? notRecorded(unrecorded) : fine)
  if (unrecorded) return all(notRecorded(unrecorded), runs, nextText)
  if (fine) return all(fine, runs ?? nextText)
  return all(runs ?? 'never ran', runs ? undefined : nextText)
}

/** The words for the runs in progress, the oldest first. */
function copies(running: readonly ShownRun[], at: (time: number) => string): string | undefined {
  const [first, ...later] = running.map(({ started }) => at(started)).reverse()
  if (first === undefined) return undefined
  if (later.length === 0) return `running since ${first}`
  if (running.length < manyCopies) return `${running.length} running, the first since ${first}`
  const rest = later.length - namedCopies
  const named = `${later.slice(0, namedCopies).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
  return `${running.length} copies running, the first since ${first}, then ${named}`
}

/** The end of a run in words. */
export function endWords({ status, exit, signal }: ShownRun): string {
  if (status === 'ok') return 'ok'
  if (status === 'timeout') return 'timed out'
  if (status === 'lost') return 'lost'
  return signal !== undefined ? `failed (${signal})` : exit !== undefined ? `failed (exit ${exit})` : 'failed'
}
