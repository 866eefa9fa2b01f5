/**
 * The routes of the page, one for each address in paths.ts. A route names the file of its component, so that the code
 * is loaded only when it is needed. Some routes begin to load their data as soon as they are opened.
 */
import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { isRefusal } from './data/api.ts'
import { fleetQuery, meQuery, queryClient, read } from './data/queries.ts'
import { previousWorkspace } from './data/returning.ts'
import { oneOf, parseSearch, present, stringifySearch, text } from './data/search.ts'
import { appliedFilter } from './fleet/filter/applied.ts'
import { fleetQueryOf, isOldAddress, readFleetSearch } from './fleet/views/search.ts'
import { keepArrangement } from './fleet/views/state.ts'
import {
  type AgentTab,
  actionStates,
  addedThings,
  agentTabs,
  alertTabs,
  connectionEnds,
  costDays,
  pastDays,
  paths,
} from './paths.ts'
import { BrokenPage } from './shell/BrokenPage.tsx'
import { NotFound } from './shell/OutsidePages.tsx'
import { WorkspaceShell } from './shell/WorkspaceShell.tsx'
import { fileOf } from './ui/files.tsx'
import { WaitingPage } from './ui/pages/WaitingPage.tsx'

interface Context {
  queryClient: QueryClient
}
type Search = Record<string, unknown>

const root = createRootRouteWithContext<Context>()({ component: Outlet, notFoundComponent: NotFound })

// ---- Routes for people who are not signed in ----
// A visit that begins at one of these addresses loads only the door (main.ts). Here they are for a session that ends.
const door = lazyRouteComponent(() => fileOf(import('./door/Door.tsx')), 'Door')
const signIn = createRoute({
  getParentRoute: () => root,
  path: paths.signIn,
  validateSearch: (s: Search) => present({ next: text(s.next) }),
  component: door,
})
const otherDoors = [paths.start, paths.link, paths.claim, paths.forgot, paths.invitation].map((path) =>
  createRoute({ getParentRoute: () => root, path, component: door }),
)

// ---- Routes for people who are signed in ----
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ context, location }) => {
    try {
      return { me: await context.queryClient.ensureQueryData(meQuery) }
    } catch (error) {
      if (isRefusal(error, 401))
        throw redirect({ to: paths.signIn, search: location.href === '/' ? {} : { next: location.href } })
      throw error
    }
  },
  component: Outlet,
})
const home = createRoute({
  getParentRoute: () => signedIn,
  path: paths.home,
  beforeLoad: ({ context }) => {
    const [only, another] = context.me.workspaces
    if (only && !another) throw redirect({ to: paths.fleet, params: { slug: only.slug }, replace: true })
  },
  component: lazyRouteComponent(() => fileOf(import('./shell/HomePage.tsx')), 'HomePage'),
})
const account = createRoute({
  getParentRoute: () => signedIn,
  path: paths.account,
  validateSearch: (s: Search) => present({ oidc: oneOf(connectionEnds, s.oidc) }),
  loader: async ({ context }) => {
    const slug = previousWorkspace(context.me.workspaces)
    // The page is drawn when all parts are there, because they are below each other.
    await Promise.all([
      slug !== undefined && context.queryClient.prefetchQuery(read('GET /w/:slug', { slug })),
      context.queryClient.prefetchQuery(read('GET /factors')),
      context.queryClient.prefetchQuery(read('GET /sessions')),
      context.queryClient.prefetchQuery(read('GET /sign-ins')),
    ])
  },
  component: lazyRouteComponent(() => fileOf(import('./account/AccountPage.tsx')), 'AccountPage'),
})

const newWorkspace = createRoute({
  getParentRoute: () => signedIn,
  path: paths.newWorkspace,
  component: lazyRouteComponent(() => fileOf(import('./shell/NewWorkspacePage.tsx')), 'NewWorkspacePage'),
})

// ---- Routes of one workspace ----
// Most loaders do not wait for the data (`void`), which loads at the same time as the page's code. Loaders wait if
// several answers are shown below each other. If the data cannot be loaded, the page shows the error.
const workspace = createRoute({
  getParentRoute: () => signedIn,
  path: '/w/$slug',
  loader: async ({ context, params }) => {
    try {
      return await context.queryClient.ensureQueryData(read('GET /w/:slug', params))
    } catch (error) {
      throw isRefusal(error, 404) ? notFound() : error
    }
  },
  component: WorkspaceShell,
})

