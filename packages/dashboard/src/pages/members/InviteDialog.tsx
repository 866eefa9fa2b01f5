import { Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Role } from '@svc/api'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api.ts'
import { wrongWithEmail } from '../../forms/rules.ts'
import { useSubmit } from '../../forms/useSubmit.ts'
import { keys } from '../../queries.ts'
import { CopyLines, Dialog, DialogEnd } from '../../ui/index.ts'

/** Creates an invitation. The service sends no mail, so the person who invites must send the link. */
export function InviteDialog({ slug, opened, onClose }: { slug: string; opened: boolean; onClose: () => void }) {
  const [made, setMade] = useState<{ email: string; url: string } | null>(null)
  const close = () => {
    onClose()
    setMade(null)
  }
  return (
    <Dialog opened={opened} onClose={close} title={made ? `Link for ${made.email}` : 'Invite someone'}>
      {made ? (
        <Stack gap="md">
          <CopyLines text={made.url} label="invitation link" />
          <Text c="dimmed">
            Send this link yourself; the service doesn’t send email. It works once, for {made.email} only, and for seven
            days.
          </Text>
          <Group justify="flex-end">
            <Button onClick={close}>Done</Button>
          </Group>
        </Stack>
      ) : (
        <InviteForm slug={slug} onMade={setMade} onCancel={close} />
      )}
    </Dialog>
  )
}

interface FormProps {
  slug: string
  onMade: (made: { email: string; url: string }) => void
  onCancel: () => void
}

function InviteForm({ slug, onMade, onCancel }: FormProps) {
  const client = useQueryClient()
  const form = useForm<{ email: string; role: Role }>({
    initialValues: { email: '', role: 'member' },
    validate: { email: wrongWithEmail },
  })
  const { busy, error, submit } = useSubmit(async ({ email, role }: typeof form.values) => {
    const { url } = await api.invite(slug, email.trim(), role)
    onMade({ email: email.trim(), url })
    void client.invalidateQueries({ queryKey: keys.members(slug) })
  })
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="md">
        <TextInput data-autofocus label="Email" type="email" autoComplete="off" {...form.getInputProps('email')} />
        <Radio.Group label="Role" {...form.getInputProps('role')}>
          <Stack gap={8} mt={6}>
            <Radio
              value="member"
              label="Member"
              description="Can view agents, runs, costs and commands, but no logs."
            />
            <Radio
              value="admin"
              label="Admin"
              description="Can also send commands, manage agents and people, and read logs."
            />
          </Stack>
        </Radio.Group>
        <DialogEnd error={error} onCancel={onCancel} submit="Create link" busy={busy} />
      </Stack>
    </form>
  )
}
