import { Button } from '@mantine/core'
import { IconBookmark } from '@tabler/icons-react'
import type { Ref } from 'react'
import { Text } from '../../ui/index.ts'
import type { ShownView } from './shown-view.ts'

/** The props of the menu's button. The menu passes further props, which go to the button element. */
interface MenuButtonProps {
  shown: ShownView | undefined
  ref?: Ref<HTMLButtonElement>
  'aria-haspopup'?: 'menu'
  'aria-expanded'?: boolean
  onPointerEnter?: () => void
  onFocus?: () => void
  onClick?: () => void
}

/** The button of the menu of views. It names the view that the list shows, and says if the list differs from it. */
export const ViewsButton = ({ shown, ...button }: MenuButtonProps) => (
  <Button
    {...button}
    className="fleet-views"
    variant="default"
    data-shown={shown !== undefined}
    data-differs={shown?.differs}
    aria-label={shown ? `View ${shown.view.name}${shown.differs ? ', changed' : ''}` : 'Views'}
    leftSection={<IconBookmark size={15} aria-hidden />}
  >
    {shown ? <Text cut>{shown.view.name}</Text> : <span>Views</span>}
    {shown?.differs && <span className="fleet-changed">changed</span>}
  </Button>
)