const fleet = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  validateSearch: (s: Search) => readFleetSearch(s),
  search: { middlewares: [keepArrangement] },
  beforeLoad: ({ location, params }) => {
    if (isOldAddress(location.search))
      throw redirect({ to: paths.fleet, params, search: readFleetSearch(location.search), replace: true })
    return { opened: location.state.view }
  },
  loader: ({ context, params, location }) => {
    const view = readFleetSearch(location.search)
    void context.queryClient.prefetchQuery(read('GET /w/:slug/views', params))
    const { filter } = appliedFilter(params.slug, view.q)
    void context.queryClient.prefetchQuery(fleetQuery(params.slug, fleetQueryOf(view, filter.text), 0))
  },
  component: lazyRouteComponent(() => fileOf(import('./fleet/FleetPage.tsx')), 'FleetPage'),
})
const agent = createRoute({
  getParentRoute: () => workspace,
  path: '/agents/$name',
  /**
   * The tabs of the agent's page add parameters of their own to the address, such as filters and the open log. So every
   * text or number in the address is kept.
   */
  validateSearch: (s: Search): { tab?: AgentTab } & Record<string, string | number | undefined> => ({
    ...(Object.fromEntries(
      Object.entries(s).filter(([, v]) => typeof v === 'string' || typeof v === 'number'),
    ) as Record<string, string | number>),
    ...present({ tab: oneOf(agentTabs, s.tab) }),
  }),
  loader: ({ context, params }) => {
    void context.queryClient.prefetchQuery(read('GET /w/:slug/agents/:name', params))
    // Alerts, mutes and hours are above other parts, so they must not come after what is below them.
    void context.queryClient.prefetchQuery(read('GET /w/:slug/agents/:name/alerts', params))
    void context.queryClient.prefetchQuery(read('GET /w/:slug/mutes', params))
    void context.queryClient.prefetchQuery(read('GET /w/:slug/agents/:name/hours', params))
  },
  component: lazyRouteComponent(() => fileOf(import('./agents/AgentPage.tsx')), 'AgentPage'),
})
const add = createRoute({
  getParentRoute: () => workspace,
  path: '/add',
  validateSearch: (s: Search) => present({ what: oneOf(addedThings, s.what) }),
  component: lazyRouteComponent(() => fileOf(import('./agents/adding/AddPage.tsx')), 'AddPage'),
})
const blueprints = createRoute({
  getParentRoute: () => workspace,
  path: '/blueprints',
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(read('GET /w/:slug/blueprints', params)),
  component: lazyRouteComponent(() => fileOf(import('./blueprints/BlueprintsPage.tsx')), 'BlueprintsPage'),
})
const blueprint = createRoute({
  getParentRoute: () => workspace,
  path: '/blueprints/$blueprint',
  validateSearch: (s: Search) => present({ version: text(s.version) }),
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(read('GET /w/:slug/blueprints/:blueprint', params)),
  component: lazyRouteComponent(() => fileOf(import('./blueprints/BlueprintPage.tsx')), 'BlueprintPage'),
})
const install = createRoute({
  getParentRoute: () => workspace,
  path: '/install',
  validateSearch: (s: Search) =>
    present({ blueprint: text(s.blueprint), version: text(s.version), agent: text(s.agent) }),
  component: lazyRouteComponent(() => fileOf(import('./blueprints/install/InstallPage.tsx')), 'InstallPage'),
})
const code = createRoute({
  getParentRoute: () => workspace,
  path: '/codes/$id',
  component: lazyRouteComponent(() => fileOf(import('./blueprints/install/CodePage.tsx')), 'CodePage'),
})
const updates = createRoute({
  getParentRoute: () => workspace,
  path: '/updates',
  component: lazyRouteComponent(() => fileOf(import('./updates/UpdatesPage.tsx')), 'UpdatesPage'),
})
const update = createRoute({
  getParentRoute: () => workspace,
  path: '/updates/new',
  validateSearch: (s: Search) =>
    present({ blueprint: text(s.blueprint), version: text(s.version), agents: oneOf(['chosen'] as const, s.agents) }),
  component: lazyRouteComponent(() => fileOf(import('./updates/UpdatePage.tsx')), 'UpdatePage'),
})
const rollout = createRoute({
  getParentRoute: () => workspace,
  path: '/updates/$id',
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(read('GET /w/:slug/rollouts/:id', params)),
  component: lazyRouteComponent(() => fileOf(import('./updates/RolloutPage.tsx')), 'RolloutPage'),
})
const actions = createRoute({
  getParentRoute: () => workspace,
  path: '/actions',
  component: lazyRouteComponent(() => fileOf(import('./actions/ActionsPage.tsx')), 'ActionsPage'),
})
const action = createRoute({
  getParentRoute: () => workspace,
  path: '/actions/$id',
  validateSearch: (s: Search) => present({ state: oneOf(actionStates, s.state) }),
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(read('GET /w/:slug/actions/:id', params)),
  component: lazyRouteComponent(() => fileOf(import('./actions/ActionPage.tsx')), 'ActionPage'),
})
const alerts = createRoute({
  getParentRoute: () => workspace,
  path: '/alerts',
  validateSearch: (s: Search) =>
    present({
      tab: oneOf(alertTabs, s.tab),
      q: text(s.q),
      rule: text(s.rule),
      level: oneOf(['bad', 'warn'] as const, s.level),
      days: oneOf(pastDays, text(s.days)),
      per: oneOf(['rule', 'agent'] as const, s.per),
    }),
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(read('GET /w/:slug/alerts/lines', params)),
  component: lazyRouteComponent(() => fileOf(import('./alerts/AlertsPage.tsx')), 'AlertsPage'),
})
const cost = createRoute({
  getParentRoute: () => workspace,
  path: '/cost',
  validateSearch: (s: Search) =>
    present({
      days: oneOf(costDays, text(s.days)),
      from: text(s.from),
      to: text(s.to),
      by: oneOf(['day', 'week', 'month'] as const, s.by),
      per: oneOf(['model', 'agent', 'blueprint', 'nothing'] as const, s.per),
    }),
  component: lazyRouteComponent(() => fileOf(import('./fleet/cost/CostPage.tsx')), 'CostPage'),
})
const bots = createRoute({
  getParentRoute: () => workspace,
  path: '/bots',
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(read('GET /w/:slug/bots', params)),
  component: lazyRouteComponent(() => fileOf(import('./bots/BotsPage.tsx')), 'BotsPage'),
})
const members = createRoute({
  getParentRoute: () => workspace,
  path: '/members',
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(read('GET /w/:slug/members', params)),
  component: lazyRouteComponent(() => fileOf(import('./members/MembersPage.tsx')), 'MembersPage'),
})
const settings = createRoute({
  getParentRoute: () => workspace,
  path: '/settings',
  loader: ({ context, params }) =>
    Promise.all([
      context.queryClient.prefetchQuery(read('GET /w/:slug/members', params)),
      context.queryClient.prefetchQuery(read('GET /w/:slug/alert-settings', params)),
    ]),
  component: lazyRouteComponent(() => fileOf(import('./members/settings/SettingsPage.tsx')), 'SettingsPage'),
})
const activity = createRoute({
  getParentRoute: () => workspace,
  path: '/activity',
  validateSearch: (s: Search) =>
    present({
      text: text(s.text),
      by: text(s.by),
      about: text(s.about),
      days: oneOf(pastDays, text(s.days)),
    }),
  component: lazyRouteComponent(() => fileOf(import('./activity/ActivityPage.tsx')), 'ActivityPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    ...otherDoors,
    signedIn.addChildren([
      home,
      account,
      newWorkspace,
      workspace.addChildren([
        fleet,
        agent,
        add,
        blueprints,
        blueprint,
        install,
        code,
        updates,
        update,
        rollout,
        actions,
        action,
        alerts,
        cost,
        bots,
        members,
        settings,
        activity,
      ]),
    ]),
  ]),
  context: { queryClient },
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  defaultPendingMs: 300,
  // By default the router shows a waiting page for at least half a second, to avoid flicker. On this page the minimum
  // would only be a delay.
  defaultPendingMinMs: 0,
  defaultPendingComponent: WaitingPage,
  defaultErrorComponent: BrokenPage,
  defaultNotFoundComponent: NotFound,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
