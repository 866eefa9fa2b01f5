import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { queryClient } from './queries.ts'
import { router } from './router.tsx'
import { resolver, theme } from './theme.ts'

/** Not needed for the first sight. */
const Notifications = lazy(async () => ({ default: (await import('@mantine/notifications')).Notifications }))

/** The same key is read by public/colour-scheme.js before the first paint. */
const schemes = localStorageColorSchemeManager({ key: 'svc-colour-scheme' })

export const App = () => (
  <MantineProvider theme={theme} cssVariablesResolver={resolver} defaultColorScheme="auto" colorSchemeManager={schemes}>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <Suspense>
        <Notifications position="bottom-right" />
      </Suspense>
    </QueryClientProvider>
  </MantineProvider>
)
