import type { EntryInfo, Me } from '@svc/api'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { isRefusal } from './data/api.ts'
import { meQuery, queryClient, queryKeys, read } from './data/queries.ts'
import { paths } from './paths.ts'
import { router } from './router.tsx'
import { ProofGate } from './shell/proof/ProofGate.tsx'
import { filesAreGone, loadAgain } from './ui/files.tsx'
import { ConfirmDialogs } from './ui/index.ts'
import { Notices, notify } from './ui/notify.tsx'
import type { DrawPage } from './ui/pages/Page.tsx'

const App = () => (
  <QueryClientProvider client={queryClient}>
    <RouterProvider router={router} />
    <ConfirmDialogs />
    <ProofGate />
    <Notices />
  </QueryClientProvider>
)

/**
 * Opens the pages of a signed-in person. The frame in index.html stays until the first page can be drawn, so that
 * nothing white is shown in between. `isBack` is true if the person left the page for a proof and signed in again.
 */
export async function openPages(door: EntryInfo & { me: Me }, show: DrawPage, isBack: boolean): Promise<void> {
  queryClient.setQueryData(meQuery.queryKey, door.me)
  queryClient.setQueryData(read('GET /door').queryKey, door)
  watchRouter()
  await router.load()
  show(<App />)
  if (isBack) notify({ title: 'You signed in again', message: repeatPress, autoClose: false })
}

const repeatPress = 'Nothing was changed yet. Press the button again that you pressed before.'

/** Loads the first page, and begins to watch for missing files and for the end of the session. */
function watchRouter(): void {
  loadFirstPage()
  // If a file could not be loaded, as after an upgrade of the service, a link to another page opens a new document.
  router.subscribe('onBeforeNavigate', ({ toLocation, pathChanged, fromLocation }) => {
    if (fromLocation && pathChanged && filesAreGone()) void loadAgain(toLocation.href)
  })
  // If the service answers a query with 401, the session has ended.
  queryClient.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'error') return
    if (isRefusal(event.action.error, 401)) void signInAgain()
  })
}

/**
 * Loads the code of the first page while its data is loaded. If a file cannot be loaded, the route requests it again
 * later.
 */
function loadFirstPage(): void {
  for (const { routeId } of router.matchRoutes(router.latestLocation) as { routeId: keyof typeof router.routesById }[])
    router.loadRouteChunk(router.routesById[routeId])?.catch(() => {})
}

/** Opens the sign-in page. After signing in, the person returns to the same page. */
async function signInAgain(): Promise<void> {
  const here = router.state.location
  if (here.pathname === paths.signIn) return
  await router.navigate({ to: paths.signIn, search: here.href === '/' ? {} : { next: here.href } })
  // The person's data is removed last, since the page before needs it while it is open.
  queryClient.removeQueries({ queryKey: queryKeys.me })
}
