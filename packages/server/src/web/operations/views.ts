/** Carries out the operations on views. */
import { views } from '@svc/api'
import { removeView, saveView, viewsOf } from '../../fleet/views/store.ts'
import { filterOf } from '../queries/filter.ts'
import { acts, type Bound, looks } from '../routing/operations.ts'

export const savedView = acts(
  views.setView,
  async ({ workspace, ...ctx }, wanted) => {
    filterOf({ q: wanted.q })
    return saveView(ctx, workspace, wanted)
  },
  { made: ({ made }) => made, answer: ({ view }) => view },
)
export const removedView = acts(
  views.removeView,
  ({ workspace, params, ...ctx }) => removeView(ctx, workspace, params.id),
  {},
)

export const viewOperations: readonly Bound[] = [
  looks(views.views, ({ deps, workspace, who }) => viewsOf(deps.store.db, workspace, who.person)),
  savedView,
  removedView,
]
