/** Carries out the operations on views. */
import { views } from '@svc/api'
import { removeView, setView, viewsOf } from '../../fleet/views/store.ts'
import { filterOf } from '../queries/filter.ts'
import { acts, looks } from '../routing/operations.ts'

export const viewOperations = [
  looks(views.views, ({ deps, workspace, who }) => viewsOf(deps.store.db, workspace, who.person)),
  acts(
    views.setView,
    async ({ workspace, ...ctx }, wanted) => {
      filterOf({ q: wanted.q })
      return setView(ctx, workspace, wanted)
    },
    { made: ({ made }) => made, answer: ({ view }) => view },
  ),
  acts(views.removeView, ({ workspace, params, ...ctx }) => removeView(ctx, workspace, params.id)),
]
