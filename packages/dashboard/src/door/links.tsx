/** Links between the pages of the door. */
import { Anchor, Button, type ButtonProps } from '@mantine/core'
import type { MouseEvent, ReactNode } from 'react'
import { goToDoorPage } from './address.ts'

const press = (to: string) => (event: MouseEvent) => {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  goToDoorPage(to)
}

/** A link to another page of the door. */
export const DoorAnchor = ({ to, children }: { to: string; children: ReactNode }) => (
  <Anchor href={to} onClick={press(to)}>
    {children}
  </Anchor>
)

/** A link to another page of the door that looks like a button. */
export const DoorButton = ({ to, ...props }: ButtonProps & { to: string; children: ReactNode }) => (
  <Button component="a" href={to} onClick={press(to)} {...props} />
)
