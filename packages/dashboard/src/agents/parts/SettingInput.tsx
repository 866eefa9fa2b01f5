import { Select, Switch, Textarea, TextInput } from '@mantine/core'
import type { Setting, SettingType } from '@svc/protocol'
import type { ComponentType } from 'react'
import type { RawValue } from './raw.ts'

interface SettingInputProps {
  id: string
  setting: Setting
  raw: RawValue
  locked: boolean
  invalid: boolean
  describedBy: string
  onChange: (raw: RawValue) => void
}

/** The input component for each type of setting (2.4). TypeScript refuses a new type without an input component. */
const inputs: Readonly<Record<SettingType, ComponentType<SettingInputProps>>> = {
  percent: NumberField,
  number: NumberField,
  bool: BoolField,
  datetime: TimeField,
  text: TextField,
  select: SelectField,
}

export function SettingInput(props: SettingInputProps) {
  const Input = inputs[props.setting.type]
  return <Input {...props} />
}

const sharedProps = ({ id, raw, locked, invalid, describedBy }: SettingInputProps) => ({
  id,
  disabled: locked,
  error: invalid,
  placeholder: raw === null ? 'not set' : '',
  'aria-describedby': describedBy,
})
const textOf = (raw: RawValue) => (typeof raw === 'string' ? raw : '')

/**
 * The input for a number is a text field and not a number field, so that it keeps the text as typed and ignores the
 * mouse wheel.
 */
function NumberField(props: SettingInputProps) {
  return (
    <TextInput
      {...sharedProps(props)}
      inputMode="decimal"
      autoComplete="off"
      w={150}
      value={textOf(props.raw)}
      onChange={(event) => props.onChange(event.currentTarget.value)}
      rightSection={props.setting.type === 'percent' ? <span aria-hidden>%</span> : undefined}
    />
  )
}

function TimeField(props: SettingInputProps) {
  return (
    <TextInput
      {...sharedProps(props)}
      type="datetime-local"
      // The browser shows no field for seconds if the step is 60.
      step={textOf(props.raw).length > '2026-11-21T14:05'.length ? 1 : 60}
      w={230}
      value={textOf(props.raw)}
      onChange={(event) => props.onChange(event.currentTarget.value === '' ? null : event.currentTarget.value)}
    />
  )
}

function TextField(props: SettingInputProps) {
  return (
    <Textarea
      {...sharedProps(props)}
      autosize
      minRows={1}
      maxRows={10}
      spellCheck={false}
      flex={1}
      value={textOf(props.raw)}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    />
  )
}

/**
 * A switch for a setting that is true or false. The text beside the switch says "not set", "off" or "on", because a
 * switch alone shows only two states.
 */
function BoolField({ id, raw, locked, describedBy, onChange }: SettingInputProps) {
  return (
    <Switch
      id={id}
      checked={raw === true}
      disabled={locked}
      aria-describedby={describedBy}
      onChange={(event) => onChange(event.currentTarget.checked)}
      label={<span aria-hidden>{raw === null ? 'not set' : raw === true ? 'on' : 'off'}</span>}
    />
  )
}

function SelectField(props: SettingInputProps) {
  const options = props.setting.options ?? []
  return (
    <Select
      {...sharedProps(props)}
      data={options.map((option, i) => ({ value: String(i), label: option.label ?? String(option.value) }))}
      value={typeof props.raw === 'string' ? props.raw : null}
      onChange={(to) => to !== null && props.onChange(to)}
      allowDeselect={false}
      searchable={options.length > 8}
      flex={1}
      maw={360}
    />
  )
}
