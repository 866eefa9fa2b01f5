/** Commands for the views of a workspace. People save views of their own on the page. */
import { views } from '@svc/api'
import { commandOf } from '../shared/command.ts'
import { findByFilter } from '../shared/filter.ts'
import { inWorkspace } from '../shared/params.ts'
import { perform } from '../shared/perform.ts'
import { argument, granted, Misused, readTyped, typedArgument, typedOption } from '../shared/request.ts'
import { line, table } from '../shared/show.ts'

export const viewCommands = {
  ...commandOf(views.views, {
    at: inWorkspace,
    run: async ({ store }, { workspace }) => {
      const { viewsOf } = await import('../../fleet/views/store.ts')
      const all = await viewsOf(store.db, workspace, { id: null })
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
    run: async (call) => {
      const { viewsOf } = await import('../../fleet/views/store.ts')
      const filter = typedOption(call, 'filter')
      if (filter === undefined) throw new Misused('A view needs a filter: view set SLUG NAME --filter FILTER')
      const wanted = readTyped(views.setView, { name: typedArgument(call, 1), q: filter, shared: true })
      const { workspace } = await inWorkspace(call)
      // The order and the columns of a view that is there already were chosen on the page, and stay.
      const before = (await viewsOf(call.store.db, workspace, { id: null })).find(({ name }) => name === wanted.name)
      const kept = before && { sort: before.sort, columns: before.columns }
      const { view } = await findByFilter(filter, () =>
        perform(call, views.setView, { workspace }, { ...wanted, ...kept }),
      )
      return { name: view.name, q: view.q }
    },
    show: ({ name, q }) => line(`The view ${name} shows ${q === '' ? 'all agents' : q}.`),
  }),
  ...commandOf(views.removeView, {
    at: inWorkspace,
    run: async (call, { workspace }) => {
      const { sharedView } = await import('../../fleet/views/store.ts')
      const { id, name } = granted(await sharedView(call.store.db, workspace, argument(call, 1)))
      await perform(call, views.removeView, { workspace, id })
      return { name, removed: true }
    },
    show: ({ name }) => line(`Removed the view ${name}.`),
  }),
}
