/** Selects whole groups of the list, and tells which of them are selected. */
import type { FleetGroup, FleetMap } from '@svc/api'
import type { Grouping } from '@svc/api/filter'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { read } from '../../data/queries.ts'
import { namesFound, type Selection } from '../useSelection.ts'

/** The box of a group: how much of it is selected, and what a press does. */
export interface GroupBox {
  chosen: Chosen
  press: () => Promise<void>
}

type Chosen = 'all' | 'some' | 'none'

interface BoxesQuery {
  slug: string
  /** The text of the filter that is applied. */
  filter: string
  by: Grouping
  /** Undefined if agents cannot be selected here. */
  selection: Selection | undefined
}

/**
 * Returns the function that gives the box of a group. Its agents are known once any agent is selected: the answer for
 * the map names them all.
 */
export function useGroupBoxes({ slug, filter, by, selection }: BoxesQuery) {
  const { data } = useQuery({
    ...read('GET /w/:slug/fleet/map', { slug }, { q: filter, by }),
    enabled: selection !== undefined && selection.names.size > 0,
    placeholderData: keepPreviousData,
  })
  const members = useMemo(() => membersOf(data), [data])
  return (group: FleetGroup): GroupBox | undefined => {
    if (!selection) return undefined
    const known = members.get(group.value) ?? []
    const chosen = chosenOf(group, known, selection.names)
    const press = async () => {
      if (chosen === 'all') return selection.set(known, false)
      const asked = { q: filter, group: by, ...(group.value !== null && { in: group.value }) }
      selection.set(await namesFound(slug, asked), true)
    }
    return { chosen, press }
  }
}

/** The names of the agents of each group. */
export function membersOf(map: Pick<FleetMap, 'groups' | 'squares'> | undefined): Map<string | null, string[]> {
  const members = new Map<string | null, string[]>()
  for (const value of map?.groups ?? []) members.set(value, [])
  for (const [name, , ...groups] of map?.squares ?? [])
    for (const group of groups) members.get(map?.groups[group] ?? null)?.push(name)
  return members
}

/** Returns how much of a group is selected, as far as its agents are known. */
export function chosenOf(
  { agents }: Pick<FleetGroup, 'agents'>,
  known: readonly string[],
  names: ReadonlySet<string>,
): Chosen {
  const number = names.size === 0 ? 0 : known.filter((name) => names.has(name)).length
  return number === 0 ? 'none' : number === known.length && number >= agents ? 'all' : 'some'
}
