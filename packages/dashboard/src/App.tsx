import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { Notices } from './notify.tsx'
import { queryClient } from './queries.ts'
import { router } from './router.tsx'
import { resolver, theme } from './theme.ts'

/**
 * Remembers in this browser which colour scheme the person chose. The script public/colour-scheme.js reads the same key
 * before the first paint.
 */
const schemes = localStorageColorSchemeManager({ key: 'svc-colour-scheme' })

export const App = () => (
  <MantineProvider theme={theme} cssVariablesResolver={resolver} defaultColorScheme="auto" colorSchemeManager={schemes}>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <Notices />
    </QueryClientProvider>
  </MantineProvider>
)
