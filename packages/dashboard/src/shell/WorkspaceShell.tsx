import { Burger } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Outlet, useParams, useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { isRefusal } from '../api.ts'
import { useLive } from '../live/useLive.ts'
import { NotFoundPage } from '../NotFoundPage.tsx'
import { forgetWorkspace, workspaceQuery } from '../queries.ts'
import { useTitleCount } from '../ui/index.ts'
import { useSlug, useWorkspace } from '../workspace.ts'
import { Banners } from './Banners.tsx'
import { useFrame } from './frame.ts'
import { Mark } from './Mark.tsx'
import { SideBar } from './SideBar.tsx'

/**
 * The frame around every page of a workspace. It contains the navigation, at the side or, on narrow screens, at the
 * top. It also holds the live connection that all these pages use.
 */
export function WorkspaceShell() {
  const slug = useSlug()
  const { name } = useParams({ strict: false })
  const live = useLive(slug, name)
  useFrame('workspace')
  useTitleCount(useWorkspace().alerts.unacknowledged)
  const [opened, setOpened] = useState(false)
  const where = useRouterState({ select: ({ location }) => location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: wherever one goes, the menu is done with
  useEffect(() => setOpened(false), [where])
  useEffect(() => {
    if (!opened) return
    const key = (event: KeyboardEvent) => event.key === 'Escape' && setOpened(false)
    window.addEventListener('keydown', key)
    return () => window.removeEventListener('keydown', key)
  }, [opened])
  const client = useQueryClient()
  // The person was removed from the workspace, so its data leaves the screen.
  const isGone = isRefusal(useQuery(workspaceQuery(slug)).error, 404)
  useEffect(() => {
    if (isGone) void forgetWorkspace(client, slug)
  }, [client, slug, isGone])
  if (isGone) return <NotFoundPage />
  return (
    <div className="svc-shell" data-menu={opened}>
      <a href="#content" className="svc-skip">
        Skip to content
      </a>
      <header className="svc-top">
        <Burger
          opened={opened}
          onClick={() => setOpened(!opened)}
          size="sm"
          aria-label={opened ? 'Close menu' : 'Open menu'}
          aria-expanded={opened}
          aria-controls="menu"
        />
        <Mark />
      </header>
      <nav className="svc-side" id="menu" aria-label="Workspace">
        <SideBar slug={slug} />
      </nav>
      <main id="content" className="svc-main" tabIndex={-1}>
        <Banners slug={slug} live={live} />
        <div className="svc-page">
          <Outlet />
        </div>
      </main>
    </div>
  )
}
