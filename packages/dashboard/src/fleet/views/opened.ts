/**
 * Remembers which view a person opened last, in the entry of the browser's history. So a reload and the button *Back*
 * keep the view, and links to other addresses do not.
 */
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { isDefaultList } from './shown-view.ts'
import { type FleetSearch, orderText } from './state.ts'

/** The `state` of an entry in the browser's history. */
interface ListEntry {
  /** The id of the view that the person opened last. */
  view?: string | undefined
}

declare module '@tanstack/history' {
  interface HistoryState extends ListEntry {}
}

const route = getRouteApi('/signed-in/w/$slug/')

/** The id of the view that the person opened last; undefined if they opened none. */
export const useOpenedViewId = (): string | undefined => route.useRouteContext({ select: ({ opened }) => opened })

/**
 * Returns a function that makes the history entry after a person changed the list to `next`. The entry keeps the opened
 * view, unless `next` shows all agents in the default order, which starts a new list.
 */
export const entryAfterChange =
  (next: FleetSearch) =>
  ({ view }: ListEntry): ListEntry =>
    view === undefined || isDefaultList({ q: next.q ?? '', sort: orderText(next) }) ? {} : { view }

/**
 * Returns a function that remembers a saved view as the opened one. With `instead`, it does so only if the view with
 * the id `instead` is the opened one.
 */
export function useNoteOpenedView(): (id: string, instead?: string) => void {
  const router = useRouter()
  return (id, instead) => {
    if (instead === undefined || router.latestLocation.state.view === instead)
      void router.navigate({ to: '.', search: true, state: { view: id }, replace: true, resetScroll: false })
  }
}
