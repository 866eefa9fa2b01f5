import type { Grouping } from '@svc/api/filter'
import { useEffect, useState } from 'react'
import { call } from '../data/api.ts'
import { focusMain } from '../ui/index.ts'
import { notify } from '../ui/notify.tsx'

/** The selected agents, with the functions that change the selection. */
export interface Selection {
  names: ReadonlySet<string>
  /** The filter that selected exactly these agents; undefined if they were selected in another way. */
  filter: string | undefined
  toggle: (name: string) => void
  /** Selects the named agents if `on` is true, otherwise deselects them. */
  set: (names: Iterable<string>, on: boolean) => void
  /** Selects the agents that a filter found, in addition to those that are selected. */
  setFound: (names: readonly string[], filter: string) => void
  clear: () => void
}

type SelectedAgents = Pick<Selection, 'names' | 'filter'>
const nothing: SelectedAgents = { names: new Set(), filter: undefined }

/** The agents that are selected for bulk commands. Opening another workspace clears the selection. */
export function useSelection(slug: string): Selection {
  const [{ names, filter }, select] = useState(nothing)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another workspace clears the selection
  useEffect(() => select(nothing), [slug])
  const set = (which: Iterable<string>, on: boolean) =>
    select((old) => {
      const next = new Set(old.names)
      for (const name of which) {
        if (on) next.add(name)
        else next.delete(name)
      }
      return { names: next, filter: undefined }
    })
  const setFound = (found: readonly string[], by: string) =>
    select((old) => {
      const next = new Set([...found, ...old.names])
      return { names: next, filter: by !== '' && next.size === found.length ? by : undefined }
    })
  return {
    names,
    filter,
    set,
    setFound,
    toggle: (name) => set([name], !names.has(name)),
    clear: () => {
      select(nothing)
      // The bar with the buttons disappears, so the focus must not stay in it.
      if (document.activeElement?.closest('.fleet-bulk')) focusMain()
    },
  }
}

/** The agents that a filter selects, or one group of them. */
interface WantedAgents {
  q: string
  group?: Grouping
  /** The value of the group; missing for the agents that have none. */
  in?: string
}

/** Reads the names of the agents, and shows a message if an action can reach only some of them. */
export async function findAgentNames(slug: string, wanted: WantedAgents): Promise<string[]> {
  const { names, total } = await call('GET /w/:slug/fleet/names', { slug }, wanted)
  const [some, all] = [names.length, total].map((number) => number.toLocaleString('en-US'))
  if (total > names.length) notify({ message: `${some} of ${all} agents are selected: an action reaches no more.` })
  return names
}
