import type { Fleet, FleetRow } from '@svc/api'
import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { FleetQuery } from '../data/api.ts'
import { fleetQuery, fleetWindow, queryKeys } from '../data/queries.ts'
import { serviceNow } from '../ui/index.ts'
import { nextOfflineAt, windowOffsetsOf } from './views/search.ts'

/** The list of agents, in which only the rows in sight and near them are loaded. */
export interface ShownFleet {
  total: number
  head: Fleet
  /** Returns the row of the list at an index; undefined while the window of rows that contains it is loading. */
  row: (index: number) => FleetRow | undefined
}

/**
 * Loads the rows from `first` to `last` of a list, in windows, as they come into sight. While another list loads, the
 * previous one stays on screen.
 */
export function useFleet(slug: string, query: FleetQuery, first: number, last: number) {
  const offsets = windowOffsetsOf(first, last, fleetWindow)
  const results = useQueries({ queries: offsets.map((offset) => fleetQuery(slug, query, offset)) })
  const windows = new Map(
    results.flatMap(({ data }, i) => {
      const offset = offsets[i]
      return data && offset !== undefined ? [[offset, data] as const] : []
    }),
  )
  const head = [...windows.values()].reduce<Fleet | undefined>((a, b) => (a && a.now > b.now ? a : b), undefined)
  const shown: ShownFleet | undefined = head && {
    total: head.total,
    head,
    row: (index) => windows.get(Math.floor(index / fleetWindow) * fleetWindow)?.rows[index % fleetWindow],
  }
  const before = useRef<{ slug: string; shown: ShownFleet } | undefined>(undefined)
  useOfflineReload(slug, [...windows.values()])
  useEffect(() => {
    if (shown) before.current = { slug, shown }
  })
  return {
    shown: shown ?? (before.current?.slug === slug ? before.current.shown : undefined),
    late: shown === undefined,
    error: results.find(({ error, data }) => error && !data)?.error ?? null,
    retry: () => Promise.all(results.map(({ refetch }) => refetch())),
  }
}

/**
 * Loads the list and the map again when an agent goes offline, because the service sends no frame when that happens.
 */
function useOfflineReload(slug: string, windows: readonly Fleet[]): void {
  const client = useQueryClient()
  const times = windows.flatMap((window) => nextOfflineAt(window) ?? [])
  const next = times.length === 0 ? undefined : Math.min(...times)
  useEffect(() => {
    if (next === undefined) return
    // The wait is at least 3 s, so that agents that go offline one by one do not cause a request each.
    const wait = Math.max(next - serviceNow() + 500, 3_000)
    const timer = setTimeout(() => {
      for (const queryKey of [queryKeys.fleet(slug), queryKeys.map(slug)]) void client.invalidateQueries({ queryKey })
    }, wait)
    return () => clearTimeout(timer)
  }, [client, slug, next])
}
