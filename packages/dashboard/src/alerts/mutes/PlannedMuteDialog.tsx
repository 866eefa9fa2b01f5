import { Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { call } from '../../data/api.ts'
import { useChange } from '../../ui/dialogs/useChange.ts'
import { fromLocalTime, toLocalTime } from '../../ui/forms/local-time.ts'
import { Dialog, DialogFooter, serviceNow } from '../../ui/index.ts'
import { useReloadAlerts } from '../parts/useAlertChange.ts'
import { type MuteCover, muteCoverText } from '../parts/words.ts'

interface PlannedMuteDialogProps {
  slug: string
  covered: MuteCover
  onClose: () => void
}

const hour = 3600

/**
 * A dialog that mutes an agent, one of its health items, a rule or the workspace between two times that the person
 * chooses, for example during maintenance.
 */
export function PlannedMuteDialog({ slug, covered, onClose }: PlannedMuteDialogProps) {
  const again = useReloadAlerts(slug)
  const now = Math.floor(serviceNow() / 60_000) * 60
  const form = useForm({
    initialValues: { from: toLocalTime(now) ?? '', until: toLocalTime(now + hour) ?? '' },
    validate: {
      from: (text) => (fromLocalTime(text) === undefined ? 'Enter a date and a time.' : null),
      until: (text, { from }) => wrongEnd(fromLocalTime(text), fromLocalTime(from)),
    },
  })
  const { busy, error, submit } = useChange(async ({ from, until }: typeof form.values) => {
    const [begin = now, end = now] = [fromLocalTime(from), fromLocalTime(until)]
    await call(
      'POST /w/:slug/mutes',
      { slug },
      {
        ...muteCoverFields(covered),
        from: begin * 1000,
        seconds: end - Math.max(begin, Math.floor(serviceNow() / 1000)),
      },
    )
    await again()
    onClose()
  })
  return (
    <Dialog opened onClose={onClose} title={`Mute ${muteCoverText(covered)}`}>
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack gap="md">
          <Text c="dimmed">
            Nothing is sent in this time. Alerts still open and end, and what is open at the end is then sent once.
          </Text>
          <TextInput label="From" type="datetime-local" data-autofocus {...form.getInputProps('from')} />
          <TextInput label="Until" type="datetime-local" {...form.getInputProps('until')} />
          <DialogFooter error={error} onCancel={onClose} submit="Mute" busy={busy} />
        </Stack>
      </form>
    </Dialog>
  )
}

/** The fields that tell the service what a mute covers. */
export const muteCoverFields = ({ agent, rule, item }: MuteCover) => ({
  ...(agent !== null && { agent }),
  ...(rule !== null && { rule }),
  ...(item != null && { item }),
})

function wrongEnd(end: number | undefined, begin: number | undefined): string | null {
  if (end === undefined) return 'Enter a date and a time.'
  if (end * 1000 <= serviceNow()) return 'This time is past.'
  return begin !== undefined && end <= begin ? 'The end must be after the beginning.' : null
}
