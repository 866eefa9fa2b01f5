/**
 * The queries by which the page reads from the service. The key of a query is the filled path of its route, followed by
 * its input: `['w', slug, 'agents', name, 'runs', {…}]`. So a prefix of keys names all data of a workspace or an agent,
 * which the page loads again after a live frame or a command.
 */
import type { ActionPage, Me, Operations } from '@svc/api'
import {
  infiniteQueryOptions,
  keepPreviousData,
  QueryClient,
  queryOptions,
  type UseQueryOptions,
} from '@tanstack/react-query'
import { ApiError, type CallArguments, call, type FleetQuery, isRefusal, type ReadRoute } from './api.ts'
import { withSharedParts } from './left-off.ts'

/** Prefixes of query keys. Each stands for all queries whose key begins with it. */
export const queryKeys = {
  me: ['me'] as const,
  sessions: ['sessions'] as const,
  onboarding: ['onboarding'] as const,
  workspace: (slug: string) => ['w', slug] as const,
  /** Facts about the workspace, such as the number of open alerts that nobody has acknowledged. */
  facts: (slug: string) => ['w', slug, {}] as const,
  /** The list of agents: all its windows of rows, for every filter and order. */
  fleet: (slug: string) => ['w', slug, 'fleet', {}] as const,
  /** The groups of the list of agents. */
  groups: (slug: string) => ['w', slug, 'fleet', 'groups'] as const,
  map: (slug: string) => ['w', slug, 'fleet', 'map'] as const,
  /** All data of all agents' pages. */
  agents: (slug: string) => ['w', slug, 'agents'] as const,
  /** All data of one agent: its page, runs, usage, history, commands, logs. */
  agent: (slug: string, name: string) => ['w', slug, 'agents', name] as const,
  blueprints: (slug: string) => ['w', slug, 'blueprints'] as const,
  codes: (slug: string) => ['w', slug, 'codes'] as const,
  bots: (slug: string) => ['w', slug, 'bots'] as const,
  products: (slug: string) => ['w', slug, 'products'] as const,
  runtime: (slug: string) => ['w', slug, 'runtime'] as const,
  rollouts: (slug: string) => ['w', slug, 'rollouts'] as const,
  actions: (slug: string) => ['w', slug, 'actions'] as const,
  views: (slug: string) => ['w', slug, 'views'] as const,
  members: (slug: string) => ['w', slug, 'members'] as const,
  activity: (slug: string) => ['w', slug, 'activity'] as const,
}

/** True for the key of data that a live frame with `alerts: true` may have changed. */
export const isAboutAlerts = (key: readonly unknown[]): boolean => isOnlyAboutAlerts(key) || isHistory(key)

/** True for the key of data that only live frames with `alerts: true` change. */
export function isOnlyAboutAlerts(key: readonly unknown[]): boolean {
  const [, , subject, , part] = key
  return subject === 'agents' ? part === 'alerts' || part === 'hours' : aboutAlerts.has(subject)
}
const isHistory = ([, , subject, , part, of]: readonly unknown[]): boolean =>
  subject === 'agents' && part === 'history' && of === 'changes'
const aboutAlerts: ReadonlySet<unknown> = new Set([
  ...['alerts', 'rules', 'mutes', 'alert-settings'],
  ...['channels', 'my-channels', 'deliveries'],
])

/** The maximum number of agents in the answer to one request for the list of agents. */
export const fleetWindow = 200

/** Loads a query again at this interval in milliseconds, unless the last answer was a 404. */
const every =
  (ms: number) =>
  ({ state }: { state: { error: Error | null } }): number | false =>
    isRefusal(state.error, 404) ? false : ms

type RouteAnswer<R extends ReadRoute> = Operations[R]['given']
type QueryTimes<R extends ReadRoute> = Pick<
  UseQueryOptions<RouteAnswer<R>, Error>,
  'staleTime' | 'refetchInterval' | 'placeholderData'
>

