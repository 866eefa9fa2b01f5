import { Button } from '@mantine/core'
import { IconBookmark } from '@tabler/icons-react'
import type { Ref } from 'react'
import { Text } from '../../ui/index.ts'
import type { ShownView } from './standing.ts'

/** The props of the menu's button. The menu passes further props, which go to the button element. */
interface MenuButtonProps {
  standing: ShownView | undefined
  ref?: Ref<HTMLButtonElement>
  'aria-haspopup'?: 'menu'
  'aria-expanded'?: boolean
  onPointerEnter?: () => void
  onFocus?: () => void
  onClick?: () => void
}

/** The button of the menu of views. It names the view that the list shows, and says if the list differs from it. */
export const ViewsButton = ({ standing, ...button }: MenuButtonProps) => (
  <Button
    {...button}
    className="fleet-views"
    variant="default"
    data-shown={standing !== undefined}
    data-differs={standing?.differs}
    aria-label={standing ? `View ${standing.view.name}${standing.differs ? ', changed' : ''}` : 'Views'}
    leftSection={<IconBookmark size={15} aria-hidden />}
  >
    {standing ? <Text cut>{standing.view.name}</Text> : <span>Views</span>}
    {standing?.differs && <span className="fleet-changed">changed</span>}
  </Button>
)
