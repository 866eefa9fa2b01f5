import { Button, TextInput } from '@mantine/core'
import type { AlertLine } from '@svc/api'
import { subjectText } from '@svc/api/words'
import { trimInvisible } from '@svc/protocol'
import { IconCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { call } from '../data/api.ts'
import { Confirm } from '../ui/index.ts'
import { useReloadAlerts } from './parts/useAlertChange.ts'

const noteMax = 1000

interface AcknowledgeProps {
  slug: string
  /** The alerts to acknowledge, at least one. */
  alerts: readonly AlertLine[]
  done?: () => void
}

/** A button that acknowledges alerts. It first opens a dialog in which the person can write a note for others. */
export function Acknowledge({ slug, alerts, done }: AcknowledgeProps) {
  const again = useReloadAlerts(slug)
  const [asking, setAsking] = useState(false)
  const [note, setNote] = useState('')
  const one = alerts.length === 1 ? alerts[0] : undefined
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<IconCheck size={14} aria-hidden />}
        onClick={() => setAsking(true)}
        aria-label={
          one ? `Acknowledge the alert about ${subjectText(one.subject)}` : `Acknowledge ${alerts.length} alerts`
        }
      >
        Acknowledge
      </Button>
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title={one ? 'Acknowledge this alert?' : `Acknowledge ${alerts.length} alerts?`}
        confirm="Acknowledge"
        onConfirm={async () => {
          if (one) await call('POST /w/:slug/alerts/:id/acknowledge', { slug, id: one.id }, noteOf(note))
          else await acknowledgeAll(slug, alerts, note)
          await again()
          done?.()
        }}
      >
        The others see that you look after {one ? 'it' : 'them'}. No reminder is sent while {one ? 'it is' : 'they are'}{' '}
        open.
        <TextInput
          mt="md"
          data-autofocus
          label="Note"
          description={`Optional. Shown beside ${one ? 'the alert' : 'each alert'}, and sent to its channels.`}
          maxLength={noteMax}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
      </Confirm>
    </>
  )
}

/** The service acknowledges at most this many alerts in one request. */
const alertsAtOnce = 1000

async function acknowledgeAll(slug: string, alerts: readonly AlertLine[], note: string): Promise<void> {
  const ids = alerts.map(({ id }) => id)
  for (let i = 0; i < ids.length; i += alertsAtOnce)
    await call('POST /w/:slug/alerts/acknowledge', { slug }, { ids: ids.slice(i, i + alertsAtOnce), ...noteOf(note) })
}

/** Makes the body of an acknowledgement. An empty note is left out. */
function noteOf(typed: string): { note?: string } {
  const note = trimInvisible(typed)
  return note === '' ? {} : { note }
}
