/** Judges one job: how it is, in a level and in words. Pure; all times are Unix seconds. */
import type { Level } from '@svc/protocol'
import { span } from '../../machine/base/time.ts'
import type { JobFacts } from './facts.ts'
import { dueOf, isOverdue, nextOf } from './overdue.ts'
import type { ShownRun } from './reader.ts'
import { clock } from './zone.ts'

export interface JobView {
  readonly now: number
  /** When the machine last started or woke up. */
  readonly woke?: number | undefined
  /** The zone by whose clocks people read times. */
  readonly zone: string
}

export interface JudgedJob extends JobFacts {
  readonly level: Level
  /** The state of the job in a few words, for a label. */
  readonly short: string
  /** The state of the job in a sentence. It is made only when it is needed, since most jobs of many are not shown. */
  detail(): string
  /** The newest run, and the newest that ended. */
  readonly last?: ShownRun | undefined
  readonly ended?: ShownRun | undefined
  readonly running: readonly ShownRun[]
  /** How long a run usually takes, in seconds. */
  readonly usual?: number | undefined
  readonly due?: number | undefined
  readonly next?: number | undefined
  /** True if the job no longer needs to be reported. */
  readonly isOver: boolean
}

export function judgeJob(facts: JobFacts, view: JobView): JudgedJob {
  const { now, woke } = view
  const { began, running, ended, usual, last: newest, streak } = digestOf(facts.runs)
  const unrecorded = facts.unrecorded.filter(({ at }) => at <= now).at(-1)
  const wasUnrecorded = unrecorded !== undefined && unrecorded.at > began
  const start = wasUnrecorded ? unrecorded.at : began
  const last = Number.isFinite(start) ? start : undefined
  const due = dueOf(facts.plans, {
    last,
    lives: running.length > 0,
    woke: woke !== undefined && woke <= now ? woke : undefined,
  })
  const next = nextOf(facts.plans, last, now)
  const overdue = due !== undefined && isOverdue(due, now) ? due.due : undefined
  const bad = ended[0] !== undefined && ended[0].status !== 'ok' ? ended[0] : undefined
  const told = { ...view, overdue, bad, ended, streak, running, last, next, ...(wasUnrecorded && { unrecorded }) }
  return {
    ...facts,
    level: overdue !== undefined || bad ? 'bad' : wasUnrecorded ? 'warn' : last === undefined ? 'info' : 'ok',
    short:
      overdue !== undefined
        ? `overdue by ${span(now - overdue)}`
        : bad
          ? endWords(bad)
          : wasUnrecorded
            ? 'not recorded'
            : last === undefined
              ? 'never ran'
              : 'ok',
    detail: () => detailOf(told),
    last: newest,
    ended: ended[0],
    running,
    usual,
    due: due?.due,
    next,
    isOver:
      facts.schedule === undefined &&
      running.length === 0 &&
      bad === undefined &&
      last !== undefined &&
      (ended[0]?.ended ?? last) < now - weekSeconds,
  }
}

/** How long a good run, or one without the name of a job, is reported. */
export const weekSeconds = 7 * 86_400

/** A summary of all runs of a job, which does not depend on the time. */
interface Digest {
  readonly last: ShownRun | undefined
  readonly began: number
  readonly running: readonly ShownRun[]
  /** The run that ended last is the first. */
  readonly ended: readonly ShownRun[]
  /** The number of runs since the last good one. */
  readonly streak: number
  readonly usual: number | undefined
}

/** The host agent judges the same runs every few seconds. */
const digests = new WeakMap<readonly ShownRun[], Digest>()

function digestOf(all: readonly ShownRun[]): Digest {
  const known = digests.get(all)
  if (known) return known
  const runs = all.filter(({ status }) => status !== 'skipped')
  const ended = runs.filter(({ status }) => status !== 'running').sort((a, b) => endOf(b) - endOf(a))
  const good = ended.findIndex(({ status }) => status === 'ok')
  const digest = {
    last: runs[0],
    began: runs.reduce((last, run) => Math.max(last, run.started), Number.NEGATIVE_INFINITY),
    running: runs.filter(({ status }) => status === 'running'),
    ended,
    streak: good < 0 ? ended.length : good,
    usual: usualOf(ended),
  }
  digests.set(all, digest)
  return digest
}

/** A run that was lost has no known end, so its start counts. */
const endOf = ({ ended, started }: ShownRun): number => ended ?? started

interface Told extends JobView {
  readonly overdue: number | undefined
  readonly bad: ShownRun | undefined
  readonly ended: readonly ShownRun[]
  readonly streak: number
  readonly running: readonly ShownRun[]
  readonly last: number | undefined
  readonly next: number | undefined
  readonly unrecorded?: { readonly at: number; readonly reason: string }
}

function detailOf({ now, zone, overdue, bad, ended, streak, running, last, next, unrecorded }: Told): string {
  const at = (time: number) => clock(time, now, zone)
  const oldest = running.at(-1)
  const runs =
    oldest && `${running.length > 1 ? `${running.length} running, the first` : 'running'} since ${at(oldest.started)}`
  const came = next === undefined ? undefined : `next ${at(next)}`
  const failed =
    bad && `${endWords(bad)}${bad.ended === undefined ? `, began ${at(bad.started)}` : ` ${at(bad.ended)}`}`
  const all = (...parts: (string | undefined)[]) => parts.filter((part) => part !== undefined).join('; ')
  if (overdue !== undefined) {
    const why = oldest ? `still ${runs}` : last === undefined ? 'never ran' : `last began ${at(last)}`
    return all(`overdue by ${span(now - overdue)}, ${why}`, failed)
  }
  if (failed) {
    return all(streak > 1 ? `${failed}, ${streak} times in a row` : failed, runs)
  }
  if (unrecorded) return all(`ran ${at(unrecorded.at)}, but was not recorded: ${unrecorded.reason}`, runs, came)
  const [good] = ended
  if (good)
    return all(
      `ok ${at(endOf(good))}${good.ended === undefined ? '' : `, took ${span(good.ended - good.started)}`}`,
      runs ?? came,
    )
  return all(runs ?? 'never ran', runs ? undefined : came)
}

/** The end of a run in words. */
export function endWords({ status, exit, signal }: ShownRun): string {
  if (status === 'ok') return 'ok'
  if (status === 'timeout') return 'timed out'
  if (status === 'lost') return 'lost'
  return signal !== undefined ? `failed (${signal})` : exit !== undefined ? `failed (exit ${exit})` : 'failed'
}

/** The median of the last five good runs. */
function usualOf(ended: readonly ShownRun[]): number | undefined {
  const took = ended
    .flatMap(({ status, started, ended: end }) => (status === 'ok' && end !== undefined ? [end - started] : []))
    .slice(0, 5)
    .sort((a, b) => a - b)
  return took[Math.floor((took.length - 1) / 2)]
}
