/**
 * Does the work that is due, such as timing out commands, and erasing logs and old history. The rows of the database
 * decide what is due, not memory (D53). Any node may do a round, even twice or late, because each statement takes only
 * what is still due.
 */

import type { AgentDeps } from '../../agent-api/deps.ts'
import { eraseOldNames } from '../../fleet/agents/old-names.ts'
import type { MonotonicAge } from '../../fleet/commands/deliveries.ts'
import { countVersions } from '../../fleet/versions/days.ts'
import { foldActivity } from '../../people/audit/fold.ts'
import { eraseDeletedWorkspaces } from '../../people/workspaces/erase.ts'
import { dayMs } from '../../platform/limits/units.ts'
import { createLoop } from '../../platform/loop.ts'
import { addChanges } from '../../updates/actions/counts.ts'
import { runActions } from '../../updates/actions/runner.ts'
import { advanceRollouts, announceAdvanced } from '../../updates/rollouts/advance.ts'
import { noteRunning } from '../../updates/wishes/away.ts'
import { grantWaiting } from '../../updates/wishes/trials.ts'
import { type ClockWatch, clocksOf, createClockWatch } from './clock.ts'
import { boundHistories } from './history.ts'
import {
  eraseEndedAccess,
  eraseLogs,
  eraseOldAction,
  eraseOldRollout,
  eraseOldSums,
  eraseOldVersions,
  timeOutCommands,
} from './rounds.ts'
import { eraseSurplus } from './surplus.ts'

/** Returns the milliseconds until the next round, varied at random, so that nodes do not sweep at the same time. */
const pauseMs = () => 3_000 * (0.8 + 0.4 * Math.random())
/** The milliseconds after which the sweeper folds the audit trail and erases surplus rows again. */
const foldEveryMs = 600_000
/** The milliseconds after which expired access, old names of agents, and old daily sums and counts are erased again. */
const accessEveryMs = dayMs
/** The milliseconds between two counts of the agents by version. */
const countEveryMs = 3_600_000

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
): Sweeper {
  let accessErasedAt = Number.NEGATIVE_INFINITY
  let foldedAt = Number.NEGATIVE_INFINITY
  let surplusIsLeft = false
  let countedAt = Number.NEGATIVE_INFINITY
  /** The id of the agent whose history was bounded last; empty at the start of a pass over all agents. */
  let lastBounded = ''
  const { start, run, hurry, stop } = createLoop(pauseMs, sweep, (error) =>
    deps.log.warn({ err: error }, 'a round of the sweeper failed; retrying soon'),
  )
  return { start, hurry: () => hurry(0), sweep: run, stop }

  async function sweep(): Promise<void> {
    await clock.check()
    const now = deps.now()
    for (const agent of await timeOutCommands(deps.store, now, age)) deps.live.changed(agent.workspaceId, agent.id)
    await runActions(deps)
    await noteRunning(deps.store.db, now)
    for (const agent of await grantWaiting(deps.store.db, now)) deps.live.changed(agent.workspaceId, agent.id)
    await eraseLogs(deps.store, now)
    await eraseOldRollout(deps.store.db, now)
    await eraseOldAction(deps.store.db, now)
    await addChanges(deps.store.db)
    await eraseDeletedWorkspaces(deps.store.db)
    lastBounded = await boundHistories(deps.store.db, lastBounded, now)
    if (Math.abs(now - foldedAt) >= foldEveryMs) {
      await foldActivity(deps.store.db)
      surplusIsLeft = true
      foldedAt = now
    }
    if (surplusIsLeft) surplusIsLeft = await eraseSurplus(deps.store.db, now)
    if (Math.abs(now - accessErasedAt) >= accessEveryMs) {
      await eraseEndedAccess(deps.store, now)
      await eraseOldNames(deps.store.db, now)
      await eraseOldSums(deps.store.db, now)
      await eraseOldVersions(deps.store.db, now)
      accessErasedAt = now
    }
    announceAdvanced(deps.live, await advanceRollouts(deps.store.db, now))
    if (Math.abs(now - countedAt) >= countEveryMs) {
      // The time is set before the count, so that a failed count is not tried again in each round.
      countedAt = now
      await countVersions(deps.store.db, now, (error, workspace) =>
        deps.log.warn({ err: error, workspace }, 'the agents of a workspace could not be counted by version'),
      )
    }
  }
}
