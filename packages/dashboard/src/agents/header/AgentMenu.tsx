import { ActionIcon, Menu } from '@mantine/core'
import { IconBellOff, IconClock, IconDots, IconKey, IconPencil, IconTag, IconTrash } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { lazyPart } from '../../ui/files.tsx'
import { DeleteDialog, RenameDialog, RotateDialog, TagsDialog } from '../dialogs/index.ts'
import { type Agent, adminsOnly } from '../parts/agent.ts'
import { ControlItem, controlsOf } from './Controls.tsx'

const MuteAgentDialog = lazyPart(() => import('../../alerts/mutes/MuteAgentDialog.tsx'))
const HoursDialog = lazyPart(async () => ({ default: (await import('../overview/HoursForm.tsx')).HoursDialog }))

type AgentDialog = 'mute' | 'hours' | 'tags' | 'rename' | 'rotate' | 'delete'

/** The menu of an agent, with items that open dialogs, and with the controls that have no button. */
export function AgentMenu({ agent }: { agent: Agent }) {
  const [open, setOpen] = useState<AgentDialog | null>(null)
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
        <Items agent={agent} open={setOpen} />
      </Menu>
      {used && (
        <Suspense>
          <RenameDialog {...dialog('rename')} />
          <RotateDialog {...dialog('rotate')} />
          <DeleteDialog {...dialog('delete')} />
          {open === 'mute' && <MuteAgentDialog slug={slug} name={page.name} onClose={() => setOpen(null)} />}
          {open === 'tags' && <TagsDialog slug={slug} names={[page.name]} onClose={() => setOpen(null)} />}
          {open === 'hours' && <HoursDialog slug={slug} name={page.name} onClose={() => setOpen(null)} />}
        </Suspense>
      )}
    </>
  )
}

function Items({ agent, open }: { agent: Agent; open: (dialog: AgentDialog) => void }) {
  const { canAct } = agent.page
  return (
    <Menu.Dropdown>
      {controlsOf(agent).others.map((control) => (
        <ControlItem key={control} agent={agent} control={control} />
      ))}
      <Menu.Item leftSection={<IconBellOff size={15} aria-hidden />} onClick={() => open('mute')}>
        Mute…
      </Menu.Item>
      <Menu.Divider />
      {!canAct && <Menu.Label>{adminsOnly}</Menu.Label>}
      <Menu.Item disabled={!canAct} leftSection={<IconClock size={15} aria-hidden />} onClick={() => open('hours')}>
        Set hours…
      </Menu.Item>
      <Menu.Item disabled={!canAct} leftSection={<IconTag size={15} aria-hidden />} onClick={() => open('tags')}>
        Tags…
      </Menu.Item>
      <Menu.Item disabled={!canAct} leftSection={<IconPencil size={15} aria-hidden />} onClick={() => open('rename')}>
        Rename…
      </Menu.Item>
      <Menu.Item disabled={!canAct} leftSection={<IconKey size={15} aria-hidden />} onClick={() => open('rotate')}>
        Rotate token…
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item
        disabled={!canAct}
        color="red"
        leftSection={<IconTrash size={15} aria-hidden />}
        onClick={() => open('delete')}
      >
        Delete…
      </Menu.Item>
    </Menu.Dropdown>
  )
}
