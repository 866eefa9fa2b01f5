import { Button, TextInput } from '@mantine/core'
import type { AlertLine } from '@svc/api'
import { IconCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { api } from '../api.ts'
import { Confirm } from '../ui/index.ts'
import { useAlertsAgain } from './useAlertChange.ts'
import { subjectText } from './words.ts'

const noteMax = 1000

/** A button that acknowledges an alert. It first opens a dialog in which the person can write a note for others. */
export function Acknowledge({ slug, alert }: { slug: string; alert: AlertLine }) {
  const again = useAlertsAgain(slug)
  const [asking, setAsking] = useState(false)
  const [note, setNote] = useState('')
  return (
    <>
      <Button
        size="compact-sm"
        leftSection={<IconCheck size={14} aria-hidden />}
        onClick={() => setAsking(true)}
        aria-label={`Acknowledge the alert about ${subjectText(alert.subject)}`}
      >
        Acknowledge
      </Button>
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title="Acknowledge this alert?"
        confirm="Acknowledge"
        onConfirm={async () => {
          await api.acknowledge(slug, alert.id, note.trim())
          await again()
        }}
      >
        The others see that you look after it. No reminder is sent while it is open.
        <TextInput
          mt="md"
          data-autofocus
          label="Note"
          description="Optional. Shown beside the alert, and sent to its channels."
          maxLength={noteMax}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
      </Confirm>
    </>
  )
}
