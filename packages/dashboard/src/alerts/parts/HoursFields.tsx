/** Form fields for hours: days, times and a time zone. `field` is what the form's `getInputProps` returns. */
import { Checkbox, Group, TextInput } from '@mantine/core'
import type { useForm } from '@mantine/form'

type FieldProps = ReturnType<ReturnType<typeof useForm>['getInputProps']>

interface DaysFieldProps {
  label: string
  /** The name of each day by its value, in the order in which the days are shown. */
  days: Readonly<Record<string, string>>
  field: FieldProps
}

export const DaysField = ({ label, days, field }: DaysFieldProps) => (
  <Checkbox.Group label={label} {...field}>
    <Group gap="sm" mt={6}>
      {Object.entries(days).map(([day, name]) => (
        <Checkbox key={day} value={day} label={name} />
      ))}
    </Group>
  </Checkbox.Group>
)

interface TimesFieldsProps {
  from: FieldProps
  to: FieldProps
}

export const TimesFields = ({ from, to }: TimesFieldsProps) => (
  <Group gap="xs" align="flex-start">
    <TextInput label="From" type="time" {...from} />
    <TextInput label="To" type="time" {...to} />
  </Group>
)

interface ZoneFieldProps {
  field: FieldProps
}

export const ZoneField = ({ field }: ZoneFieldProps) => (
  <TextInput label="Time zone" description="For example Europe/Berlin." maw={300} {...field} />
)
