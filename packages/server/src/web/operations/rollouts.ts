/** Carries out the operations on rollouts. After each change a rollout advances as far as it can immediately. */
import { type RolloutPage, rollouts } from '@svc/api'
import { found } from '../../platform/refusal.ts'
import { advanceNow } from '../../updates/rollouts/advance.ts'
import { previewRollout } from '../../updates/rollouts/plan.ts'
import { cancelRollout, continueRollout, pauseRollout, startRollout } from '../../updates/rollouts/store.ts'
import { rolloutPage, rolloutsOf } from '../queries/rollouts.ts'
import { acts, looks, type OperationNeeds, type ReadArguments } from '../routing/operations.ts'

type InWorkspace = ReadArguments<'GET /w/:slug/rollouts'>

async function pageOf({ deps, workspace, role, now }: InWorkspace, id: string): Promise<RolloutPage> {
  const page = found(await rolloutPage(deps.store.db, workspace, id, now), 'rollout_unknown')
  return { ...page, canAct: role === 'admin' }
}

const goesOn = {
  goOn: async (
    deps: OperationNeeds,
    { workspace }: { workspace: { id: string } },
    { id }: { id: string },
    now: number,
  ) => {
    await advanceNow(deps, workspace, id, now)
  },
  answer: ({ id }: { id: string }, looking: InWorkspace) => pageOf(looking, id),
}

export const rolloutOperations = [
  looks(rollouts.rollouts, async ({ deps, workspace, role, now }, piece) => ({
    ...(await rolloutsOf(deps.store.db, workspace, piece, now)),
    canAct: role === 'admin',
  })),
  acts(rollouts.startRollout, ({ workspace, ...ctx }, wanted) => startRollout(ctx, workspace, wanted), goesOn),
  acts(rollouts.previewRollout, ({ db, workspace, now }, wanted) => previewRollout(db, workspace, wanted, now)),
  looks(rollouts.showRollout, (looking) => pageOf(looking, looking.params.id)),
  acts(rollouts.pauseRollout, ({ workspace, params, ...ctx }) => pauseRollout(ctx, workspace, params.id), goesOn),
  acts(rollouts.continueRollout, ({ workspace, params, ...ctx }) => continueRollout(ctx, workspace, params.id), goesOn),
  acts(
    rollouts.cancelRollout,
    ({ workspace, params, ...ctx }, { withdraw = false }) => cancelRollout(ctx, workspace, params.id, withdraw),
    goesOn,
  ),
]
