/** The root of everything that is drawn, with theme and colour scheme. The door and all other pages share it. */
import {
  localStorageColorSchemeManager,
  type MantineColorScheme,
  type MantineColorSchemeManager,
  MantineProvider,
} from '@mantine/core'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { surviveForeignChanges } from '../foreign-changes.ts'
import { cssVariablesResolver, theme } from '../theme.ts'

/**
 * Remembers in this browser which colour scheme the person chose. The script public/first-paint.js reads the same key
 * before the first paint.
 */
const stored = localStorageColorSchemeManager({ key: 'svc-colour-scheme' })
const schemes: MantineColorSchemeManager = {
  ...stored,
  get: (otherwise) => rememberScheme(stored.get(otherwise)),
  set: (scheme) => stored.set(rememberScheme(scheme)),
}

/** Stores the scheme in a cookie. The documents at `/help` have no script, so the service sets their scheme from it. */
function rememberScheme(scheme: MantineColorScheme): MantineColorScheme {
  const seconds = scheme === 'auto' ? 0 : 31_536_000
  // biome-ignore lint/suspicious/noDocumentCookie: not all browsers that the page supports have the Cookie Store API
  document.cookie = `svc-scheme=${scheme}; path=/help; max-age=${seconds}; samesite=lax`
  return scheme
}

/** Draws `content` in place of the empty page that index.html shows while the scripts are loaded. */
export function drawPage(content: ReactNode): void {
  surviveForeignChanges()
  const element = document.getElementById('root')
  if (element === null) throw new Error('index.html has no element #root to draw the page in')
  createRoot(element).render(
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      defaultColorScheme="auto"
      colorSchemeManager={schemes}
    >
      {content}
    </MantineProvider>,
  )
}
export type DrawPage = typeof drawPage
