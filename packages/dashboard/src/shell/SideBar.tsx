import { Menu, NavLink, UnstyledButton } from '@mantine/core'
import {
  IconCheck,
  IconDeviceDesktop,
  IconHistory,
  IconLogout,
  IconMoon,
  IconPackage,
  IconRobot,
  IconSelector,
  IconServer2,
  IconSun,
  IconUserCircle,
  IconUsers,
} from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { NavItem } from '../links.tsx'
import { paths } from '../paths.ts'
import { meQuery } from '../queries.ts'
import { useSignOut } from '../session.ts'
import { Text } from '../ui/index.ts'
import { useWorkspace } from '../workspace.ts'
import { Mark } from './Mark.tsx'
import { useScheme } from './scheme.ts'

const icon = { size: 17, stroke: 1.6, 'aria-hidden': true } as const

/** The pages of a workspace, the way to another one, and the person. */
export function SideBar({ slug }: { slug: string }) {
  const { name } = useParams({ strict: false })
  const onAgent = name !== undefined
  return (
    <>
      <div className="svc-side-mark">
        <Mark />
      </div>
      <WorkspaceMenu />
      <div className="svc-side-pages">
        <NavItem
          to={paths.fleet}
          params={{ slug }}
          activeOptions={{ exact: true, includeSearch: false }}
          label="Agents"
          data-within={onAgent}
          leftSection={<IconServer2 {...icon} />}
        />
        <NavItem to={paths.blueprints} params={{ slug }} label="Blueprints" leftSection={<IconPackage {...icon} />} />
        <NavItem to={paths.bots} params={{ slug }} label="Bots" leftSection={<IconRobot {...icon} />} />
        <NavItem to={paths.activity} params={{ slug }} label="Activity" leftSection={<IconHistory {...icon} />} />
        <NavItem to={paths.members} params={{ slug }} label="Members" leftSection={<IconUsers {...icon} />} />
      </div>
      <PersonMenu />
    </>
  )
}

function WorkspaceMenu() {
  const workspace = useWorkspace()
  const { data: me } = useSuspenseQuery(meQuery)
  return (
    <Menu width={200} position="bottom-start">
      <Menu.Target>
        <UnstyledButton className="svc-switch" aria-label={`Workspace ${workspace.name}: switch`}>
          <span>
            <Text cut>{workspace.name}</Text>
          </span>
          <IconSelector size={15} aria-hidden />
        </UnstyledButton>
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
      </Menu.Dropdown>
    </Menu>
  )
}

function PersonMenu() {
  const { data: me } = useSuspenseQuery(meQuery)
  const signOut = useSignOut()
  const navigate = useNavigate()
  const { chosen, choose } = useScheme()
  const check = (scheme: typeof chosen) => (scheme === chosen ? <IconCheck size={15} aria-label="chosen" /> : null)
  return (
    <Menu width={224} position="top-start">
      <Menu.Target>
        <NavLink
          component="button"
          className="svc-side-person"
          label={<Text cut>{me.name}</Text>}
          aria-label={`${me.name}: account and appearance`}
          leftSection={<IconUserCircle {...icon} />}
        />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text>{me.email}</Text>
        </Menu.Label>
        <Menu.Item leftSection={<IconUserCircle {...icon} />} onClick={() => void navigate({ to: paths.account })}>
          My account
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconSun {...icon} />} rightSection={check('light')} onClick={() => choose('light')}>
          Light
        </Menu.Item>
        <Menu.Item leftSection={<IconMoon {...icon} />} rightSection={check('dark')} onClick={() => choose('dark')}>
          Dark
        </Menu.Item>
        <Menu.Item
          leftSection={<IconDeviceDesktop {...icon} />}
          rightSection={check('auto')}
          onClick={() => choose('auto')}
        >
          As the system
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout {...icon} />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
