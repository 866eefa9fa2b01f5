/** The buttons of the side bar's menus. The page shows them before the code of the menus is loaded. */
import { NavLink, UnstyledButton } from '@mantine/core'
import { IconSelector, IconUserCircle } from '@tabler/icons-react'
import { Text } from '../../ui/index.ts'

export const menuIcon = { size: 17, stroke: 1.6, 'aria-hidden': true } as const

/** The props of a menu's button. The menu component passes further props, which go to the button element. */
interface MenuButtonProps {
  name: string
  'aria-haspopup'?: 'menu'
  'aria-expanded'?: boolean
  onPointerEnter?: () => void
  onFocus?: () => void
  onClick?: () => void
}

export const WorkspaceButton = ({ name, ...button }: MenuButtonProps) => (
  <UnstyledButton className="svc-switch" aria-label={`Workspace ${name}: switch`} {...button}>
    <span>
      <Text cut>{name}</Text>
    </span>
    <IconSelector size={15} aria-hidden />
  </UnstyledButton>
)

export const PersonButton = ({ name, ...button }: MenuButtonProps) => (
  <NavLink
    component="button"
    className="svc-side-person"
    label={<Text cut>{name}</Text>}
    aria-label={`${name}: account and appearance`}
    leftSection={<IconUserCircle {...menuIcon} />}
    {...button}
  />
)
