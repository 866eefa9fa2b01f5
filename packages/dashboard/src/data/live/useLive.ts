/** Keeps the data of a workspace fresh while its page is open: frames update the page's query cache. */
import type { ActionPage, Fleet, FleetRow, LiveFrame, Workspace } from '@svc/api'
import { groupValuesOf, parseFilter } from '@svc/api/filter'
import { type Query, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { noteServiceHeard, noteServiceTime } from '../../ui/time/service-time.ts'
import { ApiError, type FleetQuery, isRefusal } from '../api.ts'
import { isAboutAlerts, isActionOver, isOnlyAboutAlerts, queryKeys } from '../queries.ts'
import { type LiveState, openLive } from './connection.ts'
import { tellFrame } from './frames.ts'
import { type Freshness, keepFresh, type LoadResult } from './freshness.ts'

export type { LiveState }

/**
 * Keeps the data of the workspace fresh, and returns the state of the connection. `agent` is the name of the agent
 * whose page is open; the service asks this agent to report more often while the tab has a stream.
 */
export function useLive(slug: string, agent: string | undefined): LiveState {
  const client = useQueryClient()
  const [state, setState] = useState<LiveState>('connecting')
  const fresh = useRef<Freshness>(undefined)
  useEffect(() => {
    const keeping = keepFresh(setState)
    fresh.current = keeping
    return keeping.end
  }, [])
  useEffect(() => {
    fresh.current?.aim({
      connect: (lost) => connect(client, slug, agent, { lost, state: setState }),
      load: () => loadAgain(client, slug, queryKeys.workspace(slug)),
      check: () => loadAgain(client, slug, queryKeys.facts(slug)),
    })
  }, [client, slug, agent])
  return state
}

/** Loads the data of `key` that is on screen again, except data that is being loaded already. */
async function loadAgain(client: QueryClient, slug: string, key: QueryKey): Promise<LoadResult> {
  try {
    await client.invalidateQueries({ queryKey: key }, { cancelRefetch: false, throwOnError: true })
    return 'fresh'
  } catch (error) {
    if (isRefusal(error, 401) || isRefusal(client.getQueryState(queryKeys.facts(slug))?.error, 404)) return 'refused'
    return error instanceof ApiError && error.status > 0 && error.status < 500 ? 'fresh' : 'unreachable'
  }
}

/**
 * Loads everything on screen again after a stream has opened. If requests were under way, their answers may be older
 * than the stream, so everything is loaded once more.
 */
async function catchUp(client: QueryClient, slug: string): Promise<void> {
  const key = queryKeys.workspace(slug)
  const underWay = client.isFetching({ queryKey: key }) > 0
  await loadAgain(client, slug, key)
  if (underWay) await loadAgain(client, slug, key)
}

/** Opens the stream, puts its frames into the query cache, and loads again what they may have changed. */
function connect(
  client: QueryClient,
  slug: string,
  agent: string | undefined,
  { lost, state }: { lost: () => void; state: (state: LiveState) => void },
): () => void {
  const again = (...all: QueryKey[]) => {
    for (const queryKey of all) void client.invalidateQueries({ queryKey })
  }
  const lists = throttled(3_000, () => again(queryKeys.fleet(slug)))
  // Only the service can count groups, because the page does not have all agents.
  const groups = throttled(3_000, () => again(queryKeys.groups(slug)))
  const things = throttled(1_000, () => {
    again(
      ...[queryKeys.blueprints(slug), queryKeys.codes(slug), queryKeys.bots(slug), queryKeys.products(slug)],
      ...[queryKeys.rollouts(slug), queryKeys.runtime(slug), queryKeys.facts(slug), queryKeys.members(slug)],
    )
    void client.invalidateQueries({ queryKey: queryKeys.agents(slug), predicate: isOther })
  })
  // Blueprints and rollouts show the states of wishes, which change with the agents.
  const wishes = throttled(1_000, () =>
    again(queryKeys.blueprints(slug), queryKeys.rollouts(slug), queryKeys.runtime(slug)),
  )
  // The page of an action may be large, so frames load it at most every 3 s, and no longer after the action is over.
  const actions = throttled(3_000, () => {
    const predicate = ({ state }: Query) => !isActionOver(state.data as Partial<ActionPage> | undefined)
    void client.invalidateQueries({ queryKey: queryKeys.actions(slug), predicate })
    const facts = client.getQueryData<Workspace>(queryKeys.facts(slug))
    if (facts && facts.unfinishedActions > 0) again(queryKeys.facts(slug))
  })
  const alerts = throttled(1_000, () => {
    void client.invalidateQueries({ queryKey: queryKeys.workspace(slug), predicate: isOfAlerts })
    again(queryKeys.facts(slug))
  })
  const close = openLive(slug, agent, {
    state,
    lost,
    open: () => void catchUp(client, slug),
    ping: noteServiceHeard,
    frame: (text) => {
      const frame = readFrame(text)
      if (!frame) return
      noteServiceTime(frame.now)
      if (applyFrame(client, slug, frame)) lists.call()
      tellFrame(frame)
      if (frame.rows.length > 0 || frame.list || frame.more) groups.call()
      if (frame.list) things.call()
      if (frame.changed.length > 0) wishes.call()
      if (frame.changed.length > 0 || frame.more) actions.call()
      if (frame.alerts) alerts.call()
    },
  })
  return () => {
    close()
    for (const each of [lists, groups, things, wishes, actions, alerts]) each.cancel()
  }
}

const isOfAlerts = ({ queryKey }: Query) => isAboutAlerts(queryKey)
/** True for data that is not only about alerts, and so may change with any frame. */
const isOther = ({ queryKey }: Query) => !isOnlyAboutAlerts(queryKey)

/** The index of the agent's name in the query keys of its data. */
const agentIndex = queryKeys.agent('', '').length - 1

/**
 * Puts the rows of a frame into the lists in the query cache, and loads the data of the changed agents again. Returns
 * true if the fleet list must be loaded again.
 */
function applyFrame(client: QueryClient, slug: string, frame: LiveFrame): boolean {
  let stale = frame.list || frame.more
  for (const query of client.getQueryCache().findAll({ queryKey: queryKeys.fleet(slug) })) {
    const fleet = query.state.data as Fleet | undefined
    if (!fleet) continue
    const selects = filterIn(query.queryKey, frame.now)
    const moves = selects === 'loading' || (selects && changesMembers(fleet, frame, selects)) === true
    stale ||= query.isActive() && (changesGroups(fleet, frame) || moves)
    const merged = mergeFrame(fleet, frame)
    if (merged !== fleet) client.setQueryData(query.queryKey, merged)
  }
  const touched = new Set<unknown>([...frame.rows.map((row) => row.name), ...frame.changed])
  const predicate = (query: Query) => touched.has(query.queryKey[agentIndex]) && isOther(query)
  void client.invalidateQueries({ queryKey: queryKeys.agents(slug), predicate })
  return stale
}

let selecting: typeof import('./selecting.ts') | undefined

/**
 * Returns the test whether an agent belongs to the list with this query key; undefined if the list has no valid filter,
 * and 'loading' while the code of the test is being loaded.
 */
function filterIn(key: readonly unknown[], now: number): ((row: FleetRow) => boolean) | 'loading' | undefined {
  const { q = '', group: by, in: value = null } = key.at(-1) as FleetQuery
  const read = parseFilter(q)
  if ((q === '' && !by) || !read.ok) return undefined
  if (selecting) {
    const selects = selecting.filterTest(read.value.terms, now)
    return (row) => selects(row) && (!by || groupValuesOf(by, row).includes(value))
  }
  import('./selecting.ts').then(
    (loaded) => {
      selecting = loaded
    },
    () => {}, // Without the test, each frame has the list loaded again.
  )
  return 'loading'
}

/**
 * Limits calls of `act` to one in `ms` milliseconds. The first call is made at once. If more calls follow within that
 * time, one call is made at the end of that time.
 */
function throttled(ms: number, act: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let waiting = false
  const call = () => {
    if (timer !== undefined) {
      waiting = true
      return
    }
    act()
    timer = setTimeout(() => {
      timer = undefined
      if (waiting) {
        waiting = false
        call()
      }
    }, ms)
  }
  return { call, cancel: () => clearTimeout(timer) }
}

// Applies frames to the part of the fleet list that is on screen.

/**
 * Replaces rows on screen by the rows of a frame. Returns the same object if the frame has none of the rows on screen.
 */
export function mergeFrame(fleet: Fleet, frame: LiveFrame): Fleet {
  const fresh = new Map(frame.rows.map((row) => [row.name, row]))
  if (!fleet.rows.some((row) => fresh.has(row.name))) return fleet
  return { ...fleet, now: frame.now, rows: fleet.rows.map((row) => fresh.get(row.name) ?? row) }
}

const countKeyOf = (row: FleetRow, now: number) =>
  row.silentAt === null
    ? 'never'
    : row.stopped !== null
      ? 'stopped'
      : row.silentAt <= now
        ? 'silent'
        : `${row.level ?? 'none'} ${row.statusLate} ${row.secretsMissing} ${updateStatesOf(row)}`

/** The states of the agent's updates that the line above the list counts. */
const updateStatesOf = ({ updates: { wishState, runtimeWishState, runtimeHeld } }: FleetRow): string =>
  [wishState, runtimeWishState, runtimeHeld && 'held']
    .filter((state) => state === 'rolled_back' || state === 'failed' || state === 'held')
    .join()

/**
 * True if the frame changes a row on screen so that the list's counts or order may change, for example from OK to Bad.
 * The list must then be loaded again.
 */
export function changesGroups(fleet: Fleet, frame: LiveFrame): boolean {
  const fresh = new Map(frame.rows.map((row) => [row.name, row]))
  return fleet.rows.some((row) => countKeyOf(row, fleet.now) !== countKeyOf(fresh.get(row.name) ?? row, frame.now))
}

/**
 * True if a row on screen no longer fits the filter. If the whole list is on screen, also true if an agent of the frame
 * that is not on screen fits the filter.
 */
export function changesMembers(fleet: Fleet, frame: LiveFrame, selects: (row: FleetRow) => boolean): boolean {
  const shown = new Set(fleet.rows.map(({ name }) => name))
  const isWhole = shown.size === fleet.total
  return frame.rows.some((row) => (shown.has(row.name) ? !selects(row) : isWhole && selects(row)))
}

/** Parses the text of a frame; undefined if the text is not a frame. */
export function readFrame(text: string): LiveFrame | undefined {
  try {
    const value = JSON.parse(text) as Partial<LiveFrame> | null
    if (typeof value !== 'object' || value === null || typeof value.now !== 'number') return undefined
    return {
      now: value.now,
      rows: Array.isArray(value.rows) ? value.rows : [],
      changed: Array.isArray(value.changed) ? value.changed : [],
      list: value.list === true,
      alerts: value.alerts === true,
      more: value.more === true,
    }
  } catch {
    return undefined
  }
}
