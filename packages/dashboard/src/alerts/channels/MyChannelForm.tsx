import { Button, Checkbox, Group, Select, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Pace, PersonalChannelRow } from '@svc/api'
import { alertRules, ruleNames } from '@svc/api/words'
import { bare } from '@svc/protocol'
import { call } from '../../data/api.ts'
import { useSubmit } from '../../ui/forms/useSubmit.ts'
import { ErrorNote } from '../../ui/index.ts'
import { DaysField, TimesFields, ZoneField } from '../parts/HoursFields.tsx'
import { dayNames } from '../parts/hours.ts'
import { useAlertChange, useAlertsAgain } from '../parts/useAlertChange.ts'
import { paceWords } from './my-channel-words.ts'

interface MyChannelFormProps {
  slug: string
  channel: PersonalChannelRow
  onDone: () => void
}

/** The names of the days by their numbers, 1 for Monday. Quiet hours are stored with these numbers. */
const days = Object.fromEntries(Object.values(dayNames).map((name, i) => [String(i + 1), name]))
const allDays = Object.keys(days)

/** A form in which people choose which alerts reach one of their personal channels, and when. */
export function MyChannelForm({ slug, channel, onDone }: MyChannelFormProps) {
  const again = useAlertsAgain(slug)
  const remove = useAlertChange(slug, 'Not removed', () =>
    call('DELETE /w/:slug/my-channels/:channel', { slug, channel: channel.name }),
  )
  const form = useForm({ initialValues: valuesOf(channel) })
  const { busy, error, submit } = useSubmit(async (values: ReturnType<typeof valuesOf>) => {
    const { enabled, every, rules, pace, isQuiet, quietDays, from, to, badPasses, zone } = values
    await call(
      'PATCH /w/:slug/my-channels/:channel',
      { slug, channel: channel.name },
      {
        enabled,
        rules: every ? null : rules,
        pace: pace as Pace,
        quiet: isQuiet ? { days: quietDays.map(Number).toSorted((a, b) => a - b), from, to } : null,
        badPasses,
        zone: bare(zone),
      },
    )
    await again()
    onDone()
  })
  const check = { type: 'checkbox' } as const
  return (
    <form className="al-form" onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="sm">
        <Checkbox label="Send to this channel" {...form.getInputProps('enabled', check)} />
        <Select
          label="When"
          maw={300}
          allowDeselect={false}
          data={Object.entries(paceWords).map(([value, label]) => ({ value, label }))}
          {...form.getInputProps('pace')}
        />
        <Checkbox label="Every alert" {...form.getInputProps('every', check)} />
        {!form.values.every && (
          <Checkbox.Group label="Only these" {...form.getInputProps('rules')}>
            <Group gap="sm" mt={6}>
              {ruleNames.map((rule) => (
                <Checkbox key={rule} value={rule} label={alertRules[rule].heading} />
              ))}
            </Group>
          </Checkbox.Group>
        )}
        <Checkbox
          label="Quiet hours"
          description="Messages wait until they end."
          {...form.getInputProps('isQuiet', check)}
        />
        {form.values.isQuiet && (
          <>
            <TimesFields from={form.getInputProps('from')} to={form.getInputProps('to')} />
            <DaysField label="Days on which they begin" days={days} field={form.getInputProps('quietDays')} />
            <Checkbox label="Send alerts of the level Bad even then" {...form.getInputProps('badPasses', check)} />
          </>
        )}
        <ZoneField field={form.getInputProps('zone')} />
        {error !== null && <ErrorNote error={error} />}
        <Group gap="xs">
          <Button type="submit" size="xs" loading={busy}>
            Save channel
          </Button>
          <Button variant="default" size="xs" onClick={onDone}>
            Cancel
          </Button>
          <Button
            variant="subtle"
            color="red"
            size="xs"
            ms="auto"
            loading={remove.isPending}
            onClick={() => remove.mutate(undefined)}
          >
            Remove channel
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const valuesOf = ({ enabled, rules, pace, quiet, badPasses, zone }: PersonalChannelRow) => ({
  enabled,
  every: rules === null,
  rules: rules ?? [...ruleNames],
  pace: pace as string,
  isQuiet: quiet !== null,
  quietDays: quiet?.days.map(String) ?? allDays,
  from: quiet?.from ?? '22:00',
  to: quiet?.to ?? '07:00',
  badPasses,
  zone,
})
