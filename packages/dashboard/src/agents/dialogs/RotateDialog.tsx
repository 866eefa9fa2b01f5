import { Button, Group, Stack } from '@mantine/core'
import type { NewToken } from '@svc/api'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { queryKeys, read } from '../../data/queries.ts'
import { Confirm, Dialog, serviceNow } from '../../ui/index.ts'
import { FirstReport } from './FirstReport.tsx'
import { TokenSteps } from './TokenSteps.tsx'

/** The props of a dialog about one agent, which has the name `name`. */
export interface AgentDialogProps {
  slug: string
  name: string
  opened: boolean
  onClose: () => void
}

/** A dialog that gives an agent a new token. The old token stops working at once (D22). */
export function RotateDialog({ slug, name, opened, onClose }: AgentDialogProps) {
  const client = useQueryClient()
  const installed = client.getQueryData(read('GET /w/:slug/agents/:name', { slug, name }).queryKey)?.blueprint != null
  const [fresh, setFresh] = useState<{ token: NewToken; at: number } | null>(null)
  const rotate = async () => {
    const token = await call('POST /w/:slug/agents/:name/token', { slug, name })
    setFresh({ token, at: serviceNow() })
    void client.invalidateQueries({ queryKey: queryKeys.agent(slug, name) })
  }
  const done = () => {
    setFresh(null)
    onClose()
  }
  if (fresh)
    return (
      <Dialog opened onClose={done} title={`New token for ${name}`} size="lg" stay>
        <Stack gap="md">
          <TokenSteps token={fresh.token} installed={installed} />
          <FirstReport slug={slug} name={name} since={fresh.at} />
          <Group justify="flex-end">
            <Button onClick={done}>Done</Button>
          </Group>
        </Stack>
      </Dialog>
    )
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      keepOpen
      title={`Rotate the token of ${name}?`}
      confirm="Rotate token"
      danger
      onConfirm={rotate}
    >
      A new token is created and shown once.
      <ul className="svc-consequences">
        <li>
          The old token stops working immediately: reports with it are refused, and the agent is shown as offline.
        </li>
        <li>The agent itself keeps working; only its reporter needs the new token.</li>
        <li>Pending commands are kept and sent with the next report.</li>
      </ul>
    </Confirm>
  )
}
