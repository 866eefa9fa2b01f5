/** Commands for the views of a workspace. People save views of their own on the page. */
import { views } from '@svc/api'
import { commandOf } from '../shared/command.ts'
import { pointedAt } from '../shared/filter.ts'
import { argument, granted, Misused, readTyped, typedArgument, typedOption } from '../shared/request.ts'
import { line, table } from '../shared/show.ts'

export const viewCommands = {
  ...commandOf(views.views, {
    run: async (request, service, { viewsOf, workspaceOf }) => {
      const all = await viewsOf(service.store.db, await workspaceOf(service, argument(request, 0)), { id: null })
      return all.map(({ name, q }) => ({ name, q }))
    },
    show: (all) =>
      table(
        ['NAME', 'FILTER'],
        all.map(({ name, q }) => [name, q]),
        'No views.',
      ),
  }),
  ...commandOf(views.setView, {
    run: async (request, service, { perform, savedView, viewsOf, workspaceOf }) => {
      const filter = typedOption(request, 'filter')
      if (filter === undefined) throw new Misused('A view needs a filter: view set SLUG NAME --filter FILTER')
      const wanted = readTyped(views.setView, { name: typedArgument(request, 1), q: filter, shared: true })
      const workspace = await workspaceOf(service, argument(request, 0))
      // The order and the columns of a view that is there already were chosen on the page, and stay.
      const before = (await viewsOf(service.store.db, workspace, { id: null })).find(({ name }) => name === wanted.name)
      const kept = before && { sort: before.sort, columns: before.columns }
      const { view } = await perform(service, savedView, { workspace }, { ...wanted, ...kept }).catch((error) => {
        throw pointedAt(filter, error)
      })
      return { name: view.name, q: view.q }
    },
    show: ({ name, q }) => line(`The view ${name} shows ${q === '' ? 'all agents' : q}.`),
  }),
  ...commandOf(views.removeView, {
    run: async (request, service, { perform, removedView, sharedView, workspaceOf }) => {
      const workspace = await workspaceOf(service, argument(request, 0))
      const { id, name } = granted(await sharedView(service.store.db, workspace, argument(request, 1)))
      await perform(service, removedView, { workspace, params: { slug: workspace.slug, id } }, undefined)
      return { name, removed: true }
    },
    show: ({ name }) => line(`Removed the view ${name}.`),
  }),
}
