/**
 * Watches the clock of the service. A step of the clock, in either direction, is one line of the log and a warning in
 * the service's health for an hour. After a step back, stored times that are impossible are corrected before anything
 * is judged by them.
 */
import { clockSlackMs, isTooFarAhead } from '@svc/protocol'
import type { Logger } from 'pino'
import { type Clocks, jumpBetween } from '../../alerts/evaluation/service.ts'
import { createAttempts } from '../../platform/attempt.ts'
import type { Live } from '../../platform/base.ts'
import type { Store } from '../../platform/db/open.ts'
import { minuteText } from '../../platform/limits/units.ts'
import { noteRunning } from '../../updates/wishes/away.ts'
import { mendTimes } from './mend.ts'

/** The milliseconds for which a step is shown in the service's health. */
const shownMs = 3_600_000
/** The minimum milliseconds between two corrections while the clock of another node stays ahead. */
const againMs = 60_000
/**
 * The number of checks after a step back in which times are corrected. One is not enough, because a transaction that
 * was in progress may store a time from before the step.
 */
const correctionRounds = 2

/** A step of the clock: the time after it, and its size in milliseconds, negative if the clock was set back. */
interface ClockStep {
  at: number
  by: number
}

/**
 * The way in which a step was noticed: `now` by the clocks of this process, or by a stored time in the future, either
 * `atStart`, when no other node ran, or `elsewhere`.
 */
type Noticed = 'now' | 'atStart' | 'elsewhere'

interface NoticedStep extends ClockStep {
  noticed: Noticed
  mono: number
}

export interface ClockWatch {
  /** Notices a step of the clock, and corrects stored times after a step back. Cheap if nothing has happened. */
  check(): Promise<void>
  /** The last step that was noticed; null if there was none. */
  step(): ClockStep | null
  /** The sentence about the last step that the health of the service shows; undefined if none is recent. */
  warning(): string | undefined
}

interface ClockWatchParts {
  store: Store
  log: Pick<Logger, 'warn'>
  live: Pick<Live, 'listChanged' | 'alertsChanged'>
  clocks: () => Clocks
  /** True if another node ran when this process started. */
  isBeside?: boolean
}

/** Returns a function that reads the clock of the service and the monotonic clock. */
export const clocksOf = (now: () => number) => (): Clocks => ({ wall: now(), mono: performance.now() })

export function createClockWatch({ store, log, live, clocks, isBeside = false }: ClockWatchParts): ClockWatch {
  const attempt = createAttempts({ log, now: () => clocks().wall })('stored times')
  let before = clocks()
  let last: NoticedStep | null = null
  let owed = 0
  let back = 0
  let isAfterPause = !isBeside
  let foreignAt = Number.NEGATIVE_INFINITY
  let checking: Promise<void> | undefined
  return { check, step: () => last && { at: last.at, by: last.by }, warning }

  function check(): Promise<void> {
    checking ??= checkOnce().finally(() => {
      checking = undefined
    })
    return checking
  }

  async function checkOnce(): Promise<void> {
    const { wall: now, mono } = clocks()
    const by = jumpBetween(before, { wall: now, mono })
    const stepped = Math.abs(by) >= clockSlackMs
    if (stepped) note({ at: now, by, mono, noticed: 'now' })
    const ahead = owed === 0 ? await aheadBy(now) : 0
    if (ahead > 0 && mono - foreignAt >= againMs) {
      foreignAt = mono
      // If no other node ran when this one started, the clock was set back while no node ran. Otherwise the clock of
      // another node is ahead.
      note({ at: now, by: -ahead, mono, noticed: isAfterPause ? 'atStart' : 'elsewhere' })
    }
    isAfterPause = false
    if (stepped && by > 0) await noteRunning(store.db, now)
    if (owed > 0) await mend(now)
  }

  /**
   * The milliseconds by which the last recorded time of a running service is in the future; 0 if that time is possible.
   */
  async function aheadBy(now: number): Promise<number> {
    const beat = await store.db.selectFrom('service_beat').select('at').where('id', '=', 1).executeTakeFirst()
    return beat && isTooFarAhead(beat.at, now) ? beat.at - now : 0
  }

  function note(step: NoticedStep): void {
    last = step
    const seconds = Math.round(step.by / 1000)
    if (step.noticed === 'now') {
      // `before` changes only after a step was noticed, so that smaller steps add up until they are noticed.
      before = { wall: step.at, mono: step.mono }
      log.warn({ seconds }, step.by > 0 ? setForward : setBack)
    } else log.warn({ seconds }, wasAhead)
    if (step.by > 0) return
    owed = correctionRounds
    // The monotonic clock has fractions of milliseconds, which the columns of times refuse.
    back = step.noticed === 'elsewhere' ? 0 : Math.round(-step.by)
  }

  async function mend(now: number): Promise<void> {
    const times = await mendTimes(store, now, back, attempt)
    back = 0
    owed--
    if (times === 0) return
    const workspaces = await store.db.selectFrom('workspace').select('id').execute()
    for (const { id } of workspaces) {
      live.listChanged(id)
      live.alertsChanged(id)
    }
  }

  function warning(): string | undefined {
    if (!last || clocks().mono - last.mono >= shownMs) return undefined
    return stepWords(last)
  }
}

const setBack = 'the clock was set back: stored times that are ahead of it count as now'
const setForward = 'the clock was set forward, or the machine was suspended'
const wasAhead = 'stored times are ahead of the clock, which was set back or differs between nodes: they count as now'

/** A sentence about a step of the clock. */
function stepWords({ at, by, noticed }: NoticedStep): string {
  const [size, moment] = [sizeOf(Math.abs(by)), minuteText(at)]
  if (by > 0) return `The clock went forward by ${size} at ${moment}, or the machine was suspended.`
  return noticed === 'elsewhere'
    ? `Another node's clock is ahead by ${size}, noticed at ${moment}. Stored times that were ahead count as now.`
    : `The clock was set back by ${size} at ${moment}. Stored times that were ahead of it count as now.`
}

/** A duration such as `3 h 5 min`, rounded to minutes, and at least 1 min. */
function sizeOf(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return [hours > 0 ? `${hours} h` : '', rest > 0 ? `${rest} min` : ''].filter(Boolean).join(' ') || '1 min'
}
