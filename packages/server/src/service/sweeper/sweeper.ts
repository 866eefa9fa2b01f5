/**
 * Does the work that is due, such as timing out commands, and erasing logs and old history. The rows of the database
 * decide what is due, not memory (D53). Any node may do a round, even twice or late, because each statement takes only
 * what is still due.
 */

import type { AgentDeps } from '../../agent-api/deps.ts'
import type { MonotonicAge } from '../../fleet/commands/deliveries.ts'
import { createAttempts } from '../../platform/attempt.ts'
import { createLoop } from '../../platform/loop.ts'
import { type ClockWatch, clocksOf, createClockWatch } from './clock.ts'
import { createJobs, type Job } from './jobs.ts'

/** Returns the milliseconds until the next round, varied at random, so that nodes do not sweep at the same time. */
const pauseMs = () => 3_000 * (0.8 + 0.4 * Math.random())

interface Sweeper {
  start(): void
  /** Lets the next round begin at once; if one is running, after its end. */
  hurry(): void
  /** Runs one round now and resolves when it has ended. If a round is already running, no second round starts. */
  sweep(): Promise<void>
  /** Stops the sweeper; resolves when the round that may be running has ended. */
  stop(): Promise<void>
}

/**
 * Creates the sweeper of this process. `clock` is the clock watch that the parts of the process share; by default the
 * sweeper has its own.
 */
export function createSweeper(
  deps: Pick<AgentDeps, 'store' | 'live' | 'log' | 'now'>,
  age: MonotonicAge,
  clock: Pick<ClockWatch, 'check'> = createClockWatch({ ...deps, clocks: clocksOf(deps.now) }),
  jobs: readonly Job[] = createJobs(deps, age),
): Sweeper {
  const attemptOf = createAttempts(deps)
  /** When each job last ended without error and left no work. */
  const doneAt = new Map<string, number>()
  const { start, run, hurry, stop } = createLoop(pauseMs, sweep, (error) =>
    deps.log.warn({ err: error }, 'a round of the sweeper failed; retrying soon'),
  )
  return { start, hurry: () => hurry(0), sweep: run, stop }

  async function sweep(): Promise<void> {
    // All jobs judge by stored times, so none of them runs before these are corrected.
    await clock.check()
    const now = deps.now()
    for (const job of jobs) if (isDue(job, now)) await attempt(job, now)
  }

  function isDue({ name, everyMs = 0 }: Job, now: number): boolean {
    const at = doneAt.get(name)
    return at === undefined || Math.abs(now - at) >= everyMs
  }

  async function attempt({ name, run }: Job, now: number): Promise<void> {
    const attemptItem = attemptOf(name)
    await attemptItem('', async () => {
      const isLeft = await run(now, attemptItem)
      if (isLeft === true) doneAt.delete(name)
      else doneAt.set(name, now)
    })
  }
}
