import { Button, Group, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useReloadAlerts } from '../../alerts/parts/useAlertChange.ts'
import '../../alerts/alerts.css'
import { DaysField, TimesFields, ZoneField } from '../../alerts/parts/HoursFields.tsx'
import {
  dayNames,
  firstHours,
  type HoursValues,
  hoursFormErrors,
  readHours,
  writeHours,
} from '../../alerts/parts/hours.ts'
import { browserZone } from '../../alerts/parts/zone.ts'
import { call } from '../../data/api.ts'
import { read } from '../../data/queries.ts'
import { useChange } from '../../ui/dialogs/useChange.ts'
import { Dialog, ErrorNote } from '../../ui/index.ts'

interface HoursFormProps {
  slug: string
  name: string
  /** The present hours; null if the agent is expected to report at all times. */
  hours: string | null
  onDone: () => void
}

/** A form in which admins set or remove the hours in which an agent is expected to report. */
export function HoursForm({ slug, name, hours, onDone }: HoursFormProps) {
  const again = useReloadAlerts(slug)
  const form = useForm<HoursValues>({
    initialValues: (hours === null ? null : readHours(hours)) ?? firstHours(browserZone()),
    validate: hoursFormErrors,
  })
  const set = useChange(async (wanted: string | null) => {
    await call('PUT /w/:slug/agents/:name/hours', { slug, name }, { hours: wanted })
    await again()
    onDone()
  })
  return (
    <form
      className="al-form ag-hours-form"
      aria-label="Expected hours"
      onSubmit={form.onSubmit((values) => set.submit(writeHours(values)))}
      noValidate
    >
      <Stack gap="sm">
        <DaysField label="Days on which the hours begin" days={dayNames} field={form.getInputProps('days')} />
        <TimesFields from={form.getInputProps('from')} to={form.getInputProps('to')} />
        <ZoneField field={form.getInputProps('zone')} />
        {set.error !== null && <ErrorNote error={set.error} />}
        <Group gap="xs">
          <Button type="submit" size="xs" loading={set.busy}>
            Save hours
          </Button>
          <Button variant="default" size="xs" onClick={onDone}>
            Cancel
          </Button>
          {hours !== null && (
            <Button
              variant="subtle"
              color="red"
              size="xs"
              ms="auto"
              disabled={set.busy}
              onClick={() => set.submit(null)}
            >
              Remove hours
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

interface HoursDialogProps {
  slug: string
  name: string
  onClose: () => void
}

/** A dialog in which admins set the hours in which an agent is expected to report. */
export function HoursDialog({ slug, name, onClose }: HoursDialogProps) {
  const { data, error, refetch } = useQuery(read('GET /w/:slug/agents/:name/hours', { slug, name }))
  return (
    <Dialog opened onClose={onClose} title={`Expected hours of ${name}`}>
      {error && <ErrorNote error={error} retry={refetch} />}
      {data && <HoursForm slug={slug} name={name} hours={data.hours} onDone={onClose} />}
    </Dialog>
  )
}
