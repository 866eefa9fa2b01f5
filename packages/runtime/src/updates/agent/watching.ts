/**
 * Watches a version for 30 minutes after it was kept (3.3, D27, D28). The agent is rolled back if its level stays worse
 * than when the version was kept or changes too often, or if its process crashes three times. Only the time counts in
 * which the agent runs, or has ended with exit code 0, and is not paused.
 */
import { type Level, levelRank, limits } from '@svc/protocol'
import { scaledMs, wait } from '../../machine/base/time.ts'
import { processHealth } from '../../state/process-health.ts'
import type { ProcessState } from '../../state/process-note.ts'
import { isResting, tickMs, type UpdateStep } from './ground.ts'
import type { Update, WatchWindow } from './journal.ts'
import { ownLevel, statusReader } from './status.ts'

const evaluateSeconds = 10
const saveSeconds = 60
/**
 * The limits of D28 for a watched version: evaluations in a row at a worse level, changes between worse and not worse,
 * and crashes.
 */
const maxWorse = 2
const maxFlips = 3
const maxDeaths = 3

/**
 * Adds an evaluation of the agent's level to the counts of a watched version. Evaluations are at least ten seconds
 * apart.
 */
export function countLevel(window: WatchWindow, level: Level): WatchWindow {
  const isWorse = levelRank[level] > levelRank[window.baseline]
  const was = window.worse > 0
  return { ...window, worse: isWorse ? window.worse + 1 : 0, flips: window.flips + (isWorse === was ? 0 : 1) }
}

/** The reason to roll back the watched version; undefined if it stays. */
export function rollbackReason({ baseline, worse, flips, deaths }: WatchWindow, level: Level): string | undefined {
  if (worse >= maxWorse) return `it got worse after it was kept: ${level}, and it was ${baseline}`
  if (flips > maxFlips) return `it got worse and better again more than ${maxFlips} times after it was kept`
  if (deaths >= maxDeaths) return `its process died ${deaths} times after it was kept`
  return undefined
}

/** The step that watches a version after it was kept. */
export const watching: UpdateStep = async (ground, update) => {
  const { stop, process, deaths } = ground
  const read = statusReader(ground.folder, await ground.manifest())
  let window: WatchWindow = update.window ?? { baseline: 'ok', ran: 0, worse: 0, flips: 0, deaths: 0 }
  let saved = window
  let level = window.baseline
  let last = performance.now()
  let evaluated = last
  let died = deaths()
  const keep = () => {
    saved = window
    ground.save({ ...ground.now(), window })
  }
  for (;;) {
    if (!(await wait(tickMs(), stop))) {
      if (window !== saved) keep()
      return undefined
    }
    const now = performance.now()
    const passed = now - last
    last = now
    const result = ground.asked() ?? ground.wish()
    if (result) return result
    if (isResting(ground)) continue
    const state = process()
    if (deaths() > died) window = { ...window, deaths: window.deaths + deaths() - died }
    died = deaths()
    if (isUp(state)) window = { ...window, ran: window.ran + passed / scaledMs(1) }
    if (now - evaluated >= scaledMs(evaluateSeconds) && !betweenRuns(state)) {
      evaluated = now
      const status = read(state)
      level = ownLevel(status?.status ?? {}, processHealth(state).level ?? 'ok', status?.health)
      window = countLevel(window, level)
    }
    const why = rollbackReason(window, level)
    if (why !== undefined) return { event: 'worse', why }
    if (window.ran >= limits.windowSeconds) return { event: 'over' }
    if (hasChanged(saved, window)) keep()
  }
}

/** True if the process is as it should be: it runs, or it has done its work and ended with exit code 0. */
const isUp = (state: ProcessState): boolean =>
  state.is === 'running' || (state.is === 'stopped' && state.because === 'ended' && state.exit?.code === 0)
/**
 * True if the agent's process starts again soon, after it ended with exit code 0 or was restarted on request. Its level
 * is not counted meanwhile.
 */
const betweenRuns = (state: ProcessState): boolean =>
  state.is === 'waiting' && (state.exit === undefined || state.exit.code === 0 || state.crashes === 0)

const hasChanged = (saved: WatchWindow, now: WatchWindow): boolean =>
  now.ran - saved.ran >= saveSeconds ||
  now.deaths !== saved.deaths ||
  now.flips !== saved.flips ||
  now.worse !== saved.worse

/** The remaining seconds for which the version is watched. */
export const secondsToWatch = ({ window }: Update): number =>
  Math.max(0, limits.windowSeconds - Math.floor(window?.ran ?? 0))
