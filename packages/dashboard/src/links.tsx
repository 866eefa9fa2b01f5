/** Mantine's buttons and links as links of the router. */
import { Anchor, Button, NavLink } from '@mantine/core'
import { createLink } from '@tanstack/react-router'

export const AnchorLink = createLink(Anchor<'a'>)
export const ButtonLink = createLink(Button<'a'>)
export const NavItem = createLink(NavLink<'a'>)
