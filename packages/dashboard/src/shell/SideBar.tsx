import { NavLink, UnstyledButton } from '@mantine/core'
import {
  IconBell,
  IconCoins,
  IconHelpCircle,
  IconHistory,
  IconListCheck,
  IconPackage,
  IconRefreshDot,
  IconRobot,
  IconSearch,
  IconServer2,
  IconSettings,
  IconUsers,
} from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useMatch, useParams } from '@tanstack/react-router'
import { type ComponentType, Suspense, useState } from 'react'
import { meQuery } from '../data/queries.ts'
import { useWorkspace } from '../data/workspace.ts'
import { paths } from '../paths.ts'
import { lazyPart } from '../ui/files.tsx'
import { modifierKeyOf } from '../ui/keys/keys.ts'
import { isMac } from '../ui/keys/useKeys.ts'
import { NavItem } from '../ui/links.tsx'
import { menuIcon, PersonButton, WorkspaceButton } from './finding/menu-buttons.tsx'
import { Logo } from './Mark.tsx'

/** Shows the menu to switch workspaces, the button of the palette, the navigation, and the person's menu. */
export function SideBar({ slug, onFind }: { slug: string; onFind: () => void }) {
  const { name } = useParams({ strict: false })
  const isAdding = useMatch({ from: '/signed-in/w/$slug/add', shouldThrow: false }) !== undefined
  const workspace = useWorkspace()
  const { data: me } = useSuspenseQuery(meQuery)
  return (
    <>
      <div className="svc-side-mark">
        <Logo />
      </div>
      <MenuOnDemand face={WorkspaceButton} name={workspace.name} menu={WorkspaceMenu} />
      <UnstyledButton className="svc-find" aria-keyshortcuts={isMac ? 'Meta+K' : 'Control+K'} onClick={onFind}>
        <IconSearch size={15} aria-hidden />
        Find
        <span aria-hidden>
          <kbd>{modifierKeyOf(isMac)}</kbd>
          <kbd>K</kbd>
        </span>
      </UnstyledButton>
      <div className="svc-side-pages">
        <NavItem
          to={paths.fleet}
          params={{ slug }}
          activeOptions={{ exact: true, includeSearch: false }}
          label="Agents"
          data-within={name !== undefined || isAdding}
          leftSection={<IconServer2 {...menuIcon} />}
        />
        <NavItem
          to={paths.actions}
          params={{ slug }}
          label="Actions"
          leftSection={<IconListCheck {...menuIcon} />}
          rightSection={<Count of={workspace.unfinishedActions} says="in progress" quiet />}
        />
        <NavItem
          to={paths.blueprints}
          params={{ slug }}
          label="Blueprints"
          leftSection={<IconPackage {...menuIcon} />}
        />
        <NavItem to={paths.updates} params={{ slug }} label="Updates" leftSection={<IconRefreshDot {...menuIcon} />} />
        <NavItem
          to={paths.alerts}
          params={{ slug }}
          label="Alerts"
          leftSection={<IconBell {...menuIcon} />}
          rightSection={<Count of={workspace.alerts.unacknowledged} says="not acknowledged" />}
        />
        <NavItem to={paths.cost} params={{ slug }} label="Cost" leftSection={<IconCoins {...menuIcon} />} />
        {workspace.bots !== 0 && (
          <NavItem to={paths.bots} params={{ slug }} label="Bots" leftSection={<IconRobot {...menuIcon} />} />
        )}
        <NavItem to={paths.activity} params={{ slug }} label="Activity" leftSection={<IconHistory {...menuIcon} />} />
        <NavItem to={paths.members} params={{ slug }} label="Members" leftSection={<IconUsers {...menuIcon} />} />
        <NavItem to={paths.settings} params={{ slug }} label="Settings" leftSection={<IconSettings {...menuIcon} />} />
      </div>
      <NavLink
        className="svc-side-help"
        href="/help"
        target="_blank"
        label="Help"
        leftSection={<IconHelpCircle {...menuIcon} />}
      />
      <MenuOnDemand face={PersonButton} name={me.name} menu={PersonMenu} />
    </>
  )
}

/** Shows a number at the end of a line; nothing if it is 0. Screen readers also read what it counts. */
const Count = ({ of, says, quiet }: { of: number; says: string; quiet?: true }) =>
  of > 0 && (
    <span className="svc-count" data-quiet={quiet}>
      <span className="svc-hidden">: </span>
      {of}
      <span className="svc-hidden"> {says}</span>
    </span>
  )

const load = () => import('./finding/menus.tsx')
const WorkspaceMenu = lazyPart(async () => ({ default: (await load()).WorkspaceMenu }))
const PersonMenu = lazyPart(async () => ({ default: (await load()).PersonMenu }))

/**
 * The button of a menu. The menu's code is loaded when the pointer or the focus reaches the button, and the first press
 * opens the menu.
 */
function MenuOnDemand({
  face: Face,
  name,
  menu: OpenMenu,
}: {
  face: typeof WorkspaceButton
  name: string
  menu: ComponentType
}) {
  const [pressed, setPressed] = useState(false)
  const face = (
    <Face
      name={name}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={() => void load()}
      onFocus={() => void load()}
      onClick={() => setPressed(true)}
    />
  )
  return pressed ? (
    <Suspense fallback={face}>
      <OpenMenu />
    </Suspense>
  ) : (
    face
  )
}
