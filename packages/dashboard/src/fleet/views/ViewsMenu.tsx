import { Menu } from '@mantine/core'
import type { SavedView } from '@svc/api'
import { IconArrowBackUp, IconCheck, IconDeviceFloppy, IconPencil, IconServer2, IconTrash } from '@tabler/icons-react'
import { Fragment, useEffect, useRef, useState } from 'react'
import { Text } from '../../ui/index.ts'
import { useOpenView } from './open.ts'
import { isDefaultList, type ShownView } from './shown-view.ts'
import { defaultOrder } from './state.ts'
import { useFleetListChoice } from './useFleetListChoice.ts'
import { ViewsButton } from './ViewsButton.tsx'

interface MenuProps {
  slug: string
  views: readonly SavedView[]
  shown: ShownView | undefined
  /** Opens the dialog that saves the list as a view; undefined while the filter has a mistake. */
  save: (() => void) | undefined
  /** Rename and remove the view that the list shows; both undefined if this person may not change it. */
  rename: (() => void) | undefined
  remove: (() => void) | undefined
}

const icon = { size: 15, stroke: 1.6, 'aria-hidden': true } as const

/**
 * The menu of the views: those of the workspace, the person's own, and what can be done with the view that the list
 * shows.
 */
export default function ViewsMenu({ slug, views, shown, save, rename, remove }: MenuProps) {
  const { state, show } = useFleetListChoice()
  const open = useOpenView(slug)
  const [opened, setOpened] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  // The first press was on a button that this menu replaced. The new button gets the focus, so that the focus returns
  // to it when the menu closes.
  useEffect(() => {
    button.current?.focus()
    setOpened(true)
  }, [])
  const plain = isDefaultList(state)
  const groups = [
    ['Workspace', views.filter(({ shared }) => shared)],
    ['Only for you', views.filter(({ shared }) => !shared)],
  ] as const
  const here = (id: string | undefined) => shown?.view.id === id && !shown?.differs
  return (
    // Without a portal, the menu stays within a landmark of the page. Mantine's placeholder for the focus would be an
    // element that takes the focus but has no role.
    <Menu
      opened={opened}
      onChange={setOpened}
      width={260}
      position="bottom-start"
      withinPortal={false}
      withInitialFocusPlaceholder={false}
      trapFocus
    >
      <Menu.Target>
        <ViewsButton ref={button} shown={shown} />
      </Menu.Target>
      <Menu.Dropdown className="fleet-views-menu">
        <div className="fleet-views-list">
          <Menu.Item
            data-autofocus
            leftSection={<IconServer2 {...icon} />}
            rightSection={plain && !shown ? <IconCheck size={15} aria-label="shown" /> : null}
            onClick={() => show({ q: '', sort: defaultOrder })}
          >
            All agents
          </Menu.Item>
          {groups.map(
            ([name, some]) =>
              some.length > 0 && (
                <Fragment key={name}>
                  <Menu.Label>{name}</Menu.Label>
                  {some.map((view) => (
                    <Menu.Item
                      key={view.id}
                      title={view.q === '' ? undefined : view.q}
                      rightSection={here(view.id) ? <IconCheck size={15} aria-label="shown" /> : null}
                      onClick={() => void open(view)}
                    >
                      <Text cut>{view.name}</Text>
                    </Menu.Item>
                  ))}
                </Fragment>
              ),
          )}
          {views.length === 0 && (
            <Menu.Label>No views yet. Filter the list, then save what you look for often as a view.</Menu.Label>
          )}
        </div>
        <Menu.Divider />
        <Menu.Item leftSection={<IconDeviceFloppy {...icon} />} disabled={!save} onClick={save}>
          Save view…
        </Menu.Item>
        {(shown?.differs || rename) && (
          <Menu.Label>
            <Text cut>{shown?.view.name ?? ''}</Text>
          </Menu.Label>
        )}
        {shown?.differs && (
          <Menu.Item leftSection={<IconArrowBackUp {...icon} />} onClick={() => void open(shown.view)}>
            Undo the changes
          </Menu.Item>
        )}
        {rename && (
          <Menu.Item leftSection={<IconPencil {...icon} />} onClick={rename}>
            Rename view…
          </Menu.Item>
        )}
        {remove && (
          <Menu.Item leftSection={<IconTrash {...icon} />} onClick={remove}>
            Remove view
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
