import { Button, Checkbox, Group, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Role } from '@svc/api'
import { bare } from '@svc/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../data/api.ts'
import { keys, meQuery } from '../data/queries.ts'
import { wrongWithEmail } from '../ui/forms/rules.ts'
import { useSubmit } from '../ui/forms/useSubmit.ts'
import { CopyLines, Dialog, DialogEnd } from '../ui/index.ts'
import { ReachNote } from '../ui/values/ReachNote.tsx'

/**
 * A dialog that creates an invitation. The service mails the link if it can send mail; the dialog shows the link in any
 * case.
 */
export function InviteDialog({ slug, opened, onClose }: { slug: string; opened: boolean; onClose: () => void }) {
  const [made, setMade] = useState<Made | null>(null)
  const close = () => {
    onClose()
    setMade(null)
  }
  return (
    <Dialog opened={opened} onClose={close} title={made ? `Link for ${made.email}` : 'Invite someone'}>
      {made ? (
        <Stack gap="md">
          <CopyLines text={made.url} label="invitation link" />
          <ReachNote address={made.url} />
          <Text c="dimmed">
            {made.mailed ? `An email with this link is on its way to ${made.email}.` : 'Send this link yourself.'} It
            works once, for {made.email} only, and for seven days.
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

interface Made {
  email: string
  url: string
  mailed: boolean
}

interface FormProps {
  slug: string
  onMade: (made: Made) => void
  onCancel: () => void
}

function InviteForm({ slug, onMade, onCancel }: FormProps) {
  const client = useQueryClient()
  const { data: me } = useQuery(meQuery)
  const mails = me?.mails === true
  const form = useForm<{ email: string; role: Role; mail: boolean }>({
    initialValues: { email: '', role: 'member', mail: true },
    validate: { email: wrongWithEmail },
  })
  const { busy, error, submit } = useSubmit(async ({ email, role, mail }: typeof form.values) => {
    const address = bare(email)
    const { url, mailed } = await call(
      'POST /w/:slug/invitations',
      { slug },
      { email: address, role, mail: mail && mails },
    )
    onMade({ email: address, url, mailed })
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
        {mails ? (
          <Checkbox label="Send the link by email" {...form.getInputProps('mail', { type: 'checkbox' })} />
        ) : (
          <Text c="dimmed">This service doesn’t send email. You get a link to send yourself.</Text>
        )}
        <DialogEnd
          error={error}
          onCancel={onCancel}
          submit={mails && form.values.mail ? 'Invite' : 'Create link'}
          busy={busy}
        />
      </Stack>
    </form>
  )
}
