/**
 * The query cache of the page. Keys of a workspace start with `['w', slug]`, and keys of an agent with `['w', slug,
 * 'agent', name]`. With such a prefix, the page loads all data of a workspace or an agent again, for example when a
 * live frame arrives or after a person sent a command.
 */
import type { ActionPage, ActionState, DeliveryState, Me, RunSort } from '@svc/api'
import { infiniteQueryOptions, keepPreviousData, QueryClient, queryOptions } from '@tanstack/react-query'
import { ApiError, call, type FleetQuery, isRefusal } from './api.ts'
import { sharingParts } from './left-off.ts'

export const keys = {
  me: ['me'] as const,
  sessions: ['sessions'] as const,
  signIns: ['sign-ins'] as const,
  onboarding: ['onboarding'] as const,
  factors: ['factors'] as const,
  workspace: (slug: string) => ['w', slug] as const,
  /** The key of the list of agents: all its windows of rows, for every filter and order. */
  fleet: (slug: string) => ['w', slug, 'fleet'] as const,
  /** The key of all data of all agents' pages. */
  agents: (slug: string) => ['w', slug, 'agent'] as const,
  /** The key of all data of one agent: its page, runs, usage, levels, commands, logs. */
  agent: (slug: string, name: string) => ['w', slug, 'agent', name] as const,
  /**
   * The keys of blueprints with their versions, of install codes, and of bots with products. A live frame with `list:
   * true` means that any of these may have changed.
   */
  blueprints: (slug: string) => ['w', slug, 'blueprints'] as const,
  codes: (slug: string) => ['w', slug, 'codes'] as const,
  bots: (slug: string) => ['w', slug, 'bots'] as const,
  /** The key under which the page's cache keeps the served runtime and all rollouts. */
  rollouts: (slug: string) => ['w', slug, 'rollouts'] as const,
  /** The key of actions and their outcomes. */
  actions: (slug: string) => ['w', slug, 'actions'] as const,
  views: (slug: string) => ['w', slug, 'views'] as const,
  members: (slug: string) => ['w', slug, 'members'] as const,
  activity: (slug: string) => ['w', slug, 'activity'] as const,
  /**
   * The key of alerts, rules, mutes, channels and deliveries. A live frame with `alerts: true` means that any of these
   * may have changed.
   */
  alerts: (slug: string) => ['w', slug, 'alerts'] as const,
  /** The key of facts about the workspace, such as the number of open alerts that nobody has acknowledged. */
  facts: (slug: string) => ['w', slug, 'facts'] as const,
}

/** The maximum number of agents in the answer to one request for the list of agents. */
export const fleetWindow = 200

/**
 * The interval in milliseconds at which the page asks again. It does not ask again for what does not exist, since each
 * refusal would be a line in the browser's console.
 */
const every =
  (ms: number) =>
  ({ state }: { state: { error: Error | null } }): number | false =>
    isRefusal(state.error, 404) ? false : ms

export const factorsQuery = queryOptions({
  queryKey: keys.factors,
  queryFn: ({ signal }) => call('GET /factors', signal),
})

export const meQuery = queryOptions({
  queryKey: keys.me,
  queryFn: ({ signal }) => call('GET /me', signal),
  staleTime: 60_000,
})

/**
 * Notes that the person has lost a workspace, so that the way home no longer leads to it. The answer of a request that
 * began earlier may still name the workspace, so it is dropped.
 */
export async function forgetWorkspace(client: QueryClient, slug: string): Promise<void> {
  await client.cancelQueries({ queryKey: keys.me, exact: true })
  client.setQueryData<Me>(
    keys.me,
    (me) => me && { ...me, workspaces: me.workspaces.filter((workspace) => workspace.slug !== slug) },
  )
  await client.invalidateQueries({ queryKey: keys.me, refetchType: 'all' })
}

