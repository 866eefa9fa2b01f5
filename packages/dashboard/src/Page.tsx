/** The root of everything that is drawn, with theme and colour scheme. The door and all other pages share it. */
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { surviveForeignChanges } from './foreign-changes.ts'
import { resolver, theme } from './theme.ts'

/**
 * Remembers in this browser which colour scheme the person chose. The script public/first-paint.js reads the same key
 * before the first paint.
 */
const schemes = localStorageColorSchemeManager({ key: 'svc-colour-scheme' })

/** Draws `content` in place of the frame that index.html shows at first. */
export function show(content: ReactNode): void {
  surviveForeignChanges()
  const element = document.getElementById('root')
  if (element === null) throw new Error('index.html has no element #root to draw the page in')
  createRoot(element).render(
    <MantineProvider
      theme={theme}
      cssVariablesResolver={resolver}
      defaultColorScheme="auto"
      colorSchemeManager={schemes}
    >
      {content}
    </MantineProvider>,
  )
}
export type Show = typeof show
