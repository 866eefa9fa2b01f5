import { Button, Group, PasswordInput, Radio, Select, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { MessageFormat, NewChannel } from '@svc/api'
import { trimInvisible } from '@svc/protocol'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { useChange } from '../../ui/dialogs/useChange.ts'
import { asTyped } from '../../ui/forms/as-typed.ts'
import { Dialog, DialogFooter } from '../../ui/index.ts'
import { CopyLines } from '../../ui/values/CopyLines.tsx'
import { useReloadAlerts } from '../parts/useAlertChange.ts'
import { TestResult } from './ChannelParts.tsx'
import { channelLooks, type WorkspaceKind } from './channel-kinds.ts'
import { useChannelTest } from './useChannelTest.ts'

interface AddChannelProps {
  slug: string
  opened: boolean
  onClose: () => void
}

/**
 * A dialog that adds a channel to the workspace, and then offers a test. If the service made a signing secret for the
 * channel, the secret is shown once.
 */
export function AddChannelDialog({ slug, opened, onClose }: AddChannelProps) {
  const [made, setMade] = useState<NewChannel | null>(null)
  const close = () => {
    onClose()
    setMade(null)
  }
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={made ? `#${made.name} was added` : 'Add channel'}
      stay={made?.secret !== undefined}
    >
      {made ? (
        <AddedChannel slug={slug} made={made} onDone={close} />
      ) : (
        <ChannelForm slug={slug} onAdded={setMade} onCancel={close} />
      )}
    </Dialog>
  )
}

interface AddedProps {
  slug: string
  made: NewChannel
  onDone: () => void
}

/** Shows the secret of a channel that was added, if the service made one, and offers a test. */
function AddedChannel({ slug, made: { name, secret }, onDone }: AddedProps) {
  const test = useChannelTest(slug, {
    send: () => call('POST /w/:slug/channels/:channel/test', { slug, channel: name }),
    follow: (id) => call('GET /w/:slug/channels/:channel/tests/:id', { slug, channel: name, id }),
  })
  return (
    <Stack gap="md">
      {secret !== undefined && (
        <>
          <Text>Copy this secret now. You won’t see it again.</Text>
          <CopyLines text={secret} label="signing secret" />
          <Text c="dimmed">The receiver needs it to verify that a message is from this service.</Text>
        </>
      )}
      <Text>A test shows whether messages arrive, and what the receiver answers.</Text>
      <div role="status">{test.value && <TestResult {...test.value} />}</div>
      <Group justify="flex-end">
        <Button variant="default" loading={test.busy} onClick={() => test.submit()}>
          Send test
        </Button>
        <Button onClick={onDone}>Done</Button>
      </Group>
    </Stack>
  )
}

interface ChannelFormProps {
  slug: string
  onAdded: (channel: NewChannel) => void
  onCancel: () => void
}

const empty = {
  kind: 'webhook' as WorkspaceKind,
  name: '',
  url: '',
  to: '',
  secret: '',
  format: 'grouped' as MessageFormat,
}
const parts = ['url', 'to', 'secret'] as const

function ChannelForm({ slug, onAdded, onCancel }: ChannelFormProps) {
  const again = useReloadAlerts(slug)
  const missing =
    (part: (typeof parts)[number]) =>
    (text: string, { kind }: typeof empty) => {
      const field = channelLooks[kind][part]
      return field && !field.optional && trimInvisible(text) === '' ? 'Required' : null
    }
  const form = useForm({
    initialValues: empty,
    validate: {
      name: (text) =>
        /^[a-z0-9](-?[a-z0-9])*$/.test(trimInvisible(text)) ? null : 'Lowercase letters, digits and single hyphens.',
      url: missing('url'),
      to: missing('to'),
      secret: missing('secret'),
    },
  })
  const { busy, error, submit } = useChange(async (values: typeof empty) => {
    const { kind, name, format } = values
    const given = parts.filter((part) => channelLooks[kind][part] && trimInvisible(values[part]) !== '')
    const more = Object.fromEntries(given.map((part) => [part, trimInvisible(values[part])]))
    const added = await call('POST /w/:slug/channels', { slug }, { kind, name: trimInvisible(name), format, ...more })
    await again()
    onAdded(added)
  })
  const { url, to, secret } = channelLooks[form.values.kind]
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="md">
        <Select
          label="Kind"
          allowDeselect={false}
          data={Object.entries(channelLooks).map(([value, { name }]) => ({ value, label: name }))}
          {...form.getInputProps('kind')}
        />
        <TextInput
          label="Name"
          description="Rules refer to it, for example ops."
          {...asTyped}
          {...form.getInputProps('name')}
        />
        {url && <TextInput label={labelOf(url)} description={url.hint} type="url" {...form.getInputProps('url')} />}
        {to && <TextInput label={labelOf(to)} description={to.hint} {...form.getInputProps('to')} />}
        {secret && (
          <PasswordInput
            label={labelOf(secret)}
            description={secret.hint ?? 'Stored encrypted and never shown again.'}
            autoComplete="off"
            {...form.getInputProps('secret')}
          />
        )}
        <Radio.Group label="Messages" {...form.getInputProps('format')}>
          <Stack gap={8} mt={6}>
            <Radio value="grouped" label="Grouped" description="Changes together, at most every five minutes." />
            <Radio value="single" label="Single" description="Each change at once, one message each." />
          </Stack>
        </Radio.Group>
        <DialogFooter error={error} onCancel={onCancel} submit="Add channel" busy={busy} />
      </Stack>
    </form>
  )
}

const labelOf = ({ label, optional }: { label: string; optional?: true }): string =>
  optional ? `${label} (optional)` : label