export const signInsQuery = queryOptions({
  queryKey: keys.signIns,
  queryFn: ({ signal }) => call('GET /sign-ins', signal),
})
export const sessionsQuery = queryOptions({
  queryKey: keys.sessions,
  queryFn: ({ signal }) => call('GET /sessions', signal),
})

export const workspaceQuery = (slug: string) =>
  queryOptions({
    queryKey: keys.facts(slug),
    queryFn: ({ signal }) => call('GET /w/:slug', { slug }, signal),
    refetchInterval: every(60_000),
  })
export const fleetQuery = (slug: string, q: FleetQuery, offset: number) =>
  queryOptions({
    queryKey: [...keys.fleet(slug), q, offset],
    queryFn: ({ signal }) => call('GET /w/:slug/fleet', { slug }, { ...q, offset, limit: fleetWindow }, signal),
    refetchInterval: every(30_000), // Polls, since no frame announces that an agent went offline.
  })
export const facetsQuery = (slug: string, q: string) =>
  queryOptions({
    queryKey: [...keys.workspace(slug), 'facets', q],
    queryFn: ({ signal }) => call('GET /w/:slug/fleet/facets', { slug }, { q }, signal),
    staleTime: 30_000,
  })
export const blueprintsQuery = (slug: string) =>
  queryOptions({
    queryKey: keys.blueprints(slug),
    queryFn: ({ signal }) => call('GET /w/:slug/blueprints', { slug }, signal),
  })
export const blueprintQuery = (slug: string, name: string) =>
  queryOptions({
    queryKey: [...keys.blueprints(slug), name],
    queryFn: ({ signal }) => call('GET /w/:slug/blueprints/:blueprint', { slug, blueprint: name }, signal),
    refetchInterval: every(60_000), // Polls, since frames about reports do not reload this data.
  })
export const versionQuery = (slug: string, blueprint: string, version: string) =>
  queryOptions({
    queryKey: [...keys.blueprints(slug), blueprint, version],
    queryFn: ({ signal }) =>
      call('GET /w/:slug/blueprints/:blueprint/versions/:version', { slug, blueprint, version }, signal),
  })
export const codesQuery = (slug: string) =>
  queryOptions({ queryKey: keys.codes(slug), queryFn: ({ signal }) => call('GET /w/:slug/codes', { slug }, signal) })
export const codeQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: [...keys.codes(slug), id],
    queryFn: ({ signal }) => call('GET /w/:slug/codes/:id', { slug, id }, signal),
    // Polls in case the page has no live connection. Otherwise a frame announces that the install code was redeemed.
    refetchInterval: ({ state }) => (state.data === undefined || state.data.state === 'live' ? 5_000 : false),
  })
export const botsQuery = (slug: string) =>
  queryOptions({
    queryKey: keys.bots(slug),
    queryFn: ({ signal }) => call('GET /w/:slug/bots', { slug }, signal),
    refetchInterval: every(60_000), // Polls, since no frame announces that a token was used.
  })
export const productsQuery = (slug: string) =>
  queryOptions({
    queryKey: [...keys.bots(slug), 'products'],
    queryFn: ({ signal }) => call('GET /w/:slug/products', { slug }, signal),
  })
export const runtimeQuery = (slug: string) =>
  queryOptions({
    queryKey: [...keys.rollouts(slug), 'runtime'],
    queryFn: ({ signal }) => call('GET /w/:slug/runtime', { slug }, signal),
    refetchInterval: every(30_000),
  })
export const rolloutsQuery = (slug: string) =>
  infiniteQueryOptions({
    queryKey: keys.rollouts(slug),
    queryFn: ({ pageParam, signal }) =>
      call('GET /w/:slug/rollouts', { slug }, { before: pageParam, limit: 50 }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ rows, more }) => (more ? rows.at(-1)?.id : undefined),
    refetchInterval: every(30_000),
  })
export const rolloutQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: [...keys.rollouts(slug), 'one', id],
    queryFn: ({ signal }) => call('GET /w/:slug/rollouts/:id', { slug, id }, signal),
    // Polls, since no frame says how much of the watching time of a wave has passed.
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? 5_000 : 30_000),
  })
