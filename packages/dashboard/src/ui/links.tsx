/** Buttons and links in the style of Mantine that open pages through the router. */
import { Anchor, Button, type ButtonProps, NavLink } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentProps } from 'react'

export const AnchorLink = createLink(Anchor<'a'>)
export const ButtonLink = createLink((props: ButtonProps & Omit<ComponentProps<'a'>, keyof ButtonProps>) => (
  <Button component="a" {...props} />
))
export const NavItem = createLink(NavLink<'a'>)
