/** The menus of the side bar. This file is loaded when a menu is first needed, and the menu then opens at once. */
import { Menu } from '@mantine/core'
import {
  IconCheck,
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconPlus,
  IconSun,
  IconUserCircle,
} from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { meQuery } from '../../data/queries.ts'
import { useSignOut } from '../../data/session.ts'
import { useWorkspace } from '../../data/workspace.ts'
import { paths } from '../../paths.ts'
import { Text } from '../../ui/index.ts'
import { menuIcon, PersonButton, WorkspaceButton } from './menu-buttons.tsx'
import { useScheme } from './scheme.ts'

export function WorkspaceMenu() {
  const workspace = useWorkspace()
  const { data: me } = useSuspenseQuery(meQuery)
  return (
    <Menu width={200} defaultOpened position="bottom-start">
      <Menu.Target>
        <WorkspaceButton name={workspace.name} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Workspaces</Menu.Label>
        {me.workspaces.map(({ slug, name }) => (
          <Menu.Item
            key={slug}
            component={Link}
            to={`/w/${slug}`}
            rightSection={slug === workspace.slug ? <IconCheck size={15} aria-label="here" /> : null}
          >
            <Text>{name}</Text>
          </Menu.Item>
        ))}
        {me.workspaces.some(({ role }) => role === 'admin') && (
          <>
            <Menu.Divider />
            <Menu.Item leftSection={<IconPlus {...menuIcon} />} component={Link} to={paths.newWorkspace}>
              Create workspace
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

export function PersonMenu() {
  const { data: me } = useSuspenseQuery(meQuery)
  const signOut = useSignOut()
  const navigate = useNavigate()
  const { chosen, choose } = useScheme()
  const check = (scheme: typeof chosen) => (scheme === chosen ? <IconCheck size={15} aria-label="chosen" /> : null)
  return (
    <Menu width={224} defaultOpened position="top-start">
      <Menu.Target>
        <PersonButton name={me.name} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text>{me.email}</Text>
        </Menu.Label>
        <Menu.Item leftSection={<IconUserCircle {...menuIcon} />} onClick={() => void navigate({ to: paths.account })}>
          My account
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconSun {...menuIcon} />}
          rightSection={check('light')}
          onClick={() => choose('light')}
        >
          Light
        </Menu.Item>
        <Menu.Item leftSection={<IconMoon {...menuIcon} />} rightSection={check('dark')} onClick={() => choose('dark')}>
          Dark
        </Menu.Item>
        <Menu.Item
          leftSection={<IconDeviceDesktop {...menuIcon} />}
          rightSection={check('auto')}
          onClick={() => choose('auto')}
        >
          System
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout {...menuIcon} />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
        <Menu.Label>svc {me.service.version}</Menu.Label>
      </Menu.Dropdown>
    </Menu>
  )
}
