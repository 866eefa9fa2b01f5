/**
 * The view from which a person came to the list of agents. The entry of the browser's history keeps it, so it belongs
 * to one address: it survives a reload and comes back with the button *Back*, and another address has none.
 */
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { isDefaultList } from './shown-view.ts'
import { type FleetSearch, orderText } from './state.ts'

/** The data of an entry in the browser's history, besides its address. */
interface ListEntry {
  /** The id of a view. */
  view?: string | undefined
}

declare module '@tanstack/history' {
  interface HistoryState extends ListEntry {}
}

const route = getRouteApi('/signed-in/w/$slug/')

/** The id of the view from which the person came to the list; undefined if the person did not come from a view. */
export const useOpenedViewId = (): string | undefined => route.useRouteContext({ select: ({ opened }) => opened })

/**
 * Returns a function that makes the history entry of a list which a person changed. The entry keeps the id of the view,
 * unless the list shows all agents in the default order: then later changes are not changes of that view.
 */
export const entryAfterChange =
  (next: FleetSearch) =>
  ({ view }: ListEntry): ListEntry =>
    view === undefined || isDefaultList({ q: next.q ?? '', sort: orderText(next) }) ? {} : { view }

/**
 * Returns a function that notes a view as the one that the list came from, because the view was just saved from this
 * list. With `instead`, the function does so only if the list came from the view with the id `instead` before.
 */
export function useNoteOpenedView(): (id: string, instead?: string) => void {
  const router = useRouter()
  return (id, instead) => {
    if (instead === undefined || router.latestLocation.state.view === instead)
      void router.navigate({ to: '.', search: true, state: { view: id }, replace: true, resetScroll: false })
  }
}
