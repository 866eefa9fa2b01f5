/** Loads the groups of the list, and the rows of open groups as they come into sight. */
import type { FleetRow } from '@svc/api'
import type { Grouping } from '@svc/api/filter'
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { FleetQuery } from '../../data/api.ts'
import { fleetQuery, fleetWindow, read } from '../../data/queries.ts'
import { type GroupedLines, groupLinesOf } from './lines.ts'

interface GroupedQuery {
  slug: string
  query: FleetQuery
  by: Grouping
  isOpen: (value: string | null) => boolean
  /** The first and the last line that may be in sight. */
  range: readonly [first: number, last: number]
}

/** Returns the lines of the grouped list, and a function that gives the row of a line once it is loaded. */
export function useGroups({ slug, query, by, isOpen, range: [first, last] }: GroupedQuery) {
  const asked = read('GET /w/:slug/fleet/groups', { slug }, { q: query.q, by })
  const { data, error, isPlaceholderData, refetch } = useQuery({ ...asked, placeholderData: keepPreviousData })
  const lines = useMemo(() => data && groupLinesOf(data.groups, isOpen), [data, isOpen])
  const wanted = lines ? windowsIn(lines, first, last) : []
  const results = useQueries({
    queries: wanted.map(({ value, offset }) =>
      fleetQuery(slug, { ...query, group: by, in: value ?? undefined }, offset),
    ),
  })
  const windows = new Map(wanted.map(({ value, offset }, i) => [windowName(value, offset), results[i]?.data]))
  /** The row of a line; undefined for the head of a group, and while it loads. */
  const row = (line: number): FleetRow | undefined => {
    const { group, index } = lines?.at(line) ?? {}
    if (!group || index === undefined) return undefined
    const offset = Math.floor(index / fleetWindow) * fleetWindow
    return windows.get(windowName(group.value, offset))?.rows[index - offset]
  }
  return {
    lines,
    row,
    groups: data,
    late: isPlaceholderData,
    error: (data ? undefined : error) ?? results.find((result) => result.error && !result.data)?.error ?? null,
    retry: () => Promise.all([refetch(), ...results.map((result) => result.refetch())]),
  }
}

const windowName = (value: string | null, offset: number): string => JSON.stringify([value, offset])

/** The windows of rows that the lines from `first` to `last` need. */
function windowsIn(lines: GroupedLines, first: number, last: number): { value: string | null; offset: number }[] {
  const windows = new Map<string, { value: string | null; offset: number }>()
  for (let line = first; line <= last; line++) {
    const { group, index } = lines.at(line) ?? {}
    if (!group || index === undefined) continue
    const window = { value: group.value, offset: Math.floor(index / fleetWindow) * fleetWindow }
    windows.set(windowName(window.value, window.offset), window)
  }
  return [...windows.values()]
}