export const viewsQuery = (slug: string) =>
  queryOptions({ queryKey: keys.views(slug), queryFn: ({ signal }) => call('GET /w/:slug/views', { slug }, signal) })
/** The newest actions, for the palette. */
export const newestActionsQuery = (slug: string) =>
  queryOptions({
    queryKey: [...keys.actions(slug), 'newest'],
    queryFn: ({ signal }) => call('GET /w/:slug/actions', { slug }, { limit: 5 }, signal),
  })
export const actionsQuery = (slug: string) =>
  infiniteQueryOptions({
    queryKey: keys.actions(slug),
    queryFn: ({ pageParam, signal }) =>
      call('GET /w/:slug/actions', { slug }, { before: pageParam, limit: 25 }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ rows, more }) => (more ? rows.at(-1)?.id : undefined),
  })
/** An action with all of its agents, or with those in a state. */
export const actionQuery = (slug: string, id: string, state?: ActionState) =>
  queryOptions({
    queryKey: [...keys.actions(slug), 'one', id, ...(state === undefined ? [] : [state])],
    queryFn: ({ signal }) => call('GET /w/:slug/actions/:id', { slug, id }, { state }, signal),
    // Polls while agents may still answer, in case the page has no live connection.
    refetchInterval: ({ state }) => (isActionOver(state.data) ? 60_000 : 10_000),
  })
/** True for an action of which each agent has an outcome. Only late answers still change it (D3). */
export const isActionOver = (action: Partial<Pick<ActionPage, 'counts'>> | undefined): boolean =>
  action?.counts !== undefined && action.counts.waiting + action.counts.sent === 0
export const membersQuery = (slug: string) =>
  queryOptions({
    queryKey: keys.members(slug),
    queryFn: ({ signal }) => call('GET /w/:slug/members', { slug }, signal),
  })

export const openAlertsQuery = (slug: string) =>
  queryOptions({
    queryKey: [...keys.alerts(slug), 'open'],
    queryFn: ({ signal }) => call('GET /w/:slug/alerts/lines', { slug }, {}, signal),
    refetchInterval: every(60_000),
  })
export const endedAlertsQuery = (slug: string) =>
  infiniteQueryOptions({
    queryKey: [...keys.alerts(slug), 'ended'],
    queryFn: ({ pageParam, signal }) =>
      call('GET /w/:slug/alerts/lines', { slug }, { ended: true, before: pageParam, limit: 50 }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ rows, more }) => (more ? rows.at(-1)?.id : undefined),
  })
export const agentAlertsQuery = (slug: string, name: string) =>
  queryOptions({
    queryKey: [...keys.alerts(slug), 'agent', name],
    queryFn: ({ signal }) => call('GET /w/:slug/agents/:name/alerts', { slug, name }, {}, signal),
  })
export const rulesQuery = (slug: string) =>
  queryOptions({
    queryKey: [...keys.alerts(slug), 'rules'],
    queryFn: ({ signal }) => call('GET /w/:slug/rules', { slug }, signal),
  })
export const alertSettingsQuery = (slug: string) =>
  queryOptions({
    queryKey: [...keys.alerts(slug), 'settings'],
    queryFn: ({ signal }) => call('GET /w/:slug/alert-settings', { slug }, signal),
  })
export const agentHoursQuery = (slug: string, name: string) =>
  queryOptions({
    queryKey: [...keys.alerts(slug), 'hours', name],
    queryFn: ({ signal }) => call('GET /w/:slug/agents/:name/hours', { slug, name }, signal),
  })
export const mutesQuery = (slug: string) =>
  queryOptions({
    queryKey: [...keys.alerts(slug), 'mutes'],
    queryFn: ({ signal }) => call('GET /w/:slug/mutes', { slug }, signal),
    refetchInterval: every(60_000),
  })
