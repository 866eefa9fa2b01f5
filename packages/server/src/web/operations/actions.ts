/** Carries out the operations on actions. The first agents get their command before the answer, the others after it. */
import { actions } from '@svc/api'
import { found } from '../../platform/refusal.ts'
import { actionOffers, previewAction } from '../../updates/actions/preview.ts'
import { agentsAtOnce, runAction } from '../../updates/actions/runner.ts'
import { cancelAction, retryAction, sendAction } from '../../updates/actions/store.ts'
import { actionPage, actionsOf } from '../queries/actions.ts'
import { acts, actsOften, looks, type OperationNeeds } from '../routing/operations.ts'

/** The number of slices that are sent before a request is answered. */
const slicesBefore = Math.ceil(500 / agentsAtOnce)

const sends = {
  goOn: async (deps: OperationNeeds, _at: unknown, { id }: { id: string }) => {
    if ((await runAction(deps, id, slicesBefore)) !== 'more') return
    // If this fails, or the service is killed, the sweeper goes on.
    setImmediate(() => void runAction(deps, id).catch(() => {}))
  },
  answer: ({ id }: { id: string }) => ({ id }),
}

export const actionOperations = [
  looks(actions.actions, ({ deps, workspace }, piece) => actionsOf(deps.store.db, workspace, piece)),
  acts(actions.sendAction, ({ workspace, ...ctx }, wanted) => sendAction(ctx, workspace, wanted), sends),
  actsOften(actions.previewAction, ({ write, workspace }, wanted) => previewAction(write, workspace, wanted)),
  actsOften(actions.actionOffers, ({ write, workspace }, wanted) => actionOffers(write, workspace, wanted)),
  looks(actions.showAction, async ({ deps, workspace, params, now }, { state }) =>
    found(await actionPage(deps.store.db, workspace, params.id, { now, state }), 'action_unknown'),
  ),
  acts(actions.retryAction, ({ workspace, params, ...ctx }) => retryAction(ctx, workspace, params.id), sends),
  acts(actions.cancelAction, ({ workspace, params, ...ctx }) => cancelAction(ctx, workspace, params.id), {
    goOn: async ({ live }: OperationNeeds, _at, { workspaceId, agents }) => {
      for (const agent of agents) live.changed(workspaceId, agent)
    },
    answer: ({ cancelled }) => ({ cancelled }),
  }),
]
