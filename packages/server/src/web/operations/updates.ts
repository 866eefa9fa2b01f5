/** Carries out the operations on versions of agents and runtimes, and on rollouts. */
import { type AgentUpdates, type RolloutPage, rollouts, updates } from '@svc/api'
import { isVersion, shown } from '@svc/protocol'
import { readVersionDays } from '../../fleet/versions/days.ts'
import type { Actor } from '../../people/audit/by.ts'
import { requireFound } from '../../platform/refusal.ts'
import { done } from '../../platform/verdict.ts'
import { advanceNow } from '../../updates/rollouts/advance.ts'
import { doNotWaitInRollout } from '../../updates/rollouts/hurry.ts'
import { previewRollout } from '../../updates/rollouts/plan.ts'
import { cancelRollout, continueRollout, pauseRollout, startRollout } from '../../updates/rollouts/store.ts'
import { updateEvents } from '../../updates/wishes/events.ts'
import { doNotWait } from '../../updates/wishes/hurry.ts'
import { wishMany } from '../../updates/wishes/many.ts'
import {
  clearBlueprintWish,
  clearRuntimeWish,
  liftHold,
  type WishedAgent,
  wishBlueprint,
  wishRuntime,
} from '../../updates/wishes/store.ts'
import { readRollouts, rolloutPage } from '../queries/rollouts.ts'
import { agentUpdates, runtimeOverview } from '../queries/updates.ts'
import {
  bindChange,
  bindLongChange,
  bindReading,
  type ChangeArguments,
  type OperationNeeds,
  type ReadArguments,
} from '../routing/operations.ts'

type OnAgent = ChangeArguments<'POST /w/:slug/agents/:name', Actor>
/**
 * The parts that the operations on an agent's versions share: they notify the agent's pages, and answer with the
 * agent's present wishes and holds.
 */
const versionsOfAgent = {
  agents: ({ agent }: WishedAgent): string[] => [agent.id],
  answer: (
    { agent }: WishedAgent,
    { deps, now }: Pick<ReadArguments<unknown>, 'deps' | 'now'>,
  ): Promise<AgentUpdates> => agentUpdates(deps.store.db, agent, now),
}

export const updateOperations = [
  bindReading(updates.updateEvents, ({ deps, agent }, { limit }) => updateEvents(deps.store.db, agent, limit)),
  bindChange(
    updates.wishBlueprint,
    async ({ db, agent, by, now }: OnAgent, { version }) =>
      isVersion(version)
        ? wishBlueprint({ db, by, now }, agent, { version })
        : { ok: false, code: 'version_unknown', message: `A version is written like 1.2.3: got ${shown(version)}.` },
    versionsOfAgent,
  ),
  bindChange(updates.wishNow, ({ agent, ...ctx }: OnAgent) => doNotWait(ctx, agent), versionsOfAgent),
  bindChange(
    updates.clearBlueprintWish,
    ({ agent, ...ctx }: OnAgent) => clearBlueprintWish(ctx, agent),
    versionsOfAgent,
  ),
  bindChange(updates.wishRuntime, ({ agent, ...ctx }: OnAgent) => wishRuntime(ctx, agent), versionsOfAgent),
  bindChange(updates.clearRuntimeWish, ({ agent, ...ctx }: OnAgent) => clearRuntimeWish(ctx, agent), versionsOfAgent),
  bindChange(updates.liftHold, ({ agent, ...ctx }: OnAgent) => liftHold(ctx, agent), versionsOfAgent),
  bindLongChange(
    updates.wishMany,
    async ({ write, workspace, by, now }, wish) => done(await wishMany({ db: write, by, now }, workspace, wish)),
    {
      agents: ({ changed }) => changed,
      answer: ({ results }) => results,
    },
  ),
  bindReading(updates.versionDays, ({ deps, workspace, now }, asked) =>
    readVersionDays(deps.store.db, workspace, asked, now),
  ),
  bindReading(updates.runtime, async ({ deps, workspace, now }) =>
    runtimeOverview(
      deps.store.db,
      workspace.id,
      [...(await deps.live.fleet.readRows(workspace.id)).rows.values()],
      now,
    ),
  ),
]

type InWorkspace = ReadArguments<'GET /w/:slug/rollouts'>

async function readRolloutPage({ deps, workspace, role, now }: InWorkspace, id: string): Promise<RolloutPage> {
  const page = requireFound(await rolloutPage(deps.store.db, workspace, id, now), 'rollout_unknown')
  return { ...page, canAct: role === 'admin' }
}

/** The number of agents for which a version is wished before a request is answered. */
const agentsBefore = 500

const goesOn = {
  continueWork: async (
    deps: OperationNeeds,
    { workspace }: { workspace: { id: string } },
    { id }: { id: string },
    now: number,
  ) => {
    if (await advanceNow(deps, workspace, id, { now, maxAgents: agentsBefore })) deps.hurrySweeper?.()
  },
  answer: ({ id }: { id: string }, reader: InWorkspace) => readRolloutPage(reader, id),
}

/**
 * After each change a rollout advances as far as it can immediately. In a wave with many agents, the sweeper continues
 * after the request was answered.
 */
export const rolloutOperations = [
  bindReading(rollouts.rollouts, async ({ deps, workspace, role, now }, piece) => ({
    ...(await readRollouts(deps.store.db, workspace, piece, now)),
    canAct: role === 'admin',
  })),
  bindLongChange(
    rollouts.startRollout,
    ({ write, workspace, ...ctx }, wanted) => startRollout({ ...ctx, db: write }, workspace, wanted),
    goesOn,
  ),
  bindLongChange(rollouts.previewRollout, ({ write, workspace, now }, wanted) =>
    previewRollout(write, workspace, wanted, now),
  ),
  bindReading(rollouts.showRollout, (reader) => readRolloutPage(reader, reader.params.id)),
  bindLongChange(
    rollouts.pauseRollout,
    ({ write, workspace, params, ...ctx }) => pauseRollout({ ...ctx, db: write }, workspace, params.id),
    goesOn,
  ),
  bindLongChange(
    rollouts.continueRollout,
    ({ write, workspace, params, ...ctx }, { expected }) =>
      continueRollout({ ...ctx, db: write, expected }, workspace, params.id),
    goesOn,
  ),
  bindLongChange(
    rollouts.rolloutNow,
    ({ write, workspace, params, by, now }, { expected }) =>
      doNotWaitInRollout({ db: write, by, now }, workspace, params.id, expected),
    {
      agents: ({ agents }: { id: string; agents: string[] }) => agents,
      answer: ({ id }: { id: string; agents: string[] }, reader) => readRolloutPage(reader, id),
    },
  ),
  bindLongChange(
    rollouts.cancelRollout,
    ({ write, workspace, params, ...ctx }, { withdraw = false, expected }) =>
      cancelRollout({ ...ctx, db: write, expected }, workspace, params.id, withdraw),
    goesOn,
  ),
]
