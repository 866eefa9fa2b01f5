import { Button, Checkbox, Group, Radio, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { RuleRow } from '@svc/api'
import { useAlertsAgain } from '../../alerts/useAlertChange.ts'
import { inUnit, type Unit, units } from '../../alerts/words.ts'
import { api } from '../../api.ts'
import { useSubmit } from '../../forms/useSubmit.ts'
import { ErrorNote } from '../../ui/index.ts'

interface RuleFormProps {
  slug: string
  rule: RuleRow
  channels: readonly string[]
  onDone: () => void
}

/**
 * A form below the sentence of an alert rule. It edits the rule's channels, how long the condition must hold, and the
 * limit or the run statuses if the rule has them.
 */
export function RuleForm({ slug, rule, channels, onDone }: RuleFormProps) {
  const again = useAlertsAgain(slug)
  const form = useForm({
    initialValues: {
      to: rule.channels === null ? 'all' : 'some',
      channels: rule.channels ?? [],
      after: String(inUnit(rule.after).number),
      unit: inUnit(rule.after).unit as string,
      limit: rule.limit === null ? '' : String(rule.limit),
      statuses: (rule.statuses ?? []).join(', '),
    },
    validate: {
      after: (text) => (/^\d{1,7}$/.test(text.trim()) ? null : 'Enter a whole number.'),
      limit: (text) => (text.trim() === '' || Number(text) > 0 ? null : 'Enter an amount, or nothing for no limit.'),
    },
  })
  const { busy, error, submit } = useSubmit(async (values: typeof form.values) => {
    await api.setRule(slug, {
      rule: rule.rule,
      channels: values.to === 'all' ? null : values.channels,
      ...(has.after(rule) && { after: Number(values.after) * units[values.unit as Unit] }),
      ...(has.limit(rule) && { limit: values.limit.trim() === '' ? null : Number(values.limit) }),
      ...(has.statuses(rule) && { statuses: wordsOf(values.statuses) }),
    })
    await again()
    onDone()
  })
  return (
    <form className="al-form" onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="md">
        <ChannelChoice
          channels={channels}
          to={form.getInputProps('to')}
          some={form.getInputProps('channels')}
          toAll={form.values.to === 'all'}
        />
        {has.after(rule) && (
          <Group gap="xs" align="flex-start">
            <TextInput label="Must hold for" inputMode="numeric" w={110} {...form.getInputProps('after')} />
            <Select
              label="Unit"
              w={130}
              allowDeselect={false}
              data={Object.keys(units).toReversed()}
              {...form.getInputProps('unit')}
            />
          </Group>
        )}
        {has.limit(rule) && (
          <TextInput
            label="Limit of a day"
            description="US dollars, of each agent and of the workspace. Empty: no limit."
            maw={260}
            inputMode="decimal"
            leftSection="$"
            {...form.getInputProps('limit')}
          />
        )}
        {has.statuses(rule) && (
          <TextInput
            label="Statuses that count"
            description="Separated by commas."
            maw={360}
            {...form.getInputProps('statuses')}
          />
        )}
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

/** Says for each optional field of the form whether a rule has such a field. */
const has = {
  after: ({ rule }: RuleRow) => rule !== 'command',
  limit: ({ rule }: RuleRow) => rule === 'cost_day',
  statuses: ({ rule }: RuleRow) => rule === 'run_failed',
}

const wordsOf = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')

interface ChannelChoiceProps {
  channels: readonly string[]
  to: object
  some: object
  toAll: boolean
}

function ChannelChoice({ channels, to, some, toAll }: ChannelChoiceProps) {
  return (
    <>
      <Radio.Group label="Sent to" {...to}>
        <Group gap="md" mt={4}>
          <Radio value="all" label="All channels, also new ones" />
          <Radio value="some" label="Only some" />
        </Group>
      </Radio.Group>
      {!toAll &&
        (channels.length === 0 ? (
          <p className="svc-quiet">This workspace has no channel yet. Add one under Channels.</p>
        ) : (
          <Checkbox.Group aria-label="Channels of this rule" {...some}>
            <Group gap="sm">
              {channels.map((name) => (
                <Checkbox key={name} value={name} label={`#${name}`} />
              ))}
            </Group>
          </Checkbox.Group>
        ))}
    </>
  )
}
