import type { Me } from '@svc/api'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { meQuery, queryClient } from './data/queries.ts'
import { router } from './router.tsx'
import { ProofGate } from './shell/proof/ProofGate.tsx'
import { ConfirmDialogs } from './ui/index.ts'
import { Notices } from './ui/notify.tsx'
import type { Show } from './ui/pages/Page.tsx'

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
 * nothing white is shown in between.
 */
export async function openPages(me: Me, show: Show): Promise<void> {
  queryClient.setQueryData(meQuery.queryKey, me)
  await router.load()
  show(<App />)
}
