import { ActionIcon, Menu } from '@mantine/core'
import { IconDots, IconKey, IconPencil, IconTrash } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { DeleteDialog, RenameDialog, RotateDialog } from '../../../agents/index.ts'
import { type Agent, adminsOnly } from '../../../agents/parts/agent.ts'

/**
 * The menu to rename an agent, to rotate its token and to delete it. Each opens a dialog that names the consequences.
 */
export function AgentMenu({ agent }: { agent: Agent }) {
  const [open, setOpen] = useState<'rename' | 'rotate' | 'delete' | null>(null)
  const [used, setUsed] = useState(false)
  const { slug, page } = agent
  const dialog = (which: typeof open) => ({
    slug,
    name: page.name,
    opened: open === which,
    onClose: () => setOpen(null),
  })
  return (
    <>
      <Menu position="bottom-end" withinPortal onOpen={() => setUsed(true)}>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={`More about ${page.name}`}>
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {!page.canAct && <Menu.Label>{adminsOnly}</Menu.Label>}
          <Menu.Item
            disabled={!page.canAct}
            leftSection={<IconPencil size={15} aria-hidden />}
            onClick={() => setOpen('rename')}
          >
            Rename…
          </Menu.Item>
          <Menu.Item
            disabled={!page.canAct}
            leftSection={<IconKey size={15} aria-hidden />}
            onClick={() => setOpen('rotate')}
          >
            Rotate token…
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            disabled={!page.canAct}
            color="red"
            leftSection={<IconTrash size={15} aria-hidden />}
            onClick={() => setOpen('delete')}
          >
            Delete…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {used && (
        <Suspense>
          <RenameDialog {...dialog('rename')} />
          <RotateDialog {...dialog('rotate')} />
          <DeleteDialog {...dialog('delete')} />
        </Suspense>
      )}
    </>
  )
}
