import { Button, Checkbox, Group, NumberInput, Radio, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { durationsAccepted, type RuleRow, readDuration, writeDuration } from '@svc/api'
import { useAlertsAgain } from '../../alerts/useAlertChange.ts'
import { api } from '../../api.ts'
import { useSubmit } from '../../forms/useSubmit.ts'
import { ErrorNote } from '../../ui/index.ts'

interface RuleFormProps {
  slug: string
  rule: RuleRow
  channels: readonly string[]
  onDone: () => void
}

/** Edits a rule below its sentence: the channels, how long it must hold, and what else it has. */
export function RuleForm({ slug, rule, channels, onDone }: RuleFormProps) {
  const again = useAlertsAgain(slug)
  const form = useForm({
    initialValues: {
      to: rule.channels === null ? 'all' : 'some',
      channels: rule.channels ?? [],
      after: writeDuration(rule.after),
      limit: rule.limit ?? ('' as number | string),
      statuses: (rule.statuses ?? []).join(', '),
    },
    validate: {
      after: (text) => (readDuration(text.trim()) === undefined ? `Enter ${durationsAccepted}.` : null),
    },
  })
  const { busy, error, submit } = useSubmit(async (values: typeof form.values) => {
    await api.setRule(slug, {
      rule: rule.rule,
      channels: values.to === 'all' ? null : values.channels,
      ...(has.after(rule) && { after: readDuration(values.after.trim()) ?? rule.after }),
      ...(has.limit(rule) && { limit: typeof values.limit === 'number' ? values.limit : null }),
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
          <TextInput
            label="Must hold for"
            description={`For example 90s, 10m or 2h. ${rule.after === 0 ? 'It is sent at once now.' : ''}`}
            maw={260}
            {...form.getInputProps('after')}
          />
        )}
        {has.limit(rule) && (
          <NumberInput
            label="Limit of a day"
            description="US dollars, of each agent and of the workspace. Empty: no limit."
            maw={260}
            min={0}
            decimalScale={2}
            prefix="$"
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

/** The settings that a rule has. */
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
