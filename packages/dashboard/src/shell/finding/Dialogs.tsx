/** The dialogs that the palette opens after it has closed. */

import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { controlNames } from '../../agents/parts/life.ts'
import { offlineText } from '../../agents/parts/press.ts'
import { AddChannelDialog } from '../../alerts/channels/AddChannelDialog.tsx'
import { call } from '../../data/api.ts'
import { queryKeys } from '../../data/queries.ts'
import { handOverCommand } from '../../data/sent.ts'
import { InviteDialog } from '../../members/Invitations.tsx'
import { paths } from '../../paths.ts'
import { Confirm, useReportOverdue } from '../../ui/index.ts'
import type { AgentCommand } from './commands.ts'

/** The dialog to open: to invite somebody, to add a channel, or to confirm a command. */
export type OpenDialog = 'invite' | 'channel' | AgentCommand

/** Shows the dialog that an entry of the palette opened. */
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

interface CommandDialogProps extends AgentCommand {
  slug: string
  opened: boolean
  onClose: () => void
}

/**
 * Asks before a command of the palette is sent, and then opens the page of the agent, which shows the agent's answer.
 */
function CommandDialog({ slug, control, agent, words, opened, onClose }: CommandDialogProps) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const { name, silentAt } = agent
  const isOffline = useReportOverdue(silentAt)
  const send = async () => {
    const command = await call('POST /w/:slug/agents/:name/commands', { slug, name }, { type: control })
    handOverCommand({ slug, name, command })
    void client.invalidateQueries({ queryKey: queryKeys.agent(slug, name) })
    await navigate({ to: paths.agent, params: { slug, name } })
  }
  return (
    <Confirm opened={opened} onClose={onClose} title={`${words}?`} confirm={controlNames[control]} onConfirm={send}>
      {isOffline ? offlineText : 'The agent gets the command with its next report, and decides for itself.'}
    </Confirm>
  )
}
