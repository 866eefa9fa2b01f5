/**
 * The jobs of the sweeper, in the order in which a round does them. A job that fails does not stop the others. A job
 * that works for one party after another, such as workspaces or agents, does each part with its `Attempt`.
 */
import type { AgentDeps } from '../../agent-api/deps.ts'
import { eraseOldNames } from '../../fleet/agents/old-names.ts'
import type { MonotonicAge } from '../../fleet/commands/deliveries.ts'
import { countVersions } from '../../fleet/versions/days.ts'
import { foldActivity } from '../../people/audit/fold.ts'
import { eraseDeletedWorkspaces } from '../../people/workspaces/erase.ts'
import type { Attempt } from '../../platform/attempt.ts'
import { dayMs } from '../../platform/limits/units.ts'
import { addChanges } from '../../updates/actions/counts.ts'
import { runActions } from '../../updates/actions/runner.ts'
import { advanceRollouts, announceAdvanced } from '../../updates/rollouts/advance.ts'
import { noteRunning } from '../../updates/wishes/away.ts'
import { grantWaiting } from '../../updates/wishes/trials.ts'
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

export interface Job {
  /** The name of the job in the log. */
  readonly name: string
  /** The milliseconds from a run without error to the next run; by default the job runs in every round. */
  readonly everyMs?: number
  /** Does the work that is due at `now`. Resolves with true if work is left for the next round. */
  run(now: number, attempt: Attempt): Promise<unknown>
}

const foldEveryMs = 600_000
const countEveryMs = 3_600_000

/** Creates the jobs of one sweeper. */
export function createJobs(
  { store, live, now: clock }: Pick<AgentDeps, 'store' | 'live' | 'now'>,
  age: MonotonicAge,
): readonly Job[] {
  const { db } = store
  /** The id of the agent whose history was bounded last; empty at the start of a pass over all agents. */
  let lastBounded = ''
  const announce = (agents: readonly { id: string; workspaceId: string }[]): void => {
    for (const agent of agents) live.changed(agent.workspaceId, agent.id)
  }
  return [
    {
      name: 'timeouts of commands',
      run: async (now, attempt) => announce(await timeOutCommands(store, now, age, attempt)),
    },
    { name: 'actions', run: (_, attempt) => runActions({ store, live, now: clock }, attempt) },
    { name: 'outages', run: (now) => noteRunning(db, now) },
    { name: 'trials', run: async (now, attempt) => announce(await grantWaiting(db, now, attempt)) },
    { name: 'expired logs', run: (now) => eraseLogs(store, now) },
    { name: 'old rollouts', run: (now, attempt) => eraseOldRollout(db, now, attempt) },
    { name: 'old actions', run: (now, attempt) => eraseOldAction(db, now, attempt) },
    { name: 'counts of actions', run: (_, attempt) => addChanges(db, attempt) },
    { name: 'deleted workspaces', run: (_, attempt) => eraseDeletedWorkspaces(db, { attempt }) },
    {
      name: 'histories',
      async run(now, attempt) {
        lastBounded = await boundHistories(db, lastBounded, now, attempt)
      },
    },
    { name: 'activity', everyMs: foldEveryMs, run: (_, attempt) => foldActivity(db, { attempt }) },
    { name: 'surplus', everyMs: foldEveryMs, run: (now, attempt) => eraseSurplus(db, now, attempt) },
    { name: 'ended access', everyMs: dayMs, run: (now, attempt) => eraseEndedAccess(store, now, attempt) },
    { name: 'old names', everyMs: dayMs, run: (now) => eraseOldNames(db, now) },
    { name: 'old sums', everyMs: dayMs, run: (now) => eraseOldSums(db, now) },
    { name: 'old versions', everyMs: dayMs, run: (now) => eraseOldVersions(db, now) },
    {
      name: 'rollouts',
      run: async (now, attempt) => announceAdvanced(live, await advanceRollouts(db, now, attempt)),
    },
    { name: 'versions', everyMs: countEveryMs, run: (now, attempt) => countVersions(db, now, attempt) },
  ]
}
