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
import { parseSearch, readText, readWord, stringifySearch, withoutUndefined } from './data/search.ts'
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
import { loadFile } from './ui/files.tsx'
import { WaitingPage } from './ui/pages/WaitingPage.tsx'

interface Context {
  queryClient: QueryClient
}
type Search = Record<string, unknown>

const root = createRootRouteWithContext<Context>()({ component: Outlet, notFoundComponent: NotFound })

// ---- Routes for people who are not signed in ----
// A visit that begins at one of these addresses loads only the door (main.ts). The routes are here for a session that
// ends while another page is open.
const door = lazyRouteComponent(() => loadFile(import('./door/Door.tsx')), 'Door')
const signIn = createRoute({
  getParentRoute: () => root,
  path: paths.signIn,
  validateSearch: (s: Search) => withoutUndefined({ next: readText(s.next) }),
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
  component: lazyRouteComponent(() => loadFile(import('./shell/HomePage.tsx')), 'HomePage'),
})
const account = createRoute({
  getParentRoute: () => signedIn,
  path: paths.account,
  validateSearch: (s: Search) => withoutUndefined({ oidc: readWord(connectionEnds, s.oidc) }),
  loader: async ({ context }) => {
    const slug = previousWorkspace(context.me.workspaces)
    // The loader waits for all parts, because a part that came later would move those below it.
    await Promise.all([
      slug !== undefined && context.queryClient.prefetchQuery(read('GET /w/:slug', { slug })),
      context.queryClient.prefetchQuery(read('GET /factors')),
      context.queryClient.prefetchQuery(read('GET /sessions')),
      context.queryClient.prefetchQuery(read('GET /sign-ins')),
    ])
  },
  component: lazyRouteComponent(() => loadFile(import('./account/AccountPage.tsx')), 'AccountPage'),
})

const newWorkspace = createRoute({
  getParentRoute: () => signedIn,
  path: paths.newWorkspace,
  component: lazyRouteComponent(() => loadFile(import('./shell/NewWorkspacePage.tsx')), 'NewWorkspacePage'),
})

