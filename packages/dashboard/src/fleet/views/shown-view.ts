/** Pure functions about views: which one the list shows, what a new one keeps, and who may change one. */
import type { NewView, Role, SavedView } from '@svc/api'
import { trimInvisible } from '@svc/protocol'
import { defaultColumns } from './columns.ts'
import { defaultOrder, type FleetListChoice } from './state.ts'

/** The view that the list shows. */
export interface ShownView {
  view: SavedView
  /** True if the filter, the order or the columns of the list are no longer those of the view. */
  differs: boolean
}

/**
 * Returns the view that the list shows: one with the same filter, order and columns, otherwise the one that the person
 * opened last (`differs`). For a list of all agents in the default order, no view that differs is returned.
 */
export function shownViewOf(
  views: readonly SavedView[],
  opened: string | undefined,
  state: FleetListChoice,
): ShownView | undefined {
  const last = views.find(({ id }) => id === opened)
  const same = last && isSame(last, state) ? last : views.find((view) => isSame(view, state))
  if (same) return { view: same, differs: false }
  return last && !isDefaultList(state) ? { view: last, differs: true } : undefined
}

const isSame = ({ q, sort, columns }: SavedView, state: FleetListChoice): boolean =>
  trimInvisible(q) === trimInvisible(state.q) &&
  (sort ?? defaultOrder) === state.sort &&
  (columns === null || sameColumns(columns, state.columns))

/** True if the list shows all agents in the default order. */
export const isDefaultList = ({ q, sort }: Pick<FleetListChoice, 'q' | 'sort'>): boolean =>
  trimInvisible(q) === '' && sort === defaultOrder

const sameColumns = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name) => b.includes(name))

/** The view to save for the present list. The page's default order and columns are not saved in it. */
export const viewOfState = ({ q, sort, columns }: FleetListChoice, name: string, shared: boolean): NewView => ({
  name: trimInvisible(name),
  shared,
  q: trimInvisible(q),
  sort: sort === defaultOrder ? null : sort,
  columns: sameColumns(columns, defaultColumns) ? null : [...columns],
})

/** True if a person with this role may change the view: only admins change those of the workspace. */
export const mayChangeView = ({ shared }: SavedView, role: Role): boolean => !shared || role === 'admin'

/** Returns the view that a new view with this name would replace, among those of the workspace or the person. */
export const replacedView = (views: readonly SavedView[], name: string, shared: boolean): SavedView | undefined =>
  views.find((view) => view.shared === shared && view.name === trimInvisible(name))

/** The input that saves the same view again. */
export const asNewView = ({ id: _, ...view }: SavedView): NewView => view
