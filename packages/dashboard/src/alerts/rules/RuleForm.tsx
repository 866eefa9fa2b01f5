import { Button, Checkbox, Group, Radio, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDebouncedValue } from '@mantine/hooks'
import type { RuleSettings } from '@svc/api'
import { durationUnits } from '@svc/api/words'
import { trimInvisible } from '@svc/protocol'
import { call } from '../../data/api.ts'
import { useFilterFits } from '../../data/fits.ts'
import { useChange } from '../../ui/dialogs/useChange.ts'
import { asTyped } from '../../ui/forms/as-typed.ts'
import { ErrorNote } from '../../ui/index.ts'
import { useReloadAlerts } from '../parts/useAlertChange.ts'
import { FilterFits } from './FilterFits.tsx'
import { hasField, type RuleValues, ruleChangeOf, ruleFormErrors, ruleValuesOf } from './rule-form.ts'

interface RuleFormProps {
  slug: string
  rule: RuleSettings
  channels: readonly string[]
  onDone: () => void
}

/** The form that edits an alert rule. It has only the fields that the rule has. */
export function RuleForm({ slug, rule, channels, onDone }: RuleFormProps) {
  const again = useReloadAlerts(slug)
  const form = useForm<RuleValues>({ initialValues: ruleValuesOf(rule), validate: ruleFormErrors })
  const { busy, error, submit } = useChange(async (values: RuleValues) => {
    await call('PATCH /w/:slug/rules', { slug }, ruleChangeOf(rule, values))
    await again()
    onDone()
  })
  return (
    <form className="al-form" onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="md">
        <FirstChannels form={form} channels={channels} />
        {hasField.filter(rule) && <OnlyAgents slug={slug} form={form} />}
        {hasField.after(rule) && <Length form={form} field="after" label="Must hold for" />}
        {hasField.limit(rule) && (
          <TextInput
            label="Limit of a day"
            description="US dollars, of each agent and of the workspace. Empty: no limit."
            maw={260}
            inputMode="decimal"
            leftSection="$"
            {...form.getInputProps('limit')}
          />
        )}
        {hasField.statuses(rule) && (
          <TextInput
            label="Statuses that count"
            description="Separated by commas."
            maw={360}
            {...form.getInputProps('statuses')}
          />
        )}
        {hasField.reminders(rule) && (
          <Checkbox
            label="Send reminders"
            description="After 1 hour, then every day, until somebody acknowledges the alert."
            {...form.getInputProps('reminds', { type: 'checkbox' })}
          />
        )}
        {hasField.escalation(rule) && <Escalation form={form} channels={channels} />}
        {error !== null && <ErrorNote error={error} />}
        <Group gap="xs">
          <Button type="submit" size="xs" loading={busy}>
            Save rule
          </Button>
          <Button variant="default" size="xs" onClick={onDone}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

type RuleFormState = Pick<ReturnType<typeof useForm<RuleValues>>, 'values' | 'errors' | 'getInputProps'>

interface FormPartProps {
  form: RuleFormState
  /** The names of the workspace's channels. */
  channels: readonly string[]
}

/** The input for the filter of a rule, with the number of agents that the typed filter selects. */
function OnlyAgents({ slug, form }: { slug: string; form: RuleFormState }) {
  const [typed] = useDebouncedValue(trimInvisible(form.values.filter), 250)
  const filter = ruleFormErrors.filter(typed) === null ? typed : ''
  const fits = useFilterFits(slug, filter)
  return (
    <div>
      <TextInput
        label="Only agents"
        description="A filter with tag:, host:, blueprint: or name:, such as tag:prod -host:build-*. Empty: all agents."
        maw={520}
        {...asTyped}
        {...form.getInputProps('filter')}
      />
      <div role="status">{filter !== '' && fits && <FilterFits filter={filter} fits={fits} />}</div>
    </div>
  )
}

/** The inputs for the channels that are notified as soon as an alert of a rule opens. */
const FirstChannels = ({ form, channels }: FormPartProps) => (
  <>
    <Radio.Group label="Sent to" {...form.getInputProps('to')}>
      <Group gap="md" mt={4}>
        <Radio value="all" label="All channels, also new ones" />
        <Radio value="some" label="Only some" />
      </Group>
    </Radio.Group>
    {form.values.to === 'some' && (
      <Channels form={form} channels={channels} field="channels" label="Channels of this rule" />
    )}
  </>
)

/** The inputs for the escalation of a rule: the channels that are notified if nobody acknowledges an alert in time. */
const Escalation = ({ form, channels }: FormPartProps) => (
  <>
    <Checkbox
      label="Escalate"
      description="Tell other channels if nobody acknowledges the alert in time."
      {...form.getInputProps('escalates', { type: 'checkbox' })}
    />
    {form.values.escalates && (
      <div className="al-indent">
        <Stack gap="sm">
          <Length form={form} field="escalateAfter" label="Not acknowledged for" />
          <div>
            <Channels form={form} channels={channels} field="secondChannels" label="Then tell" />
            {form.values.to === 'all' && channels.length > 0 && (
              <p className="al-hint">“All channels” above then means all others.</p>
            )}
          </div>
        </Stack>
      </div>
    )}
  </>
)

interface LengthProps {
  form: RuleFormState
  field: 'after' | 'escalateAfter'
  label: string
}

/** The two inputs of a duration: a whole number, and its unit. */
const Length = ({ form, field, label }: LengthProps) => (
  <Group gap="xs" align="flex-start">
    <TextInput
      label={label}
      inputMode="numeric"
      w={150}
      {...form.getInputProps(`${field}.number`)}
      error={form.errors[field]}
    />
    <Select
      label="Unit"
      w={130}
      allowDeselect={false}
      data={Object.keys(durationUnits).toReversed()}
      {...form.getInputProps(`${field}.unit`)}
    />
  </Group>
)

interface ChannelsProps extends FormPartProps {
  field: 'channels' | 'secondChannels'
  label: string
}

function Channels({ form, channels, field, label }: ChannelsProps) {
  if (channels.length === 0)
    return <p className="svc-quiet">This workspace has no channel yet. Add one under Channels.</p>
  return (
    <Checkbox.Group label={label} {...form.getInputProps(field)}>
      <Group gap="sm" mt={4}>
        {channels.map((name) => (
          <Checkbox key={name} value={name} label={`#${name}`} />
        ))}
      </Group>
    </Checkbox.Group>
  )
}