export const channelsQuery = (slug: string) =>
  queryOptions({
    queryKey: [...keys.alerts(slug), 'channels'],
    queryFn: ({ signal }) => call('GET /w/:slug/channels', { slug }, signal),
    refetchInterval: every(15_000), // Polls, since no frame carries the answers of receivers.
  })
export const myChannelsQuery = (slug: string) =>
  queryOptions({
    queryKey: [...keys.alerts(slug), 'my-channels'],
    queryFn: ({ signal }) => call('GET /w/:slug/my-channels', { slug }, signal),
    refetchInterval: every(15_000),
  })
export const deliveriesQuery = (slug: string, state: DeliveryState | undefined) =>
  queryOptions({
    queryKey: [...keys.alerts(slug), 'deliveries', state],
    queryFn: ({ signal }) => call('GET /w/:slug/deliveries', { slug }, { state, limit: 200 }, signal),
    refetchInterval: every(15_000),
    placeholderData: keepPreviousData,
  })

export const agentQuery = (slug: string, name: string) =>
  queryOptions({
    queryKey: [...keys.agent(slug, name), 'page'],
    queryFn: ({ signal }) => call('GET /w/:slug/agents/:name', { slug, name }, signal),
    refetchInterval: every(30_000),
  })
interface RunsView {
  id?: string | undefined
  status?: string | undefined
  model?: string | undefined
  text?: string | undefined
  sort?: RunSort | undefined
  rising?: boolean | undefined
  offset: number
  limit: number
}
export const runsQuery = (slug: string, name: string, view: RunsView) =>
  queryOptions({
    queryKey: [...keys.agent(slug, name), 'runs', view],
    queryFn: ({ signal }) => call('GET /w/:slug/agents/:name/runs', { slug, name }, view, signal),
    placeholderData: keepPreviousData,
  })
export const usageQuery = (slug: string, name: string, days = 30) =>
  queryOptions({
    queryKey: [...keys.agent(slug, name), 'usage', days],
    queryFn: ({ signal }) => call('GET /w/:slug/agents/:name/usage', { slug, name }, { days }, signal),
  })
export const levelsQuery = (slug: string, name: string, limit = 50) =>
  queryOptions({
    queryKey: [...keys.agent(slug, name), 'levels', limit],
    queryFn: ({ signal }) => call('GET /w/:slug/agents/:name/levels', { slug, name }, { limit }, signal),
  })
export const updatesQuery = (slug: string, name: string, limit = 50) =>
  queryOptions({
    queryKey: [...keys.agent(slug, name), 'updates', limit],
    queryFn: ({ signal }) => call('GET /w/:slug/agents/:name/updates', { slug, name }, { limit }, signal),
  })
export const commandsQuery = (slug: string, name: string, offset = 0, limit = 50) =>
  queryOptions({
    queryKey: [...keys.agent(slug, name), 'commands', offset, limit],
    queryFn: ({ signal }) => call('GET /w/:slug/agents/:name/commands', { slug, name }, { offset, limit }, signal),
    placeholderData: keepPreviousData,
  })
export const logsQuery = (slug: string, name: string) =>
  queryOptions({
    queryKey: [...keys.agent(slug, name), 'logs'],
    queryFn: ({ signal }) => call('GET /w/:slug/agents/:name/logs', { slug, name }, signal),
  })
export const logQuery = (slug: string, name: string, id: string) =>
  queryOptions({
    queryKey: [...keys.agent(slug, name), 'log', id],
    queryFn: ({ signal }) => call('GET /w/:slug/agents/:name/logs/:id', { slug, name, id }, signal),
    staleTime: Number.POSITIVE_INFINITY, // A log never changes after it has arrived.
  })

/**
 * True if the page retries a failed request: at most twice, and never after the service answered with a status below
 * 500.
 */
const again = (count: number, error: Error) =>
  count < 2 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500)

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: again, staleTime: 5_000, structuralSharing: sharingParts },
    mutations: { retry: false },
  },
})