// ---- Routes of one workspace ----
// Most loaders do not wait for the data (`void`), which loads at the same time as the page's code. Loaders wait if a
// late answer would move parts of the page. If the data cannot be loaded, the page shows the error.
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
  component: lazyRouteComponent(() => loadFile(import('./fleet/FleetPage.tsx')), 'FleetPage'),
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
    ...withoutUndefined({ tab: readWord(agentTabs, s.tab) }),
  }),
  loader: ({ context, params }) => {
    void context.queryClient.prefetchQuery(read('GET /w/:slug/agents/:name', params))
    // Alerts, mutes and hours are loaded early, because they would move the parts below them if they came later.
    void context.queryClient.prefetchQuery(read('GET /w/:slug/agents/:name/alerts', params))
    void context.queryClient.prefetchQuery(read('GET /w/:slug/mutes', params))
    void context.queryClient.prefetchQuery(read('GET /w/:slug/agents/:name/hours', params))
  },
  component: lazyRouteComponent(() => loadFile(import('./agents/AgentPage.tsx')), 'AgentPage'),
})
const add = createRoute({
  getParentRoute: () => workspace,
  path: '/add',
  validateSearch: (s: Search) => withoutUndefined({ what: readWord(addedThings, s.what) }),
  component: lazyRouteComponent(() => loadFile(import('./agents/adding/AddPage.tsx')), 'AddPage'),
})
const blueprints = createRoute({
  getParentRoute: () => workspace,
  path: '/blueprints',
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(read('GET /w/:slug/blueprints', params)),
  component: lazyRouteComponent(() => loadFile(import('./blueprints/BlueprintsPage.tsx')), 'BlueprintsPage'),
})
const blueprint = createRoute({
  getParentRoute: () => workspace,
  path: '/blueprints/$blueprint',
  validateSearch: (s: Search) => withoutUndefined({ version: readText(s.version) }),
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(read('GET /w/:slug/blueprints/:blueprint', params)),
  component: lazyRouteComponent(() => loadFile(import('./blueprints/BlueprintPage.tsx')), 'BlueprintPage'),
})
const install = createRoute({
  getParentRoute: () => workspace,
  path: '/install',
  validateSearch: (s: Search) =>
    withoutUndefined({
      blueprint: readText(s.blueprint),
      version: readText(s.version),
      agent: readText(s.agent),
    }),
  component: lazyRouteComponent(() => loadFile(import('./blueprints/install/InstallPage.tsx')), 'InstallPage'),
})
const code = createRoute({
  getParentRoute: () => workspace,
  path: '/codes/$id',
  component: lazyRouteComponent(() => loadFile(import('./blueprints/install/CodePage.tsx')), 'CodePage'),
})
const updates = createRoute({
  getParentRoute: () => workspace,
  path: '/updates',
  component: lazyRouteComponent(() => loadFile(import('./updates/UpdatesPage.tsx')), 'UpdatesPage'),
})
const update = createRoute({
  getParentRoute: () => workspace,
  path: '/updates/new',
  validateSearch: (s: Search) =>
    withoutUndefined({
      blueprint: readText(s.blueprint),
      version: readText(s.version),
      agents: readWord(['chosen'] as const, s.agents),
    }),
  component: lazyRouteComponent(() => loadFile(import('./updates/UpdatePage.tsx')), 'UpdatePage'),
})
const rollout = createRoute({
  getParentRoute: () => workspace,
  path: '/updates/$id',
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(read('GET /w/:slug/rollouts/:id', params)),
  component: lazyRouteComponent(() => loadFile(import('./updates/RolloutPage.tsx')), 'RolloutPage'),
})
const actions = createRoute({
  getParentRoute: () => workspace,
  path: '/actions',
  component: lazyRouteComponent(() => loadFile(import('./actions/ActionsPage.tsx')), 'ActionsPage'),
})
const action = createRoute({
  getParentRoute: () => workspace,
  path: '/actions/$id',
  validateSearch: (s: Search) => withoutUndefined({ state: readWord(actionStates, s.state) }),
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(read('GET /w/:slug/actions/:id', params)),
  component: lazyRouteComponent(() => loadFile(import('./actions/ActionPage.tsx')), 'ActionPage'),
})
const alerts = createRoute({
  getParentRoute: () => workspace,
  path: '/alerts',
  validateSearch: (s: Search) =>
    withoutUndefined({
      tab: readWord(alertTabs, s.tab),
      q: readText(s.q),
      rule: readText(s.rule),
      level: readWord(['bad', 'warn'] as const, s.level),
      days: readWord(pastDays, readText(s.days)),
      per: readWord(['rule', 'agent'] as const, s.per),
    }),
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(read('GET /w/:slug/alerts/lines', params)),
  component: lazyRouteComponent(() => loadFile(import('./alerts/AlertsPage.tsx')), 'AlertsPage'),
})
const cost = createRoute({
  getParentRoute: () => workspace,
  path: '/cost',
  validateSearch: (s: Search) =>
    withoutUndefined({
      days: readWord(costDays, readText(s.days)),
      from: readText(s.from),
      to: readText(s.to),
      by: readWord(['day', 'week', 'month'] as const, s.by),
      per: readWord(['model', 'agent', 'blueprint', 'nothing'] as const, s.per),
    }),
  component: lazyRouteComponent(() => loadFile(import('./fleet/cost/CostPage.tsx')), 'CostPage'),
})
const bots = createRoute({
  getParentRoute: () => workspace,
  path: '/bots',
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(read('GET /w/:slug/bots', params)),
  component: lazyRouteComponent(() => loadFile(import('./bots/BotsPage.tsx')), 'BotsPage'),
})
const members = createRoute({
  getParentRoute: () => workspace,
  path: '/members',
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(read('GET /w/:slug/members', params)),
  component: lazyRouteComponent(() => loadFile(import('./members/MembersPage.tsx')), 'MembersPage'),
})
const settings = createRoute({
  getParentRoute: () => workspace,
  path: '/settings',
  loader: ({ context, params }) =>
    Promise.all([
      context.queryClient.prefetchQuery(read('GET /w/:slug/members', params)),
      context.queryClient.prefetchQuery(read('GET /w/:slug/alert-settings', params)),
    ]),
  component: lazyRouteComponent(() => loadFile(import('./members/settings/SettingsPage.tsx')), 'SettingsPage'),
})
const activity = createRoute({
  getParentRoute: () => workspace,
  path: '/activity',
  validateSearch: (s: Search) =>
    withoutUndefined({
      text: readText(s.text),
      by: readText(s.by),
      about: readText(s.about),
      days: readWord(pastDays, readText(s.days)),
    }),
  component: lazyRouteComponent(() => loadFile(import('./activity/ActivityPage.tsx')), 'ActivityPage'),
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