/** When answers are loaded again, in addition to live frames and the person's own changes. Times in milliseconds. */
const queryTimes: { readonly [R in ReadRoute]?: QueryTimes<R> } = {
  'GET /me': { staleTime: 60_000 },
  'GET /door': { staleTime: 60_000 },
  'GET /w/:slug': { refetchInterval: every(60_000) },
  'GET /w/:slug/fleet': { refetchInterval: every(30_000) }, // No frame announces that an agent went offline.
  'GET /w/:slug/fleet/map': { refetchInterval: every(30_000) },
  'GET /w/:slug/fleet/groups': { refetchInterval: every(30_000) },
  'GET /w/:slug/fleet/facets': { staleTime: 30_000 },
  'GET /w/:slug/blueprints/:blueprint': { refetchInterval: every(60_000) }, // Frames about reports do not reload it.
  // This interval is for a page without a live connection. With one, a frame says that the install code was redeemed.
  'GET /w/:slug/codes/:id': {
    refetchInterval: ({ state }) => (state.data === undefined || state.data.state === 'live' ? 5_000 : false),
  },
  'GET /w/:slug/bots': { refetchInterval: every(60_000) }, // No frame announces that a token was used.
  'GET /w/:slug/runtime': { refetchInterval: every(30_000) },
  'GET /w/:slug/rollouts': { refetchInterval: every(30_000) },
  // No frame says how far the current wave is.
  'GET /w/:slug/rollouts/:id': {
    refetchInterval: ({ state: { data } }) =>
      data?.state !== 'running' ? 30_000 : (data.steps[data.wave - 1]?.counts.untouched ?? 0) > 0 ? 2_000 : 5_000,
  },
  // These intervals are for a page without a live connection. Late answers may come even after the action is over.
  'GET /w/:slug/actions/:id': { refetchInterval: ({ state }) => (isActionOver(state.data) ? 60_000 : 10_000) },
  'GET /w/:slug/alerts/lines': { refetchInterval: every(60_000), placeholderData: keepPreviousData },
  'GET /w/:slug/alerts/timeline': { refetchInterval: every(60_000), placeholderData: keepPreviousData },
  'GET /w/:slug/mutes': { refetchInterval: every(60_000) },
  // No frame carries the answers of receivers.
  'GET /w/:slug/channels': { refetchInterval: every(15_000) },
  'GET /w/:slug/my-channels': { refetchInterval: every(15_000) },
  'GET /w/:slug/deliveries': { refetchInterval: every(15_000), placeholderData: keepPreviousData },
  'GET /w/:slug/agents/:name': { refetchInterval: every(30_000) },
  // The words of an open alert may change, and frames only announce that alerts open and end.
  'GET /w/:slug/agents/:name/alerts': { refetchInterval: every(30_000) },
  'GET /w/:slug/agents/:name/runs': { placeholderData: keepPreviousData },
  // The service caches these answers for a minute.
  'GET /w/:slug/cost': { placeholderData: keepPreviousData, staleTime: 60_000, refetchInterval: every(120_000) },
  'GET /w/:slug/cost/runs': { staleTime: 60_000 },
  'GET /w/:slug/agents/:name/commands': { placeholderData: keepPreviousData },
  'GET /w/:slug/agents/:name/usage': { placeholderData: keepPreviousData },
  // No frame says that an agent went offline.
  'GET /w/:slug/agents/:name/history/states': { placeholderData: keepPreviousData, refetchInterval: every(30_000) },
  'GET /w/:slug/agents/:name/history/changes': { placeholderData: keepPreviousData, refetchInterval: every(30_000) },
  // A log never changes after it has arrived.
  'GET /w/:slug/agents/:name/logs/:id': { staleTime: Number.POSITIVE_INFINITY },
}

/** The options of a query that reads from a route: `useQuery(read('GET /w/:slug/members', { slug }))`. */
export function read<R extends ReadRoute>(route: R, ...given: CallArguments<R>) {
  return queryOptions({
    queryKey: keyOf(route, given),
    queryFn: ({ signal }) => call(route, ...([...given, signal] as unknown as CallArguments<R>)),
    ...(queryTimes[route] as QueryTimes<R> | undefined),
  })
}

/** The key of a query: the filled path of its route, and its input. */
function keyOf(route: ReadRoute, given: readonly unknown[]): readonly unknown[] {
  const rest = [...given]
  const path = route.slice('GET /'.length)
  const at = (path.includes(':') ? rest.shift() : {}) as Readonly<Record<string, string>>
  const parts = path.split('/').map((part) => (part.startsWith(':') ? at[part.slice(1)] : part))
  return [...parts, rest[0] ?? {}]
}

export const meQuery = read('GET /me')

/**
 * Removes a workspace that the person has lost from the cached answer of `GET /me`, and loads the answer again. A
 * request that is under way is cancelled, because its answer may still name the workspace.
 */
export async function forgetWorkspace(client: QueryClient, slug: string): Promise<void> {
  const { queryKey } = meQuery
  await client.cancelQueries({ queryKey, exact: true })
  client.setQueryData<Me>(
    queryKey,
    (me) => me && { ...me, workspaces: me.workspaces.filter((workspace) => workspace.slug !== slug) },
  )
  await client.invalidateQueries({ queryKey, refetchType: 'all' })
}

/** The query for `fleetWindow` rows of the list of agents from `offset` on. */
export const fleetQuery = (slug: string, q: FleetQuery, offset: number) =>
  read('GET /w/:slug/fleet', { slug }, { ...q, offset, limit: fleetWindow })

// Lists that are read page after page.

export const rolloutsQuery = (slug: string) =>
  infiniteQueryOptions({
    queryKey: [...queryKeys.rollouts(slug), 'pages'],
    queryFn: ({ pageParam, signal }) =>
      call('GET /w/:slug/rollouts', { slug }, { before: pageParam, limit: 50 }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ rows, more }) => (more ? rows.at(-1)?.id : undefined),
    refetchInterval: every(30_000),
  })
export const actionsQuery = (slug: string) =>
  infiniteQueryOptions({
    queryKey: [...queryKeys.actions(slug), 'pages'],
    queryFn: ({ pageParam, signal }) =>
      call('GET /w/:slug/actions', { slug }, { before: pageParam, limit: 25 }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ rows, more }) => (more ? rows.at(-1)?.id : undefined),
  })
export const endedAlertsQuery = (slug: string, wanted: Operations['GET /w/:slug/alerts/timeline']['sent'] = {}) =>
  infiniteQueryOptions({
    queryKey: ['w', slug, 'alerts', 'ended', wanted],
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam, signal }) =>
      call('GET /w/:slug/alerts/lines', { slug }, { ended: true, before: pageParam, limit: 50, ...wanted }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ rows, more }) => (more ? rows.at(-1)?.id : undefined),
  })

/** True if every agent of an action has an outcome. After that, only late answers change the action (D3). */
export const isActionOver = (action: Partial<Pick<ActionPage, 'counts'>> | undefined): boolean =>
  action?.counts !== undefined && action.counts.waiting + action.counts.sent === 0

/** Retries a failed request at most twice, and never after an answer with a status below 500. */
const again = (count: number, error: Error) =>
  count < 2 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500)

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: again, staleTime: 5_000, structuralSharing: withSharedParts },
    mutations: { retry: false },
  },
})
