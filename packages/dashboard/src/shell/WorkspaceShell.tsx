import { Burger, UnstyledButton } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Outlet, useNavigate, useParams, useRouterState } from '@tanstack/react-router'
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { isRefusal } from '../data/api.ts'
import { useLive } from '../data/live/useLive.ts'
import { forgetWorkspace, read } from '../data/queries.ts'
import { noteOpenPage } from '../data/returning.ts'
import { ShellWorkspace, useSlug, useWorkspace } from '../data/workspace.ts'
import { paths } from '../paths.ts'
import { lazyPart } from '../ui/files.tsx'
import { focusMain, useTitleCount } from '../ui/index.ts'
import { useKey, useKeyListener } from '../ui/keys/useKeys.ts'
import { notify } from '../ui/notify.tsx'
import { NotFoundPage } from '../ui/pages/NotFoundPage.tsx'
import { Banners } from './Banners.tsx'
import { useFrame } from './frame.ts'
import { Logo } from './Mark.tsx'
import { SideBar } from './SideBar.tsx'

const loadPalette = () => import('./finding/Palette.tsx')
const Palette = lazyPart(async () => ({ default: (await loadPalette()).Palette }))
const KeysSheet = lazyPart(async () => ({ default: (await import('./KeysSheet.tsx')).KeysSheet }))

/**
 * The frame around the page of a route in a workspace, or around `children`. It contains the navigation, at the side
 * or, on narrow screens, at the top. It also holds the live connection that all these pages use.
 */
export function WorkspaceShell({ children = <Outlet /> }: { children?: ReactNode }) {
  const slug = useSlug()
  const { name } = useParams({ strict: false })
  const live = useLive(slug, name)
  useFrame('workspace')
  const workspace = useWorkspace()
  useTitleCount(workspace.alerts.unacknowledged)
  const [opened, setOpened] = useState(false)
  const where = useRouterState({ select: ({ location }) => location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when the address changes
  useEffect(() => setOpened(false), [where])
  useKey('clear', opened ? () => setOpened(false) : undefined)
  const { finding, find, found, leave } = useFinding()
  const [keysShown, setKeysShown] = useState<boolean>()
  const showKeys = () => setKeysShown(true)
  const navigate = useNavigate()
  const go = (to: string) => () => void navigate({ to, params: { slug } })
  useKeyListener({
    palette: find,
    keys: showKeys,
    agents: go(paths.fleet),
    updates: go(paths.updates),
    alerts: go(paths.alerts),
  })
  useEffect(() => {
    noteOpenPage(slug, name !== undefined ? { agent: name } : /^\/w\/[^/]+\/?$/.test(where) ? 'list' : 'elsewhere')
  }, [slug, name, where])
  const client = useQueryClient()
  // A 404 means that the person has lost the workspace, so its data leaves the screen.
  const isGone = isRefusal(useQuery(read('GET /w/:slug', { slug })).error, 404)
  useEffect(() => {
    if (isGone) void forgetWorkspace(client, slug)
  }, [client, slug, isGone])
  if (isGone) return <NotFoundPage />
  return (
    <div className="svc-shell" data-menu={opened}>
      {/* biome-ignore lint/a11y/useValidAnchor: this is a link to the content, and the handler also moves the focus */}
      <a
        href="#content"
        className="svc-skip"
        onClick={(event) => {
          event.preventDefault()
          focusMain()
        }}
      >
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
        <Logo name={workspace.name} />
        <UnstyledButton className="svc-top-find" aria-label="Find" onClick={find}>
          <IconSearch size={18} aria-hidden />
        </UnstyledButton>
      </header>
      <nav className="svc-side" id="menu" aria-label="Workspace">
        <SideBar slug={slug} onFind={find} />
      </nav>
      <main id="content" className="svc-main" tabIndex={-1}>
        <Banners slug={slug} live={live} />
        <ShellWorkspace value={slug}>
          <div className="svc-page">{children}</div>
        </ShellWorkspace>
      </main>
      <Suspense>
        {finding && <Palette slug={slug} onReady={found} onKeys={showKeys} onClosed={leave} />}
        {keysShown !== undefined && <KeysSheet opened={keysShown} onClose={() => setKeysShown(false)} />}
      </Suspense>
    </div>
  )
}

/**
 * Opens and closes the palette, whose code is loaded when it is first opened. `found` returns the text that the person
 * typed before the field of the palette had the focus.
 */
function useFinding() {
  const [finding, setFinding] = useState(false)
  const keeping = useRef<{ typed: string; end: () => void }>(undefined)
  const found = () => {
    const { typed = '', end } = keeping.current ?? {}
    end?.()
    keeping.current = undefined
    return typed
  }
  const find = () => {
    if (keeping.current) return
    const keep = (event: KeyboardEvent) => {
      event.stopImmediatePropagation()
      if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      if (keeping.current) keeping.current.typed += event.key
    }
    window.addEventListener('keydown', keep, { capture: true })
    keeping.current = { typed: '', end: () => window.removeEventListener('keydown', keep, { capture: true }) }
    loadPalette().then(
      () => setFinding(true),
      () => {
        found()
        notify({ color: 'red', message: 'The search could not be loaded. Check your connection and try again.' })
      },
    )
  }
  return { finding, find, found, leave: () => setFinding(false) }
}
