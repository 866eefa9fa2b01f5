import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { Dialog, serviceNow } from '../../ui/index.ts'
import { useAlertChange } from '../parts/useAlertChange.ts'
import { muteLengths } from './mute-lengths.ts'
import { PlannedMuteDialog } from './PlannedMuteDialog.tsx'

interface MuteAgentDialogProps {
  slug: string
  /** The name of the agent. */
  name: string
  onClose: () => void
}

/** A dialog that mutes an agent for one of several lengths, or for a time that the person plans. */
export default function MuteAgentDialog({ slug, name, onClose }: MuteAgentDialogProps) {
  const [planning, setPlanning] = useState(false)
  const mute = useAlertChange(
    slug,
    'Not muted',
    (seconds: number | null) => call('POST /w/:slug/mutes', { slug }, { agent: name, seconds }),
    onClose,
  )
  if (planning) return <PlannedMuteDialog slug={slug} covered={{ agent: name, rule: null }} onClose={onClose} />
  return (
    <Dialog opened onClose={onClose} title={`Mute ${name}`} size="sm">
      <Stack gap="xs">
        <Text c="dimmed" mb={4}>
          Nothing is sent about it in this time. Alerts still open and end.
        </Text>
        {muteLengths.map(([words, seconds], i) => (
          <Button
            key={words}
            variant="default"
            data-autofocus={i === 0 || undefined}
            disabled={mute.busy}
            onClick={() => mute.submit(seconds(serviceNow()))}
          >
            {words}
          </Button>
        ))}
        <Button variant="default" onClick={() => setPlanning(true)}>
          Planned window…
        </Button>
      </Stack>
    </Dialog>
  )
}
