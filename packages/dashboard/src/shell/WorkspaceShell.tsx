import { AppShell, Burger, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Outlet, useParams } from '@tanstack/react-router'
import { useLive } from '../live.ts'
import { useSlug } from '../workspace.ts'
import { Banners } from './Banners.tsx'
import { Mark } from './Mark.tsx'
import { SideBar } from './SideBar.tsx'

/** What stands around every page of a workspace. It holds the one live connection. */
export function WorkspaceShell() {
  const slug = useSlug()
  const { name } = useParams({ strict: false })
  const live = useLive(slug, name)
  const [opened, { toggle, close }] = useDisclosure()
  return (
    <AppShell
      header={{ height: { base: 48, sm: 0 } }}
      navbar={{ width: 216, breakpoint: 'sm', collapsed: { mobile: !opened } }}
    >
      <a href="#content" className="svc-skip">
        Skip to the content
      </a>
      <AppShell.Header hiddenFrom="sm" px="xs">
        <Group h="100%" gap="xs">
          <Burger opened={opened} onClick={toggle} size="sm" aria-label={opened ? 'Close menu' : 'Open menu'} />
          <Mark />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label="Workspace">
        <SideBar slug={slug} onGo={close} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <Banners slug={slug} live={live} />
        <div className="svc-page">
          <Outlet />
        </div>
      </AppShell.Main>
    </AppShell>
  )
}
