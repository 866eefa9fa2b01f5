/** The dialogs that the palette opens after it has closed. */
import { useState } from 'react'
import { AddChannelDialog } from '../../alerts/channels/AddChannelDialog.tsx'
import { InviteDialog } from '../../members/Invitations.tsx'
import { CommandDialog } from './CommandDialog.tsx'
import type { AgentCommand } from './commands.ts'

export type OpenDialog = 'invite' | 'channel' | AgentCommand

export function Dialogs({ slug, dialog, onClosed }: { slug: string; dialog: OpenDialog; onClosed: () => void }) {
  const [opened, setOpened] = useState(true)
  const props = {
    slug,
    opened,
    onClose: () => {
      setOpened(false)
      onClosed()
    },
  }
  if (dialog === 'invite') return <InviteDialog {...props} />
  if (dialog === 'channel') return <AddChannelDialog {...props} />
  return <CommandDialog {...props} {...dialog} />
}
